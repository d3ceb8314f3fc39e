import { DatabaseUnusable } from "@vigil/core/database"
import { StateDirectoryOwned } from "@vigil/core/database/owner"
import { live } from "@vigil/core/live"
import { Monitors } from "@vigil/core/monitor"
import { describe, expect, test } from "bun:test"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeEdge } from "../src/app.ts"
import { maxBodyBytes } from "../src/body.ts"
import { Feed } from "../src/feed.ts"
import { changed, it, makeEdgeWorld, origin, providerKey, token } from "./lib/edge.ts"
import { temporaryFolder } from "./lib/folder.ts"

const bad = async (response: Response | Promise<Response>) => {
  const { message, ...facts } = await (await response).json()
  expect(message).toBeString()
  return { status: (await response).status, ...facts }
}

describe("a request that does not fit", () => {
  it.edge("is told which field, and what it should be, never what it was", async ({ ask, send, session }) => {
    const sessionID = await session()
    const output = `/api/session/${sessionID}/monitor/mon_1/output`
    expect(await bad(ask(`${output}?limit=70000`))).toEqual({
      status: 400,
      _tag: "BadRequest",
      field: "query.limit",
      expected: "a whole number from 4 to 65536"
    })
    for (const sent of ["secret", "1.5", "0x10", "-4", "", "NaN", "1e3", "%F0%9F", "4&limit=5"]) {
      const refusal = await bad(ask(`${output}?limit=${sent}`))
      expect([sent, refusal]).toMatchObject([sent, { status: 400, field: "query.limit" }])
      expect(JSON.stringify(refusal)).not.toContain("secret")
    }
    const monitor = { command: "true", description: "d", timeoutMs: "secret" }
    const refusal = await bad(send("POST", `/api/session/${sessionID}/monitor`, monitor))
    expect(refusal).toMatchObject({ status: 400, field: "body.timeoutMs" })
    expect(JSON.stringify(refusal)).not.toContain("secret")
  })

  it.edge(
    "with a name that is not known is refused: it is a typing error",
    async ({ ask, send, directory }) => {
      expect(await bad(ask("/api/monitor?statsu=ended"))).toMatchObject({
        status: 400,
        field: "query.statsu"
      })
      expect(await bad(send("POST", "/api/session", { directory, titel: "x" }))).toMatchObject({
        status: 400,
        field: "body.titel"
      })
      expect((await ask("/api/session")).status).toBe(200)
    }
  )

  it.edge("is told of a body that is none", async ({ ask, send, directory }) => {
    const json = { "content-type": "application/json" }
    const post = (body: BodyInit | null, headers: Record<string, string> = json) =>
      bad(ask("/api/session", { method: "POST", body, headers }))
    const field = "body"
    expect(await post(null)).toMatchObject({ status: 400, field })
    expect(await post(null, { "content-type": "text/plain" })).toMatchObject({ status: 400, field })
    expect(await post("[]")).toMatchObject({ status: 400, field })
    expect(await post("{")).toMatchObject({ status: 400, field, expected: "JSON" })
    expect(await post(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({ field, expected: "text in UTF-8" })
    expect(await post(`{"directory":"/","directory":"/tmp"}`)).toMatchObject({ status: 400, field })
    expect(await post(`directory=${directory}`, {})).toMatchObject({ field: "header.content-type" })
    expect((await send("POST", "/api/session", { directory })).status).toBe(200)
  })

  it.edge("past 8 MiB is refused, with and without a declared length", async ({ ask }) => {
    const large = new Uint8Array(maxBodyBytes + 1)
    const chunked = () => new ReadableStream({ start: (c) => (c.enqueue(large), c.close()) })
    for (const body of [() => large, chunked]) {
      for (const path of ["/api/session", "/api/nothing"]) {
        const refusal = await bad(ask(path, { method: "POST", body: body() }))
        expect(refusal).toEqual({ status: 413, _tag: "BodyTooLarge", maxBytes: maxBodyBytes })
      }
    }
  })

  it.edge("never leaves the folder of its session by an id", async ({ ask }) => {
    const ids = [
      "..%2Fsecret",
      "ses_..%2f..%2fetc",
      "ses_%00",
      "ses_1%00",
      "%2e%2e%2fses_1",
      "ses_1%2F",
      "ses_A",
      "ses_"
    ]
    for (const id of ids) {
      for (const path of [`/api/session/${id}`, `/api/session/ses_1/monitor/${id}/output`]) {
        const refusal = await bad(ask(path))
        expect([path, refusal]).toMatchObject([path, { status: 400, _tag: "BadRequest" }])
        expect(refusal.field).toBe(path.includes("monitor") ? "path.monitorID" : "path.sessionID")
      }
    }
    for (const path of ["/api/session/../../etc/passwd", "/api/session/%ff", "/api/session/%zz"]) {
      const refusal = await bad(ask(path))
      expect([path, refusal]).toMatchObject([path, { status: 404, _tag: "RouteNotFound" }])
    }
  })

  it.edge("finds no route, in words", async ({ ask }) => {
    for (const [method, path] of [
      ["GET", "/api/nothing"],
      ["PUT", "/api/session"],
      ["DELETE", "/api/health"]
    ]) {
      const refusal = await bad(ask(path!, { method: method! }))
      expect([path, refusal]).toEqual([path, { status: 404, _tag: "RouteNotFound" }])
    }
  })

  it.edge("is refused alike by the feed", async ({ ask }) => {
    for (const id of ["-1", "1.5", "secret", ""]) {
      const refusal = await bad(ask("/api/event", { headers: { "last-event-id": id } }))
      expect([id, refusal]).toMatchObject([id, { status: 400, field: "header.last-event-id" }])
      expect(await bad(ask(`/api/event?after=${id}`))).toMatchObject({ status: 400, field: "query.after" })
    }
    expect(await bad(ask("/api/event?session=..%2f"))).toMatchObject({ status: 400, field: "query.session" })
    expect(await bad(ask("/api/event?sessionID=ses_1"))).toMatchObject({ status: 400 })
  })
})

describe("a fault of the server", () => {
  const listing = (list: () => Effect.Effect<any>) => ({
    services: changed(Monitors, (monitors) => ({ ...monitors, list }))
  })
  const misfit = { id: "mon_1", sessionID: "ses_1", command: "hidden-fact", startedAt: 1.5 }

  for (const [what, list] of [
    ["a defect", () => Effect.die(new Error("hidden-fact"))],
    ["an answer that the contract does not know", () => Effect.succeed([misfit])]
  ] as const) {
    it.edge(
      `that is ${what} shows an id and nothing else; the log has the rest`,
      async ({ ask, session, logged }) => {
        const response = await ask(`/api/session/${await session()}/monitor`)
        const body: any = await response.json()
        expect(response.status).toBe(500)
        expect(Object.keys(body).toSorted()).toEqual(["_tag", "errorID", "message"])
        expect(JSON.stringify(body)).not.toContain("hidden-fact")
        const line = logged.find((line) => line.includes(body.errorID))
        expect(line).toContain(response.headers.get("x-request-id")!)
        if (what === "a defect") expect(line).toContain("hidden-fact")
      },
      listing(list)
    )
  }
})

describe("the edge", () => {
  let builds = 0
  it.edge(
    "builds each service once, before it answers",
    async ({ ask, session }) => {
      expect(builds).toBe(1)
      await session()
      expect((await (await ask("/api/session")).json()).items).toHaveLength(1)
      await (await ask("/api/event")).body!.cancel()
      expect(builds).toBe(1)
    },
    { services: (real) => Layer.provideMerge(Layer.effectDiscard(Effect.sync(() => void builds++)), real) }
  )

  it.edge(
    "gives each answer an id, and headers that keep browsers from making use of it",
    async ({ ask }) => {
      const ids = new Set<string | null>()
      const unknown = { headers: { authorization: "" } }
      const stranger = { headers: { host: "evil.test" } }
      const answers = [
        await ask("/api/health"),
        await ask("/api/session"),
        await ask("/api/nothing"),
        await ask("/api/session", unknown),
        await ask("/api/session", stranger),
        await ask("/api/session", { method: "OPTIONS", headers: { origin } })
      ]
      for (const { headers } of answers) {
        ids.add(headers.get("x-request-id"))
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("content-security-policy")).toContain("default-src 'none'")
        expect(headers.get("cache-control")).toBe("no-store")
        expect(headers.get("referrer-policy")).toBe("no-referrer")
      }
      expect(ids.size).toBe(answers.length)
      expect([...ids].every((id) => /^req_[\w-]{36}$/u.test(id ?? ""))).toBe(true)
    }
  )

  it.edge("answers HEAD as GET, without a body and without opening a feed", async ({ ask, edge }) => {
    const head = await ask("/api/session", { method: "HEAD" })
    expect([head.status, head.headers.get("vigil-seq"), await head.text()]).toEqual([200, "0", ""])
    const feed = await ask("/api/event", { method: "HEAD" })
    expect([feed.status, feed.headers.get("content-type"), await feed.text()]).toEqual([
      200,
      "text/event-stream",
      ""
    ])
    expect(await Effect.runPromise(edge.attendance.present)).toBe(0)
  })

  it.edge(
    "writes a line for each request, with nothing secret in it",
    async ({ ask, send, session, logged }) => {
      const sessionID = await session()
      const { ticket }: any = await (await send("POST", "/api/ticket")).json()
      const feed = await ask(`/api/event?ticket=${ticket}`, { headers: { authorization: "" } })
      await feed.body!.cancel()
      await send("POST", `/api/session/${sessionID}/prompt`, { text: "hidden-prompt" })
      await ask(`/api/session/${sessionID}/wait?until=idle`)
      await ask("/api/session?after=hidden-query")
      await ask("/api/session", { headers: { authorization: "Bearer hidden-token" } })
      await ask("/api/model?remote=true")
      const text = logged.join("\n")
      const line = logged.find((line) => line.includes(feed.headers.get("x-request-id")!))
      expect(line).toMatch(/message="GET \/api\/event 200 [\d.]+ ms" requestID=req_/u)
      expect(text).toMatch(/POST \/api\/session\/ses_\w+\/prompt 200 /u)
      expect(text).toMatch(/GET \/api\/session 400 /u)
      expect(text).toMatch(/GET \/api\/session 401 /u)
      for (const secret of [token, ticket, providerKey, "hidden-"]) expect(text).not.toContain(secret)
    }
  )

  it.edge(
    "counts who is there: requests while they are answered, and feeds until they are left",
    async (world) => {
      const { ask, edge, session } = world
      const present = () => Effect.runPromise(edge.attendance.present)
      await ask("/api/session", { headers: { authorization: "" } })
      const one = (await ask("/api/event")).body!
      expect(await present()).toBe(1)
      const other = (await ask("/api/event")).body!
      const running = await world.send("POST", `/api/session/${await session()}/monitor`, {
        command: "sleep 100",
        description: "d"
      })
      const { sessionID }: any = await running.json()
      const arrival = Effect.runPromise(edge.attendance.arrival)
      const waiting = ask(`/api/session/${sessionID}/wait?until=quiet`)
      await arrival
      expect(await present()).toBe(3)
      await world.send("POST", `/api/session/${sessionID}/monitor/stop`)
      await waiting
      await one.cancel()
      await other.cancel()
      await Effect.runPromise(edge.attendance.alone)
    }
  )
})

describe("an edge that closes", () => {
  it.edge(
    "refuses what is new, breaks off who waits, and ends feeds last",
    async ({ ask, edge, session, send }) => {
      const sessionID = await session()
      await send("POST", `/api/session/${sessionID}/monitor`, { command: "sleep 100", description: "d" })
      const feed = new Response((await ask(`/api/event?session=${sessionID}`)).body).text()
      const waiting = ask(`/api/session/${sessionID}/wait?until=quiet`)
      const closing = Effect.runPromise(edge.close)
      const stopping = { status: 503, _tag: "ServerStopping" }
      expect(await bad(waiting)).toEqual(stopping)
      expect(await bad(ask("/api/session"))).toEqual(stopping)
      expect(await bad(ask("/api/health"))).toEqual(stopping)
      expect(await bad(ask("/api/event"))).toEqual(stopping)
      const told = await feed
      expect(told.indexOf("monitor.ended")).toBeGreaterThan(-1)
      expect(told.lastIndexOf("retry:")).toBeGreaterThan(told.indexOf("monitor.ended"))
      await closing
      await Effect.runPromise(edge.close)
      expect(await bad(ask("/api/session"))).toEqual(stopping)
    }
  )

  const begun = Deferred.makeUnsafe<void>()
  it.edge(
    "breaks off what changes something, if that takes long",
    async ({ edge, session, send }) => {
      const sessionID = await session()
      const stopping = send("POST", `/api/session/${sessionID}/monitor/mon_1/stop`)
      await Effect.runPromise(Deferred.await(begun))
      await Effect.runPromise(edge.close)
      expect(await bad(stopping)).toEqual({ status: 503, _tag: "ServerStopping" })
    },
    {
      services: changed(Monitors, (monitors) => ({
        ...monitors,
        stop: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      }))
    }
  )

  it.edge("does not wait for what its client has not sent", async ({ ask, edge }) => {
    const arrival = Effect.runPromise(edge.attendance.arrival)
    const body = new ReadableStream({ start: (part) => part.enqueue(new TextEncoder().encode("{")) })
    const sending = ask("/api/session", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" }
    })
    await arrival
    const closing = Effect.runPromise(edge.close)
    expect(await bad(sending)).toEqual({ status: 503, _tag: "ServerStopping" })
    await closing
  })

  const [asked, answered] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  it.edge(
    "waits for what changes something, if that does not take long",
    async ({ ask, edge, session, send }) => {
      const sessionID = await session()
      await send("POST", `/api/session/${sessionID}/monitor`, { command: "sleep 100", description: "d" })
      const stopping = send("POST", `/api/session/${sessionID}/monitor/mon_1/stop`)
      await Effect.runPromise(Deferred.await(asked))
      const arrival = Effect.runPromise(edge.attendance.arrival)
      const waiting = ask(`/api/session/${sessionID}/wait?until=quiet&timeoutMs=300000`)
      await arrival
      const closing = Effect.runPromise(edge.close)
      expect(await bad(waiting)).toEqual({ status: 503, _tag: "ServerStopping" })
      await Effect.runPromise(Deferred.succeed(answered, undefined))
      expect(await bad(stopping)).toMatchObject({ status: 404, _tag: "MonitorNotFound" })
      await closing
    },
    {
      services: changed(Monitors, (monitors) => ({
        ...monitors,
        stop: (...given) =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.andThen(Deferred.await(answered)),
            Effect.andThen(monitors.stop(...given))
          )
      }))
    }
  )
})

describe("services that can't be built", () => {
  const build = (stateDir: string) =>
    makeEdge(live({ stateDir, env: {}, home: stateDir, audience: Feed.layer }), {
      token,
      hosts: [],
      origins: [],
      version: "1.0.0"
    }).pipe(Effect.scoped, Effect.flip)

  test("since another process owns them fail with that", () =>
    Effect.gen(function* () {
      const { stateDir } = yield* makeEdgeWorld()
      expect(yield* build(stateDir)).toBeInstanceOf(StateDirectoryOwned)
    }).pipe(Effect.scoped, Effect.runPromise))

  test("since their database is none fail with that", () =>
    Effect.gen(function* () {
      const stateDir = join(yield* temporaryFolder, "state")
      mkdirSync(stateDir)
      writeFileSync(
        join(stateDir, "vigil.db"),
        "no database, but text that is long enough to be taken for one"
      )
      expect(yield* build(stateDir)).toBeInstanceOf(DatabaseUnusable)
    }).pipe(Effect.scoped, Effect.runPromise))

  test("leave nothing behind when they are interrupted", () =>
    Effect.gen(function* () {
      const stateDir = join(yield* temporaryFolder, "state")
      const building = yield* Effect.forkChild(build(stateDir))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(building)
      yield* live({ stateDir, env: {}, home: stateDir, audience: Feed.layer }).pipe(
        Layer.build,
        Effect.scoped
      )
    }).pipe(Effect.scoped, Effect.runPromise))
})
