/** What a thousand clients cost, against a loop that does nothing but enqueue; and what those cost that never read. */
import { Bus } from "@vigil/core/bus"
import { Database } from "@vigil/core/database"
import { SessionId } from "@vigil/schema/session"
import { Feed } from "@vigil/server/feed"
import { Effect } from "effect"
import { type Figure, measured } from "../figure.ts"
import { turn, withLower } from "../lower.ts"
import { cpuMs } from "../sample.ts"

const events = 1_000
/** Told together, as a step tells what it came to. */
const together = 20
const sessionID = SessionId.make("ses_00000000000000000000000000")
const frame = new TextEncoder().encode(`id: 1\ndata: ${"x".repeat(150)}\n\n`)
const maxWaiting = 4_096

export const feed: Figure = async ({ full, tell }) => {
  const runs = full ? 7 : 3
  for (const clients of [1, 100, 1_000]) {
    const sides: Record<"feed" | "bare", Array<number>> = { feed: [], bare: [] }
    for (let run = -1; run < runs; run++) {
      const costs = { bare: await ofLoop(clients), feed: await ofFeed(clients) }
      if (run >= 0) for (const side of ["feed", "bare"] as const) sides[side].push(costs[side])
    }
    const perClientEvent = (ms: number) => (ms * 1_000) / clients / events
    tell(
      measured({
        name: `feed, ${clients} clients`,
        unit: "µs CPU per client and event",
        values: sides.feed.map(perClientEvent),
        references: sides.bare.map(perClientEvent),
        ...(clients === 1_000 && { target: { times: 2 } }),
        note: "less what publishing costs without clients"
      })
    )
  }
  await stalled(tell)
}

const ofLoop = async (clients: number): Promise<number> => {
  const controllers: Array<ReadableStreamDefaultController<Uint8Array>> = []
  for (let client = 0; client < clients; client++) {
    const stream = new ReadableStream<Uint8Array>(
      { start: (controller) => void controllers.push(controller) },
      { highWaterMark: maxWaiting }
    )
    void drain(stream)
  }
  await tick()
  const from = cpuMs()
  for (let told = 0; told < events; told += together) {
    for (let event = 0; event < together; event++)
      for (const controller of controllers) controller.enqueue(frame)
    await tick()
  }
  const cost = cpuMs() - from
  for (const controller of controllers) controller.close()
  return cost
}

const publish = (count: number) =>
  Effect.gen(function* () {
    const bus = yield* Bus
    const { transaction } = yield* Database
    const event = bus.publish({ type: "session.deleted", sessionID, data: { sessionID } })
    yield* transaction(Effect.replicateEffect(event, count, { discard: true }))
  })

const publishAll = Effect.gen(function* () {
  const from = cpuMs()
  for (let told = 0; told < events; told += together) {
    yield* publish(together)
    yield* turn
  }
  yield* turn
  return cpuMs() - from
})

const ofFeed = (clients: number): Promise<number> =>
  withLower(() =>
    Effect.gen(function* () {
      const feed = yield* Feed
      yield* publishAll
      const alone = yield* publishAll
      for (const stream of yield* Effect.replicateEffect(feed.open(), clients)) void drain(stream)
      while ((yield* feed.clients) < clients) yield* turn
      return (yield* publishAll) - alone
    })
  )

/** Clients that never read, while far more is told than their queues hold. */
const stalled = (tell: Parameters<Figure>[0]["tell"]) =>
  withLower(() =>
    Effect.gen(function* () {
      const feed = yield* Feed
      yield* publishAll
      const before = rssAfterCollection()
      const streams = yield* Effect.replicateEffect(feed.open(), 100)
      while ((yield* feed.clients) < 100) yield* turn
      let most = 0
      for (let told = 0; told < 2 * maxWaiting; told += 256) {
        yield* publish(256)
        yield* turn
        most = Math.max(most, rssAfterCollection() - before)
      }
      tell(
        measured({
          name: "feed, memory of 100 stalled clients",
          unit: "MiB",
          values: [most / 1_048_576],
          references: [(maxWaiting * 160) / 1_048_576],
          target: { atMost: 32 },
          note: `${yield* feed.clients} of ${streams.length} still there; reference: one full queue's bytes, which all share`
        })
      )
    })
  )

const rssAfterCollection = () => {
  Bun.gc(true)
  return process.memoryUsage.rss()
}

const drain = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = stream.getReader()
  while (!(await reader.read().catch(() => ({ done: true }))).done);
}

const tick = () => new Promise<void>((resolve) => void setImmediate(resolve))
