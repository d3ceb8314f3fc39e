import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ticketLifeMs } from "../src/tickets.ts"
import { it, makeEdgeWorld, origin, token } from "./lib/edge.ts"

const paths = ["/api/session", "/api/event", "/api/openapi.json", "/api/nothing", "/", "/api/health/"]

/** What is told, and with which status. */
const told = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as object)
})

describe("the token", () => {
  it.edge("is asked for everywhere but at the health", async ({ ask }) => {
    expect((await ask("/api/health", { headers: { authorization: "" } })).status).toBe(200)
    for (const path of paths) {
      const response = await ask(path, { headers: { authorization: "" } })
      expect(response.headers.get("www-authenticate")).toBe("Bearer")
      expect([path, await told(response)]).toMatchObject([path, { status: 401, _tag: "Unauthorized" }])
    }
    for (const method of ["POST", "DELETE"]) {
      const response = await ask("/api/health", { method, headers: { authorization: "" } })
      expect([method, response.status]).toEqual([method, 401])
    }
    expect((await ask("/api/openapi.json")).status).toBe(200)
  })

  it.edge("counts whole, and as a bearer's", async ({ ask }) => {
    const wrong = [
      token,
      "Bearer",
      "Bearer ",
      "Bearer wrong",
      `Basic ${token}`,
      `Bearer ${token}r`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token} ${token}`,
      ...Array.from(token, (_, length) => `Bearer ${token.slice(0, length)}`)
    ]
    for (const authorization of wrong) {
      const response = await ask("/api/session", { headers: { authorization } })
      expect([authorization, await told(response)]).toMatchObject([authorization, { status: 401 }])
    }
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`]) {
      expect((await ask("/api/session", { headers: { authorization } })).status).toBe(200)
    }
  })

  it.edge("is not taken from a URL", async ({ ask }) => {
    for (const query of [`token=${token}`, `ticket=${token}`, `access_token=${token}`]) {
      const response = await ask(`/api/event?${query}`, { headers: { authorization: "" } })
      expect([query, response.status]).toEqual([query, 401])
    }
  })
})

describe("a ticket", () => {
  it.edge("opens one feed, and nothing else", async ({ ask, send }) => {
    const issue = async () => (await (await send("POST", "/api/ticket")).json()).ticket as string
    const as = (path: string, method = "GET") => ask(path, { method, headers: { authorization: "" } })
    const ticket = await issue()
    for (const path of ["/api/session", "/api/openapi.json", "/api/event/"]) {
      expect([path, (await as(`${path}?ticket=${ticket}`)).status]).toEqual([path, 401])
    }
    expect((await as(`/api/event?ticket=${ticket}`, "HEAD")).status).toBe(401)
    expect((await as(`/api/event?ticket=${ticket.slice(0, -1)}`)).status).toBe(401)
    const feed = await as(`/api/event?ticket=${ticket}`)
    expect(feed.status).toBe(200)
    await feed.body!.cancel()
    expect((await as(`/api/event?ticket=${ticket}`)).status).toBe(401)
    const [one, other] = [await issue(), await issue()]
    expect(one).not.toBe(other)
  })

  it.edge("is not given without the token", async ({ ask }) => {
    const response = await ask("/api/ticket", { method: "POST", headers: { authorization: "" } })
    expect(response.status).toBe(401)
  })

  test("is worth nothing after its minute", () =>
    Effect.gen(function* () {
      const { ask, send } = yield* makeEdgeWorld()
      const issued = yield* Effect.promise(async () => (await send("POST", "/api/ticket")).json() as any)
      yield* TestClock.adjust(ticketLifeMs)
      const late = yield* Effect.promise(() =>
        ask(`/api/event?ticket=${issued.ticket}`, { headers: { authorization: "" } })
      )
      expect(late.status).toBe(401)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))
})

describe("a request", () => {
  it.edge("under a name that is not the server's own is refused, whatever else it has", async ({ ask }) => {
    const foreign = [
      "evil.test",
      "evil.test:4000",
      "localhost.evil.test",
      "localhost@evil.test",
      "evil.test@localhost",
      "localhost.",
      "127.0.0.1.nip.io",
      "[::1",
      "localhost:4000/x",
      "localhost evil.test",
      ""
    ]
    for (const host of foreign) {
      const refusal = await told(await ask("/api/health", { headers: { host } }))
      expect([host, refusal]).toMatchObject([host, { status: 403, _tag: "StrangerRefused", header: "host" }])
    }
    for (const host of [
      "localhost",
      "LOCALHOST:4000",
      "127.0.0.1:4000",
      "[::1]:4000",
      "192.168.1.7",
      "127.1"
    ]) {
      expect([host, (await ask("/api/health", { headers: { host } })).status]).toEqual([host, 200])
    }
  })

  it.edge("from a page is let in where its origin is listed, and nowhere else", async ({ ask }) => {
    const preflight = await ask("/api/session", {
      method: "OPTIONS",
      headers: { authorization: "", origin, "access-control-request-method": "PATCH" }
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin)
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH")
    const answered = await ask("/api/session", { headers: { origin } })
    expect(answered.headers.get("access-control-allow-origin")).toBe(origin)
    expect(answered.headers.get("access-control-expose-headers")).toContain("vigil-seq")
    const unknown = await ask("/api/session", { headers: { origin, authorization: "" } })
    expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([401, origin])
    for (const foreign of [
      "http://evil.test",
      "https://vigil.test",
      "http://vigil.test.evil.test",
      "null",
      ""
    ]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const response = await ask("/api/session", { method, headers: { origin: foreign } })
        const allowed = response.headers.get("access-control-allow-origin")
        expect([foreign, allowed, await told(response)]).toMatchObject([
          foreign,
          null,
          { status: 403, _tag: "StrangerRefused", header: "origin" }
        ])
      }
    }
  })
})
