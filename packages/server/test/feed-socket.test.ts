import { Bus } from "@vigil/core/bus"
import { Database } from "@vigil/core/database"
import { SessionId } from "@vigil/schema/session"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import { connect } from "node:net"
import { Feed } from "../src/feed.ts"
import { listen } from "../src/listen.ts"
import { type EdgeWorld, makeEdgeWorld, token } from "./lib/edge.ts"
import { frames, idsUntil, range } from "./lib/frames.ts"

const scope = Scope.makeUnsafe()
let world: EdgeWorld
let url: URL
beforeAll(async () => {
  world = await Effect.runPromise(Scope.provide(makeEdgeWorld(), scope))
  url = await Effect.runPromise(Scope.provide(listen(world.edge, { hostname: "127.0.0.1", port: 0 }), scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const sessionID = SessionId.make("ses_feed")
const publish = (count: number, text = "") =>
  world.run(
    Effect.gen(function* () {
      const bus = yield* Bus
      const { transaction } = yield* Database
      const one = bus.publish({ type: "session.deleted", sessionID, data: { sessionID, text } as never })
      yield* transaction(Effect.replicateEffect(one, count, { discard: true }))
    })
  )
const head = () => world.run(Bus.use((bus) => bus.head))
const live = () => world.run(Feed.use((feed) => feed.clients))

/** Resolves when `count` clients are live; it is asked, there is no time to wait for. */
const clients = async (count: number) => {
  while ((await live()) !== count) await new Promise(setImmediate)
}

const authorization = `Bearer ${token}`
const open = async (after: number) => {
  const headers = { authorization, "last-event-id": String(after) }
  return (await fetch(new URL("/api/event", url), { headers })).body!
}

/** A client on a bare socket, which reads or does not. */
const raw = (after: number) => {
  const socket = connect(Number(url.port), "127.0.0.1")
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()).on("error", () => {}))
  const headers = ["Host: localhost", `Authorization: ${authorization}`, `Last-Event-ID: ${after}`]
  socket.write(["GET /api/event HTTP/1.1", ...headers, "", ""].join("\r\n"))
  return { socket, closed }
}

describe("the feed over a socket", () => {
  test("tells 5,000 events once and in order, to one who stalls in the middle and comes back, and to another", async () => {
    const before = await head()
    const undisturbed = idsUntil(frames(await open(before)), before + 5_000)
    const { socket, closed } = raw(before)
    let text = ""
    socket.setEncoding("utf8").on("data", (part) => void (text += part))
    await clients(2)
    await publish(500)
    while (!text.includes(`id: ${before + 500}\n`)) await new Promise(setImmediate)
    socket.pause()
    // Large ones, so that what the operating system buffers does not hold them all.
    for (let batch = 0; batch < 45; batch++) {
      await publish(100, "x".repeat(16_384))
      await new Promise(setImmediate)
    }
    expect(await undisturbed).toEqual(range(before + 1, before + 5_000))
    await clients(0)
    socket.resume()
    await closed
    // The last frame may have been cut in the middle.
    const received = [...text.matchAll(/^id: (\d+)$/gmu)].map((match) => Number(match[1])).slice(0, -1)
    const last = received.at(-1)!
    expect(last).toBeLessThan(before + 5_000)
    const rest = await idsUntil(frames(await open(last)), before + 5_000)
    expect([...received, ...rest]).toEqual(range(before + 1, before + 5_000))
    await clients(0)
  }, 60_000)

  test("neither loses nor repeats while others publish", async () => {
    const before = await head()
    await publish(500)
    const publishing = Array.from({ length: 8 }, () => publish(250))
    const readers = Array.from({ length: 10 }, async (_, index) => {
      const after = before + index * 40
      return [after, await idsUntil(frames(await open(after)), before + 2_500)] as const
    })
    await Promise.all(publishing)
    for (const [after, ids] of await Promise.all(readers))
      expect(ids).toEqual(range(after + 1, before + 2_500))
    await clients(0)
  }, 60_000)

  test("serves 1,000 clients at once, and forgets them all", async () => {
    const before = await head()
    // On sockets of their own: fetch would let some hundreds of them wait for each other.
    const all = Array.from({ length: 1_000 }, () => {
      const client = raw(before)
      const ids: Array<number> = []
      let rest = ""
      const whole = new Promise<void>((resolve) =>
        client.socket.setEncoding("utf8").on("data", (part) => {
          const found = (rest + part).split("\n\n")
          rest = found.pop()!
          for (const frame of found) {
            const id = /^id: (\d+)$/mu.exec(frame)?.[1]
            if (id !== undefined) ids.push(Number(id))
          }
          if (ids.at(-1) === before + 20) resolve()
        })
      )
      return { ...client, ids, whole }
    })
    await clients(1_000)
    for (let event = 0; event < 20; event++) await publish(1)
    for (const { ids, whole, socket } of all) {
      await whole
      expect(ids).toEqual(range(before + 1, before + 20))
      socket.destroy()
    }
    await clients(0)
  }, 60_000)

  test("forgets a client whose socket is gone, and those who leave before they are answered", async () => {
    const after = await head()
    const { socket } = raw(after)
    await clients(1)
    socket.destroy()
    await clients(0)
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const { socket, closed } = raw(after)
        socket.on("connect", () => (index % 2 ? socket.destroy() : setImmediate(() => socket.destroy())))
        await closed
      })
    )
    // Whoever asks after them is served after them.
    await (await open(after)).cancel()
    await clients(0)
  }, 60_000)
})
