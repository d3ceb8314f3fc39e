/** A client of this user's server, which goes and comes back elsewhere. */
import { createClient } from "@vigil/sdk/client"
import { Effect, Option } from "effect"
import { expect, test } from "bun:test"
import type { Owner } from "../src/owner.ts"
import { lastingClient } from "../src/tui/lasting-client.ts"

/** A server that tells what it was asked. */
const serverOf = (token: string) => {
  const asked: Array<{ readonly path: string; readonly token: string | null; readonly body: string }> = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      asked.push({
        path: `${request.method} ${pathname}${search}`,
        token: request.headers.get("authorization"),
        body: await request.text()
      })
      return Response.json({ items: [] })
    }
  })
  const url = server.url.href.replace(/\/$/u, "")
  const owner: Owner = { url, token, pid: 1, version: "0.0.0", client: createClient({ baseUrl: url, token }) }
  return { asked, owner, [Symbol.asyncDispose]: () => server.stop(true) }
}

const gone = async (): Promise<Owner> => {
  const server = serverOf("first")
  await server[Symbol.asyncDispose]()
  return server.owner
}

test("what reads goes where the owner is found, with its token, and stays there", async () => {
  await using second = serverOf("second")
  let finds = 0
  const client = lastingClient(await gone(), {
    find: Effect.sync(() => Option.some((finds++, second.owner))),
    start: Effect.die("nothing is started")
  })
  const both = await Promise.all([client.session.list({ query: { limit: 7 } }), client.session.list()])
  expect(both.map(({ data }) => data?.items)).toEqual([[], []])
  await client.session.list()
  expect(finds).toBe(1)
  expect(second.asked).toHaveLength(3)
  expect(second.asked.map(({ path }) => path)).toContain("GET /api/session?limit=7")
  expect(new Set(second.asked.map(({ token }) => token))).toEqual(new Set(["Bearer second"]))
})

test("what reads starts nothing, and is told that nobody is there", async () => {
  const client = lastingClient(await gone(), {
    find: Effect.succeedNone,
    start: Effect.die("nothing is started")
  })
  expect((await client.session.list()).error).toMatchObject({ name: "Unreachable" })
})

test("what is asked for starts an owner, and reaches it whole", async () => {
  await using second = serverOf("second")
  const client = lastingClient(await gone(), {
    find: Effect.die("nobody looks"),
    start: Effect.succeed(second.owner)
  })
  await client.session.prompt({ path: { sessionID: "ses_1" }, body: { text: "Go on", id: "inp_1" } })
  expect(second.asked).toEqual([
    {
      path: "POST /api/session/ses_1/prompt",
      token: "Bearer second",
      body: JSON.stringify({ text: "Go on", id: "inp_1" })
    }
  ])
})
