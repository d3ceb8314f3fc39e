import { expect, test } from "bun:test"
import { createClient, createConfig } from "../src/gen/client/index.ts"
import { Vigil, type Event, type SessionListData, type SessionNotFound } from "../src/gen/index.ts"

/** What the client asks, in place of a server. */
const asking = async (ask: (vigil: Vigil) => Promise<unknown>): Promise<Request> => {
  const requests: Array<Request> = []
  const fetch = (request: Request) => {
    requests.push(request)
    return Promise.resolve(Response.json({ items: [] }))
  }
  await ask(
    new Vigil({
      client: createClient(
        createConfig({
          baseUrl: "http://127.0.0.1:4096",
          auth: "t0k3n",
          fetch: fetch as typeof globalThis.fetch
        })
      )
    })
  )
  return requests[0]!
}

test("numbers are written into the query, and ids into the path", async () => {
  const { url, method } = await asking((vigil) =>
    vigil.monitor.output({
      path: { sessionID: "ses_1", monitorID: "mon_2" },
      query: { cursor: 0, limit: 65_536 }
    })
  )
  expect(`${method} ${url}`).toBe(
    "GET http://127.0.0.1:4096/api/session/ses_1/monitor/mon_2/output?cursor=0&limit=65536"
  )
})

test("what would change the path is escaped", async () => {
  const { url } = await asking((vigil) => vigil.session.get({ path: { sessionID: "../trust?x=%2f" } }))
  expect(url).toBe("http://127.0.0.1:4096/api/session/..%2Ftrust%3Fx%3D%252f")
})

test("a body is JSON, and the token goes along, but not to health", async () => {
  const request = await asking((vigil) =>
    vigil.session.prompt({ path: { sessionID: "ses_1" }, body: { text: "Good morning", delivery: "queue" } })
  )
  expect(request.headers.get("content-type")).toBe("application/json")
  expect(request.headers.get("authorization")).toBe("Bearer t0k3n")
  expect(await request.json()).toEqual({ text: "Good morning", delivery: "queue" })
  expect((await asking((vigil) => vigil.server.health())).headers.get("authorization")).toBeNull()
})

test("types say what they hold: numbers, ids, events by their type, errors by their tag", () => {
  const query: SessionListData["query"] = { limit: 20, after: "ses_1" }
  const linesOf = (event: Event) => (event.type === "monitor.event" ? event.data.lines : [])
  const missing: SessionNotFound = {
    _tag: "SessionNotFound",
    sessionID: "ses_1",
    message: "There is no such session"
  }
  expect(query.limit).toBe(20)
  expect(missing._tag).toBe("SessionNotFound")
  expect(
    linesOf({
      seq: 1,
      id: "evt_1",
      type: "monitor.removed",
      created: 0,
      data: { monitorID: "mon_1" }
    })
  ).toEqual([])
})
