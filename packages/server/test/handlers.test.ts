import { Bus } from "@vigil/core/bus"
import { Coordinator } from "@vigil/core/coordinator"
import { Permissions } from "@vigil/core/permission"
import type { Event } from "@vigil/schema/event-manifest"
import type { Monitor } from "@vigil/schema/monitor"
import { call, hold, type Script } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Stream } from "effect"
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { allowAll, changed, type EdgeWorld, it } from "./lib/edge.ts"

const told = async (response: Response | Promise<Response>) => ({
  status: (await response).status,
  ...(await (await response).json())
})

/** What was said on the feed so far. */
const events = ({ run }: EdgeWorld): Promise<ReadonlyArray<Event>> =>
  run(
    Effect.gen(function* () {
      const bus = yield* Bus
      const head = yield* bus.head
      if (head === 0) return []
      return yield* bus.follow(0).pipe(
        Stream.takeUntil(({ seq }) => seq === head),
        Stream.runCollect
      )
    }) as Effect.Effect<ReadonlyArray<Event>, unknown, Bus>
  )

/** Until the session's agent has nothing to do. */
const idle = ({ read }: EdgeWorld, sessionID: string) => read(`/api/session/${sessionID}/wait?until=idle`)

/** The first of the events to come. */
const heard = ({ run }: EdgeWorld, type: Event["type"]) =>
  run(
    Effect.gen(function* () {
      return yield* (yield* Bus).follow(0).pipe(
        Stream.filter((event) => event.type === type),
        Stream.runHead
      )
    })
  )

const start = async ({ send }: EdgeWorld, sessionID: string, draft: object = {}): Promise<Monitor> =>
  (await send("POST", `/api/session/${sessionID}/monitor`, {
    command: "sleep 100",
    description: "watch",
    ...draft
  }).then((response) => response.json())) as Monitor

describe("sessions", () => {
  it.edge("are created, told, changed and removed", async ({ send, read, directory }) => {
    const created = await told(send("POST", "/api/session", { directory, title: "one" }))
    expect(created).toMatchObject({ status: "idle", directory, title: "one", rules: [], unattended: false })
    const path = `/api/session/${created.id}`
    expect(await read(path)).toMatchObject({ id: created.id, title: "one" })
    const changed = await told(send("PATCH", path, { title: "two", rules: allowAll }))
    expect(changed).toMatchObject({ id: created.id, title: "two", rules: allowAll, directory })
    expect((await send("DELETE", path)).status).toBe(204)
    expect(await told(send("DELETE", path))).toMatchObject({ status: 404, _tag: "SessionNotFound" })
    expect(await told(send("PATCH", path, {}))).toMatchObject({ status: 404, _tag: "SessionNotFound" })
    const nowhere = await told(send("POST", "/api/session", { directory: `${directory}/none` }))
    expect(nowhere).toMatchObject({ status: 400, _tag: "DirectoryNotFound" })
  })

  it.edge("are listed newest first, in pages that name the next one", async ({ read, session }) => {
    const ids = [await session(), await session(), await session()].toReversed()
    const first = await read("/api/session?limit=2")
    expect(first.items.map(({ id }: any) => id)).toEqual(ids.slice(0, 2))
    expect(first.next).toBe(ids[1])
    const second = await read(`/api/session?limit=2&after=${first.next}`)
    expect(second.items.map(({ id }: any) => id)).toEqual(ids.slice(2))
    expect(second).not.toHaveProperty("next")
    expect(await read("/api/session?limit=3")).not.toHaveProperty("next")
  })

  it.edge("say which place of the feed an answer reflects", async (world) => {
    const sessionID = await world.session()
    const seqOf = async (path: string) => Number((await world.ask(path)).headers.get("vigil-seq"))
    for (const path of ["", "/message", "/turn", "/inbox", "/monitor", "/shell"]) {
      expect([path, await seqOf(`/api/session/${sessionID}${path}`)]).toEqual([path, 1])
    }
    await start(world, sessionID)
    for (const path of ["/api/session", "/api/monitor", "/api/shell", "/api/permission", "/api/trust"]) {
      expect([path, await seqOf(path)]).toEqual([path, 2])
    }
  })

  const woken: Array<string> = []
  it.edge(
    "of another model are woken, so that events which waited for it are read",
    async ({ send, session }) => {
      const path = `/api/session/${await session()}`
      await send("PATCH", path, { title: "one" })
      expect(woken).toEqual([])
      const { id } = await told(send("PATCH", path, { model: "anthropic/other" }))
      expect(woken).toEqual([id])
    },
    {
      services: changed(Coordinator, (coordinator) => ({
        ...coordinator,
        wake: (sessionID) => {
          woken.push(sessionID)
          return coordinator.wake(sessionID)
        }
      }))
    }
  )

  let meanwhile: Effect.Effect<unknown> = Effect.void
  it.edge(
    "that come while an answer is made are not in it, and it says so",
    async (world) => {
      const { ask, session } = world
      meanwhile = Effect.promise(() => session())
      const response = await ask("/api/permission")
      meanwhile = Effect.void
      expect(response.headers.get("vigil-seq")).toBe("0")
      expect((await ask("/api/permission")).headers.get("vigil-seq")).toBe("1")
    },
    {
      services: changed(Permissions, (permissions) => ({
        ...permissions,
        pending: (sessionID) => Effect.tap(permissions.pending(sessionID), () => meanwhile)
      }))
    }
  )

  it.edge("that are not there have nothing to be listed", async ({ ask }) => {
    for (const path of ["", "/message", "/turn", "/inbox", "/monitor", "/shell", "/wait?until=idle"]) {
      const refusal = await told(ask(`/api/session/ses_none${path}`))
      expect([path, refusal]).toMatchObject([path, { status: 404, _tag: "SessionNotFound" }])
    }
    for (const path of ["/interrupt", "/monitor/stop"]) {
      const refusal = await told(ask(`/api/session/ses_none${path}`, { method: "POST" }))
      expect([path, refusal]).toMatchObject([path, { status: 404, _tag: "SessionNotFound" }])
    }
  })

  it.edge("keep the environment that their client sent, without what providers read", async (world) => {
    const environment = {
      PATH: process.env["PATH"]!,
      GREETING: "hello",
      ANTHROPIC_API_KEY: "hidden-key",
      VIGIL_TOKEN: "hidden-token"
    }
    const { directory, send, read } = world
    const body = { directory, rules: allowAll, environment }
    const { id }: any = await told(send("POST", "/api/session", body))
    const command = 'echo "$GREETING $ANTHROPIC_API_KEY $VIGIL_TOKEN"'
    const monitor = await start(world, id, { command })
    await read(`/api/session/${id}/wait?until=quiet`)
    expect((await read(`/api/session/${id}/monitor/${monitor.id}/output`)).output).toBe("hello  \n")
    expect(JSON.stringify(await events(world))).not.toContain("hidden-")
    expect(JSON.stringify(await read(`/api/session/${id}`))).not.toContain("GREETING")
  })
})

describe("a prompt", () => {
  it.edge("is admitted, and answered in a turn that can be waited for", async (world) => {
    const { send, read, session } = world
    const path = `/api/session/${await session()}`
    const input = await told(send("POST", `${path}/prompt`, { text: "Hello" }))
    expect(input).toMatchObject({ status: 200, kind: "prompt", payload: { type: "prompt", text: "Hello" } })
    expect(await read(`${path}/wait?until=idle`)).toEqual({ reached: true })
    const { items } = await read(`${path}/message`)
    expect(items.map(({ message }: any) => message.role)).toEqual(["user", "assistant"])
    expect(items[1].parts).toMatchObject([{ type: "text", text: "Done." }])
    const turns = await read(`${path}/turn`)
    expect(turns.items).toMatchObject([{ outcome: "completed", steps: 1 }])
    expect(await read(path)).toMatchObject({ status: "idle", turn: { id: turns.items[0].id } })
  })

  it.edge("with one id twice is one, and with another text a conflict", async (world) => {
    const { send, session } = world
    const sessionID = await session()
    const prompt = (text: string) =>
      told(send("POST", `/api/session/${sessionID}/prompt`, { id: "inp_1", text }))
    const [first, again] = [await prompt("Hello"), await prompt("Hello")]
    expect(again).toEqual(first)
    expect(await prompt("Other")).toMatchObject({ status: 409, _tag: "InputConflict", inputID: "inp_1" })
    await idle(world, sessionID)
    const admitted = (await events(world)).filter(({ type }) => type === "inbox.admitted")
    expect(admitted).toHaveLength(1)
  })

  it.edge("leaves its messages in pages, forwards and backwards", async (world) => {
    const { send, read, session } = world
    const sessionID = await session()
    const path = `/api/session/${sessionID}/message`
    for (const text of ["a", "b", "c"]) {
      await send("POST", `/api/session/${sessionID}/prompt`, { text })
      await idle(world, sessionID)
    }
    const seqs = (page: any): Array<number> => page.items.map(({ seq }: any) => seq)
    const all = seqs(await read(path))
    expect(all).toHaveLength(6)
    const forward = await read(`${path}?limit=4`)
    expect(seqs(forward)).toEqual(all.slice(0, 4))
    const rest = await read(`${path}?limit=4&after=${forward.next}`)
    expect([seqs(rest), rest.next]).toEqual([all.slice(4), undefined])
    const newest = await read(`${path}?limit=4&before=${all.at(-1)! + 1}`)
    expect(seqs(newest)).toEqual(all.slice(2))
    const older = await read(`${path}?limit=4&before=${newest.next}`)
    expect([seqs(older), older.next]).toEqual([all.slice(0, 2), undefined])
  })

  const interrupted = Promise.withResolvers<void>()
  it.edge(
    "that waits behind a turn can be taken back, and the turn interrupted",
    async (world) => {
      const { send, read, session } = world
      const sessionID = await session()
      const path = `/api/session/${sessionID}`
      await send("POST", `${path}/prompt`, { text: "Begin" })
      await heard(world, "message.created")
      const waiting = await told(send("POST", `${path}/prompt`, { text: "Later", delivery: "queue" }))
      expect((await read(`${path}/inbox`)).items).toMatchObject([{ id: waiting.id }])
      expect(await read(path)).toMatchObject({ status: "running" })
      expect(await read(`${path}/wait?until=idle&timeoutMs=0`)).toEqual({ reached: false })
      expect(await told(send("DELETE", `${path}/inbox/${waiting.id}`))).toMatchObject({ id: waiting.id })
      expect(await told(send("DELETE", `${path}/inbox/${waiting.id}`))).toMatchObject({
        _tag: "InputNotFound"
      })
      expect(await told(send("POST", `${path}/interrupt`))).toMatchObject({ interrupted: true })
      interrupted.resolve()
      expect(await read(`${path}/wait?until=idle`)).toEqual({ reached: true })
      expect((await read(`${path}/turn`)).items).toMatchObject([{ outcome: "interrupted" }])
      expect(await read(`${path}/wait?until=idle&timeoutMs=0`)).toEqual({ reached: true })
      expect(await told(send("POST", `${path}/interrupt`))).toMatchObject({ interrupted: false })
    },
    { script: () => ["Well", hold(interrupted.promise)] }
  )
})

describe("monitors", () => {
  it.edge("are started as the user, once for one id", async (world) => {
    const { send, read, session } = world
    const [sessionID, other] = [await session(), await session()]
    const path = `/api/session/${sessionID}/monitor`
    const draft = { id: "mon_1", command: "sleep 100", description: "watch" }
    const first = await start(world, sessionID, draft)
    expect(first).toMatchObject({ id: "mon_1", status: "running", startedBy: "user" })
    expect((await start(world, sessionID, draft)).pid).toBe(first.pid)
    const conflict = await told(send("POST", path, { ...draft, command: "sleep 99" }))
    expect(conflict).toMatchObject({ status: 409, _tag: "MonitorConflict" })
    expect((await read(path)).items).toHaveLength(1)
    expect(await told(send("POST", path, { ...draft, id: "mon_2", timeoutMs: 5 }))).toMatchObject({
      status: 400,
      _tag: "TimeoutOutOfRange"
    })
    expect((await read("/api/monitor/mon_1")).id).toBe("mon_1")
    const elsewhere = `/api/session/${other}/monitor/mon_1`
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/output"],
      ["POST", "/stop"]
    ] as const) {
      const refusal = await told(send(method, `${elsewhere}${path}`))
      expect([path, refusal]).toMatchObject([
        path,
        { status: 404, _tag: "MonitorNotFound", monitorID: "mon_1" }
      ])
    }
    expect((await read(`${path}/mon_1`)).status).toBe("running")
  })

  it.edge("that a rule denies are not started, though nobody is asked about others", async (world) => {
    const { send, directory } = world
    const rules = [{ action: "shell", pattern: "rm *", effect: "deny" }]
    const { id }: any = await told(send("POST", "/api/session", { directory, rules }))
    const denied = await told(
      send("POST", `/api/session/${id}/monitor`, { command: "rm -rf x", description: "d" })
    )
    expect(denied).toMatchObject({ status: 403, _tag: "PermissionDenied" })
    expect((await start(world, id)).status).toBe("running")
  })

  it.edge("show their output in pages, whole characters each", async (world) => {
    const { read, session } = world
    const sessionID = await session()
    const { id } = await start(world, sessionID, { command: "printf 'añb€c'" })
    await read(`/api/session/${sessionID}/wait?until=quiet`)
    const path = `/api/session/${sessionID}/monitor/${id}/output`
    const newest = await read(path)
    expect(newest).toEqual({ output: "añb€c", cursor: 8, start: 0, size: 8, truncated: false, ended: true })
    const first = await read(`${path}?cursor=0&limit=6`)
    expect([first.output, first.cursor]).toEqual(["añb", 4])
    expect((await read(`${path}?cursor=${first.cursor}`)).output).toBe("€c")
    expect(await read(`${path}?cursor=999999999999999`)).toMatchObject({ output: "" })
  })

  it.edge("are all stopped at once, and listed by what they are", async (world) => {
    const { send, read, session } = world
    const [sessionID, other] = [await session(), await session()]
    const [one, two] = [await start(world, sessionID), await start(world, sessionID)]
    const left = await start(world, other)
    expect(await read(`/api/session/${sessionID}/wait?until=quiet&timeoutMs=0`)).toEqual({ reached: false })
    const stopped = await told(send("POST", `/api/session/${sessionID}/monitor/stop`))
    expect(stopped.items.map(({ id }: Monitor) => id).toSorted()).toEqual([one.id, two.id].toSorted())
    expect(stopped.items).toMatchObject([{ reason: "cancelled" }, { reason: "cancelled" }])
    expect((await read("/api/monitor?status=running")).items).toMatchObject([{ id: left.id }])
    expect((await read("/api/monitor?status=ended")).items).toHaveLength(2)
    expect(await read(`/api/session/${sessionID}/wait?until=quiet&timeoutMs=0`)).toEqual({ reached: true })
    expect((await told(send("POST", `/api/session/${sessionID}/monitor/stop`))).items).toEqual([])
  })

  it.edge("that two clients stop at once, fifty times, tell both the same and end once", async (world) => {
    const { send, session } = world
    const sessionID = await session()
    for (let round = 0; round < 50; round++) {
      const { id } = await start(world, sessionID, { command: "sleep 100" })
      const stop = () => told(send("POST", `/api/session/${sessionID}/monitor/${id}/stop`))
      const [one, other] = await Promise.all([stop(), stop()])
      expect(one).toMatchObject({ id, status: "ended", reason: "cancelled" })
      expect(other).toEqual(one)
      // Those kept are counted, and the oldest of them forgotten.
      if (round === 0) expect(await stop()).toEqual(one)
    }
    const ended = (await events(world)).filter(({ type }) => type === "monitor.ended")
    expect(ended).toHaveLength(50)
  })
})

describe("shells", () => {
  const script: Script = (_, { number }) =>
    number === 1
      ? call("shell", { command: "echo hi; echo > printed; sleep 100", background: true })
      : "Done."
  it.edge(
    "in the background are listed, read and stopped as the user",
    async (world) => {
      const { send, read, session, directory } = world
      const printed = join(directory, "printed")
      expect(Bun.spawnSync(["mkfifo", printed]).success).toBe(true)
      const [sessionID, other] = [await session(), await session()]
      await send("POST", `/api/session/${sessionID}/prompt`, { text: "Go" })
      await idle(world, sessionID)
      const { items } = await read(`/api/session/${sessionID}/shell`)
      expect(items).toMatchObject([{ status: "running", background: true }])
      const { id } = items[0]
      // Until the command has opened its other end.
      await readFile(printed)
      expect((await read("/api/shell?status=running")).items).toMatchObject([{ id }])
      expect((await read("/api/shell?status=ended")).items).toEqual([])
      expect((await read(`/api/shell/${id}`)).sessionID).toBe(sessionID)
      expect((await read(`/api/session/${sessionID}`)).status).toBe("watching")
      for (const path of ["", "/output"]) {
        const refusal = await told(send("GET", `/api/session/${other}/shell/${id}${path}`))
        expect(refusal).toMatchObject({ status: 404, _tag: "ShellNotFound", shellID: id })
      }
      const stop = () => told(send("POST", `/api/session/${sessionID}/shell/${id}/stop`))
      const [one, two] = await Promise.all([stop(), stop()])
      expect(one).toMatchObject({ id, status: "ended", reason: "cancelled" })
      expect(two).toEqual(one)
      expect(await read(`/api/session/${sessionID}/shell/${id}/output`)).toMatchObject({
        output: "hi\n",
        ended: true
      })
      expect((await read(`/api/session/${sessionID}/shell/${id}`)).status).toBe("ended")
    },
    { script }
  )

  it.edge(
    "in the foreground are moved to the background, and their turn goes on",
    async (world) => {
      const { send, read, session } = world
      const sessionID = await session()
      await send("POST", `/api/session/${sessionID}/prompt`, { text: "Go" })
      await heard(world, "shell.started")
      const [{ id }] = (await read(`/api/session/${sessionID}/shell`)).items
      const moved = await told(send("POST", `/api/session/${sessionID}/shell/${id}/background`))
      expect(moved).toMatchObject({ id, background: true, status: "running" })
      await idle(world, sessionID)
      expect((await read(`/api/session/${sessionID}/turn`)).items).toMatchObject([{ outcome: "completed" }])
    },
    { script: (_, { number }) => (number === 1 ? call("shell", { command: "sleep 100" }) : "Done.") }
  )
})

describe("permission", () => {
  const asks: Script = (_, { number }) => (number === 1 ? call("shell", { command: "touch made" }) : "Done.")

  it.edge(
    "is asked for, answered once, and remembered where that was said",
    async (world) => {
      const { send, read, session, directory } = world
      const sessionID = await session([])
      await send("POST", `/api/session/${sessionID}/prompt`, { text: "Go" })
      await heard(world, "permission.asked")
      const { items } = await read(`/api/permission?session=${sessionID}`)
      expect(items).toMatchObject([{ sessionID, title: "touch made" }])
      expect((await read("/api/permission?session=ses_none")).items).toEqual([])
      expect((await read(`/api/session/${sessionID}`)).status).toBe("asking")
      const reply = (reply: string) => told(send("POST", `/api/permission/${items[0].id}/reply`, { reply }))
      expect(await reply("always")).toEqual({ status: 200, askID: items[0].id, answer: "always" })
      expect(await reply("always")).toMatchObject({ status: 200, answer: "always" })
      expect(await reply("reject")).toMatchObject({ status: 409, _tag: "AskAnswered", answer: "always" })
      expect(await told(send("POST", "/api/permission/ask_none/reply", { reply: "once" }))).toMatchObject({
        status: 404,
        _tag: "AskNotFound"
      })
      await idle(world, sessionID)
      expect(existsSync(join(directory, "made"))).toBe(true)

      const saved = `/api/permission/saved?directory=${encodeURIComponent(directory)}`
      const [allow, ...others] = (await read(saved)).items
      expect([allow.action, others]).toEqual(["shell", []])
      expect(await told(send("DELETE", `${saved}&action=shell`))).toMatchObject({
        status: 400,
        field: "query.pattern"
      })
      expect(await told(send("DELETE", `${saved}&pattern=x`))).toMatchObject({
        status: 400,
        field: "query.action"
      })
      expect((await told(send("DELETE", `${saved}&action=shell&pattern=other`))).items).toEqual([allow])
      const one = `${saved}&action=shell&pattern=${encodeURIComponent(allow.pattern)}`
      expect((await told(send("DELETE", one))).items).toEqual([])
      expect((await told(send("DELETE", saved))).items).toEqual([])
    },
    { script: asks }
  )

  it.edge(
    "of a session that is deleted meanwhile is given to nobody: nothing is spawned",
    async (world) => {
      const { send, read, session, directory } = world
      const sessionID = await session([])
      await send("POST", `/api/session/${sessionID}/prompt`, { text: "Go" })
      await heard(world, "permission.asked")
      const [{ id }] = (await read("/api/permission")).items
      expect((await send("DELETE", `/api/session/${sessionID}`)).status).toBe(204)
      expect((await read("/api/permission")).items).toEqual([])
      const late = await told(send("POST", `/api/permission/${id}/reply`, { reply: "once" }))
      expect(["AskNotFound", "AskAnswered"]).toContain(late._tag)
      expect((await read("/api/shell")).items).toEqual([])
      expect((await events(world)).filter(({ type }) => type === "shell.started")).toEqual([])
      expect(existsSync(join(directory, "made"))).toBe(false)
    },
    { script: asks }
  )
})

describe("trust", () => {
  it.edge("is given to a text, listed and taken back", async ({ send, read, directory }) => {
    const link = `${directory}-link`
    symlinkSync(directory, link)
    const text = '{ "permission": [] }'
    const trusted = await told(send("POST", "/api/trust", { directory: link, text }))
    expect(trusted).toMatchObject({ status: 200, directory })
    expect((await read("/api/trust")).items).toMatchObject([{ directory, digest: trusted.digest }])
    const revoke = () => told(send("DELETE", `/api/trust?directory=${encodeURIComponent(directory)}`))
    expect(await revoke()).toEqual({ status: 200, revoked: true })
    expect(await revoke()).toEqual({ status: 200, revoked: false })
    expect((await read("/api/trust")).items).toEqual([])
  })
})

describe("settings", () => {
  const providers = {
    local: {
      baseUrl: "http://hidden-user:hidden-pass@127.0.0.1:1/v1?key=hidden-query",
      apiKey: "hidden-key"
    },
    mine: { format: "openai-compatible" }
  }
  it.edge(
    "and models are told without keys and passwords",
    async ({ read, configFile, logged }) => {
      const { config, origins } = await read("/api/config")
      expect(config.providers.local).toEqual({ baseUrl: "http://…@127.0.0.1:1/v1?…", apiKey: "…" })
      expect(config.model).toBe("anthropic/scripted")
      expect(origins["model"]).toBe(configFile)
      const models = await read("/api/model?remote=true")
      expect(models).toMatchObject({ default: "anthropic/scripted", defaultFrom: configFile })
      const of = (name: string) => models.providers.find(({ provider }: any) => provider === name)
      expect(of("anthropic")).toMatchObject({ usable: true, default: true, keyFrom: "ANTHROPIC_API_KEY" })
      expect(of("openai")).toMatchObject({ usable: false, default: false })
      expect(of("openai").missing).toContain("OPENAI_API_KEY")
      expect(of("mine").missing).toContain("providers.mine.baseUrl")
      expect(of("local")).toMatchObject({
        usable: true,
        keyFrom: "config",
        baseUrl: "http://…@127.0.0.1:1/v1?…"
      })
      expect(of("local").failed).toBeString()
      for (const text of [JSON.stringify([config, models]), logged.join("\n")])
        expect(text).not.toContain("hidden-")
    },
    { config: { providers } }
  )

  it.edge("of a project count where it is named", async ({ read, ask, directory }) => {
    const file = join(directory, "vigil.json")
    const path = `/api/config?directory=${encodeURIComponent(directory)}`
    writeFileSync(file, JSON.stringify({ monitor: { maxActive: 2 } }))
    const { config, origins } = await read(path)
    expect([config.monitor.maxActive, origins["monitor.maxActive"]]).toEqual([2, file])
    expect((await read("/api/config")).config.monitor.maxActive).toBe(4)
    writeFileSync(file, "{ oops")
    expect(await told(ask(path))).toMatchObject({ status: 422, _tag: "ConfigInvalid", file })
    const named = `/api/model?directory=${encodeURIComponent(directory)}`
    expect(await told(ask(named))).toMatchObject({ status: 422, _tag: "ConfigInvalid", file })
    mkdirSync(join(directory, "deep"))
    expect((await ask(`/api/config?directory=${encodeURIComponent(`${directory}/deep`)}`)).status).toBe(200)
  })
})
