/** Starting a monitor: in which order, what is in its way, and what is left of a start that failed. */
import { Database as Sqlite } from "bun:sqlite"
import { expect } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { MonitorId, type TooManyMonitors } from "@vigil/schema/monitor"
import type { Session } from "@vigil/schema/session"
import { Deferred, Effect, Fiber } from "effect"
import { Database } from "../src/database.ts"
import { Jobs } from "../src/job.ts"
import { Monitors } from "../src/monitor.ts"
import { Permissions } from "../src/permission.ts"
import { Sessions } from "../src/session.ts"
import { StateDirectory } from "../src/state.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import {
  current,
  Faults,
  newSession,
  pass,
  readAll,
  settle,
  start,
  started,
  story,
  tagOf,
  told,
  until,
  waiting,
  watching
} from "./lib/watching.ts"

const it = watching()
const id = MonitorId.make("mon_chosen")
const deny = { action: "shell", pattern: "rm *", effect: "deny" } as const

/** Nothing of a start is left: no record, no event, no process, no folder, no ask, no place. */
const nothingLeft = Effect.fnUntraced(function* (session: Session) {
  const state = yield* StateDirectory
  const { processes } = yield* FakeShell
  expect(yield* (yield* Monitors).list(session.id)).toEqual([])
  expect(yield* story).toEqual([])
  expect(processes.map(({ opened, closed }) => ({ opened, closed }))).toEqual(
    processes.map(() => ({ opened: false, closed: true }))
  )
  const folder = join(state.folder(session.id, "x"), "..")
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  expect(yield* (yield* Permissions).pending()).toEqual([])
  expect(yield* (yield* Jobs).active(session.id)).toEqual([])
})

/** Starts in the background; returns once it asks for permission. */
const asking = Effect.fnUntraced(function* (session: Session, command = "watch") {
  const fiber = yield* Effect.forkScoped(start(session, { command }))
  const { data } = yield* until("permission.asked", (event) => event.data.ask.title === command)
  return { fiber, ask: data.ask }
})

it.effect(
  "a monitor is told as it begins, by its record",
  Effect.gen(function* () {
    const { session, monitor, process } = yield* started({ command: "tail -f x", timeoutMs: 60_000 })
    expect(monitor).toMatchObject({
      sessionID: session.id,
      shellID: monitor.id.replace("mon_", "sh_"),
      source: { type: "command", command: "tail -f x" },
      description: "news",
      delivery: "steer",
      startedBy: "agent",
      pid: process.pid,
      status: "running",
      expiresAt: monitor.startedAt + 60_000
    })
    expect((yield* until("monitor.started")).data.monitor).toEqual(monitor)
    expect(yield* current(monitor)).toEqual(monitor)
    expect(process).toMatchObject({ command: "tail -f x", cwd: session.directory, opened: true })
  })
)

it.effect(
  "the gate opens once the record is stored, not before",
  Effect.gen(function* () {
    const { behaviour } = yield* FakeShell
    const { path } = yield* StateDirectory
    let stored: ReadonlyArray<unknown> = []
    behaviour.onOpen = () => {
      const outside = new Sqlite(join(path, "vigil.db"), { readonly: true })
      stored = outside.query("SELECT key FROM kv WHERE key LIKE 'monitor/%'").values().flat()
      outside.close()
    }
    const { session, monitor } = yield* started()
    expect(stored).toEqual([`monitor/${session.id}/${monitor.id}`])
  })
)

it.effect(
  "its place is taken before anybody is asked, and a fifth is refused with the names of those that have one",
  Effect.gen(function* () {
    const session = yield* newSession([])
    const asks = yield* Effect.forEach(["a", "b", "c", "d"], (command) => asking(session, command))
    const refused = (yield* Effect.flip(start(session, { command: "e" }))) as TooManyMonitors
    expect(refused).toMatchObject({ _tag: "TooManyMonitors", scope: "session", limit: 4 })
    expect(refused.active.map(({ description }) => description)).toEqual([
      "news",
      "news (2)",
      "news (3)",
      "news (4)"
    ])
    for (const { id, description } of refused.active)
      expect(refused.message).toContain(`${id} '${description}'`)
    expect((yield* FakeShell).processes).toEqual([])

    // Given back by a rejection, and taken by the next.
    const permissions = yield* Permissions
    yield* permissions.reply(asks[1]!.ask.id, { reply: "reject", reason: "not this one" })
    expect(yield* tagOf(Fiber.join(asks[1]!.fiber))).toBe("PermissionDenied")
    const fifth = yield* asking(session, "f")
    yield* permissions.reply(fifth.ask.id, { reply: "once" })
    expect(yield* Fiber.join(fifth.fiber)).toMatchObject({ description: "news (2)", status: "running" })
  })
)

it.effect(
  "of five starts at once exactly one fails",
  Effect.gen(function* () {
    const session = yield* newSession()
    const tags = yield* Effect.forEach([1, 2, 3, 4, 5], () => tagOf(start(session)), {
      concurrency: "unbounded"
    })
    expect(tags.toSorted()).toEqual(["TooManyMonitors", "none", "none", "none", "none"])
    const all = yield* (yield* Monitors).active(session.id)
    expect(all.map(({ description }) => description)).toEqual(["news", "news (2)", "news (3)", "news (4)"])
  })
)

it.effect(
  "a description is free again once its monitor has ended",
  Effect.gen(function* () {
    const { session, process } = yield* started()
    expect((yield* start(session)).description).toBe("news (2)")
    process.exit()
    yield* settle
    expect((yield* start(session)).description).toBe("news")
    expect((yield* start(yield* newSession())).description).toBe("news")
  })
)

it.effect(
  "a rejected one leaves nothing",
  Effect.gen(function* () {
    const session = yield* newSession([])
    const { fiber, ask } = yield* asking(session)
    yield* (yield* Permissions).reply(ask.id, { reply: "reject" })
    expect(yield* tagOf(Fiber.join(fiber))).toBe("TurnRejected")
    yield* nothingLeft(session)
  })
)

it.effect(
  "one that is interrupted while it asks leaves nothing, and its ask is withdrawn",
  Effect.gen(function* () {
    const session = yield* newSession([])
    const { fiber } = yield* asking(session)
    yield* Fiber.interrupt(fiber)
    expect((yield* until("permission.replied")).data).toMatchObject({ answer: "withdrawn" })
    yield* nothingLeft(session)
  })
)

it.effect(
  "one that is interrupted while its process is spawned leaves nothing",
  Effect.gen(function* () {
    const session = yield* newSession()
    const { behaviour } = yield* FakeShell
    const reached = yield* Deferred.make<void>()
    behaviour.spawning = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    const fiber = yield* Effect.forkScoped(start(session))
    yield* Deferred.await(reached)
    yield* Fiber.interrupt(fiber)
    yield* nothingLeft(session)
  })
)

it.effect(
  "one that is interrupted while its record waits to be written leaves nothing",
  Effect.gen(function* () {
    const session = yield* newSession()
    const { transaction } = yield* Database
    const { next } = yield* FakeShell
    const busy = yield* Deferred.make<void>()
    yield* Effect.forkScoped(transaction(Deferred.await(busy)))
    const fiber = yield* Effect.forkScoped(start(session))
    yield* next
    yield* settle
    const interrupted = yield* Effect.forkScoped(Fiber.interrupt(fiber))
    yield* settle
    yield* Deferred.succeed(busy, undefined)
    yield* Fiber.join(interrupted)
    yield* nothingLeft(session)
  })
)

it.effect(
  "once its record is stored it lives, whatever becomes of the call",
  Effect.gen(function* () {
    const session = yield* newSession()
    const { behaviour, processes } = yield* FakeShell
    const call: { fiber?: Fiber.Fiber<unknown, unknown> } = {}
    behaviour.onOpen = () => call.fiber!.interruptUnsafe()
    call.fiber = yield* Effect.forkScoped(start(session))
    yield* Fiber.await(call.fiber)
    expect(yield* (yield* Monitors).active(session.id)).toHaveLength(1)
    processes[0]!.print("still here\n")
    yield* pass(200)
    expect(yield* waiting(session)).toEqual(["still here"])
  })
)

it.effect(
  "a command that can't be started leaves nothing, and says why",
  Effect.gen(function* () {
    const session = yield* newSession()
    ;(yield* FakeShell).behaviour.spawning = FakeShell.refusal("The directory is gone")
    expect(yield* Effect.flip(start(session))).toMatchObject({
      _tag: "StartFailed",
      message: "The directory is gone"
    })
    yield* nothingLeft(session)
  })
)

it.effect(
  "one whose record can't be written leaves nothing",
  Effect.gen(function* () {
    const session = yield* newSession()
    const faults = yield* Faults
    faults.failsOn = /INSERT INTO kv/
    expect(yield* tagOf(start(session))).toBe("defect")
    faults.failsOn = undefined
    yield* nothingLeft(session)
  })
)

it.effect(
  "one whose session goes meanwhile leaves nothing",
  Effect.gen(function* () {
    const session = yield* newSession()
    const sessions = yield* Sessions
    ;(yield* FakeShell).behaviour.spawning = Effect.ignore(sessions.remove(session.id))
    expect(yield* tagOf(start(session))).toBe("SessionNotFound")
    yield* nothingLeft(session)
    expect(yield* tagOf(start(session))).toBe("SessionNotFound")
  })
)

it.effect(
  "a deadline out of range is an error that states the range",
  Effect.gen(function* () {
    const session = yield* newSession()
    for (const timeoutMs of [999, 1_800_001, 0, -1]) {
      const error = yield* Effect.flip(start(session, { timeoutMs }))
      expect(error).toMatchObject({ _tag: "TimeoutOutOfRange", timeoutMs, min: 1_000, max: 1_800_000 })
      expect(error.message).toContain("from 1000 to 1800000")
    }
    yield* nothingLeft(session)
    for (const timeoutMs of [1_000, 1_800_000]) {
      const { startedAt, expiresAt } = yield* start(session, { timeoutMs })
      expect(expiresAt - startedAt).toBe(timeoutMs)
    }
    const { startedAt, expiresAt } = yield* start(session)
    expect(expiresAt - startedAt).toBe(300_000)
  })
)

it.effect(
  "started by a user it asks nobody, what is denied stays denied, and it counts among the four",
  Effect.gen(function* () {
    const session = yield* newSession([deny])
    const byUser = { startedBy: "user" } as const
    expect(yield* tagOf(start(session, { ...byUser, command: "rm -r x" }))).toBe("PermissionDenied")
    for (let count = 1; count <= 4; count++) {
      expect(yield* start(session, { ...byUser, command: "make" })).toMatchObject(byUser)
    }
    expect((yield* told).map(({ type }) => type)).not.toContain("permission.asked")
    expect(yield* tagOf(start(session, { ...byUser, command: "make" }))).toBe("TooManyMonitors")
    expect(yield* tagOf(start(session, { command: "make" }))).toBe("TooManyMonitors")
  })
)

it.effect(
  "the same id twice is one monitor, also at once and after its end",
  Effect.gen(function* () {
    const session = yield* newSession()
    const shell = yield* FakeShell
    shell.behaviour.spawning = settle
    const [first, second] = yield* Effect.all([start(session, { id }), start(session, { id })], {
      concurrency: "unbounded"
    })
    expect(second).toEqual(first)
    const { processes } = shell
    processes[0]!.exit()
    yield* settle
    expect(yield* start(session, { id })).toMatchObject({ id, status: "ended" })
    expect(processes).toHaveLength(1)
    expect(yield* story).toEqual(["started", "ended"])
  })
)

it.effect(
  "an id is not taken for another command, nor in another session",
  Effect.gen(function* () {
    const session = yield* newSession()
    const other = yield* newSession()
    yield* start(session, { id })
    expect(yield* tagOf(start(session, { id, command: "else" }))).toBe("MonitorConflict")
    expect(yield* tagOf(start(other, { id }))).toBe("MonitorConflict")
    const { processes } = yield* FakeShell
    processes[0]!.exit()
    yield* settle
    expect(yield* tagOf(start(other, { id }))).toBe("MonitorConflict")
    expect(processes).toHaveLength(1)
  })
)

it.effect(
  "an id that failed to start can be used again",
  Effect.gen(function* () {
    const session = yield* newSession([])
    const byUser = { id, startedBy: "user" } as const
    const { behaviour } = yield* FakeShell
    behaviour.spawning = FakeShell.refusal("no room")
    expect(yield* tagOf(start(session, byUser))).toBe("StartFailed")
    delete behaviour.spawning
    expect(yield* start(session, byUser)).toMatchObject({ id, status: "running" })
  })
)

const few = watching({ monitor: { maxActiveTotal: 2, maxActive: 2, keepEnded: 0, maxTimeoutMs: 5_000 } })

few.effect(
  "a server has a bound as well, and says so",
  Effect.gen(function* () {
    yield* start(yield* newSession())
    yield* start(yield* newSession())
    const third = yield* newSession()
    const error = yield* Effect.flip(start(third))
    expect(error).toMatchObject({ _tag: "TooManyMonitors", scope: "server", limit: 2, active: [] })
    expect(error.message).toContain("This server has 2 active monitors")
    const { processes } = yield* FakeShell
    processes[0]!.exit()
    yield* settle
    expect(yield* start(third)).toMatchObject({ status: "running" })
  })
)

few.effect(
  "the bound of a session and the longest deadline can be set",
  Effect.gen(function* () {
    const session = yield* newSession()
    const { startedAt, expiresAt } = yield* start(session)
    expect(expiresAt - startedAt).toBe(5_000)
    expect((yield* Effect.flip(start(session, { timeoutMs: 5_001 }))).message).toContain("to 5000")
    yield* start(session)
    expect(yield* Effect.flip(start(session))).toMatchObject({ scope: "session", limit: 2 })
  })
)

few.effect(
  "an id whose monitor is forgotten is not given to another",
  Effect.gen(function* () {
    const session = yield* newSession()
    yield* start(session, { id })
    const { processes } = yield* FakeShell
    processes[0]!.exit()
    yield* settle
    yield* readAll(session)
    yield* start(session)
    processes[1]!.exit()
    yield* until("monitor.removed")
    expect(yield* tagOf(start(session, { id }))).toBe("MonitorConflict")
  })
)

/** Variables of the server, put back with the scope. */
const serverVariables = (variables: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = { ...process.env }
      Object.assign(process.env, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const name of Object.keys(variables)) {
          if (before[name] === undefined) delete process.env[name]
          else process.env[name] = before[name]
        }
      })
  )

const passing = watching({ shell: { passEnv: ["OPENAI_API_KEY", "VIGIL_COLOUR"] } })

passing.effect(
  "a command sees its session and itself, no key, nothing of Vigil's, and what is let through",
  Effect.gen(function* () {
    yield* serverVariables({
      ANTHROPIC_API_KEY: "secret",
      OPENAI_API_KEY: "let through",
      VIGIL_PASSWORD: "secret",
      VIGIL_COLOUR: "let through",
      VIGIL_SESSION_ID: "ses_outer",
      PLAIN: "plain"
    })
    const { session, monitor, process } = yield* started()
    expect(process.env).toMatchObject({
      PLAIN: "plain",
      OPENAI_API_KEY: "let through",
      VIGIL_COLOUR: "let through",
      VIGIL_SESSION_ID: session.id,
      VIGIL_MONITOR_ID: monitor.id
    })
    expect(process.env).not.toHaveProperty("ANTHROPIC_API_KEY")
    expect(process.env).not.toHaveProperty("VIGIL_PASSWORD")
  })
)
