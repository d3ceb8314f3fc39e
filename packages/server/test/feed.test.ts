import { Bus } from "@vigil/core/bus"
import { Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { Kv } from "@vigil/core/kv"
import { SessionId } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { maxWaiting } from "../src/client-queue.ts"
import { Feed, type FeedRequest, maxPortion } from "../src/feed.ts"
import { testEffect } from "./lib/effect.ts"
import { type Frame, frames, idsUntil, range } from "./lib/frames.ts"

const layer = (keepEvents = 100_000) =>
  Feed.layer.pipe(
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layerTest),
    Layer.provideMerge(Settings.layerTest({ feed: { keepEvents } }))
  )
const it = testEffect(layer())
/** Where a hundred lines of the log say the same. */
const quiet = testEffect(Layer.provideMerge(layer(), Logger.layer([])))
const keeping = (events: number) => testEffect(layer(events))

/** All but the last by one statement, which is how thousands cost nothing; only that one rings and prunes. */
const publish = (count: number, id = "ses_1", text = "") =>
  Effect.gen(function* () {
    const sessionID = SessionId.make(id)
    const bus = yield* Bus
    const { transaction, sql } = yield* Database
    const data = { sessionID, text }
    yield* transaction(
      Effect.gen(function* () {
        yield* sql`WITH RECURSIVE place (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM place WHERE n < ${count})
          INSERT INTO event (id, type, session_id, created, data)
          SELECT 'evt_' || n, 'session.deleted', ${id}, 0, ${JSON.stringify(data)} FROM place WHERE n <= ${count}`
        yield* bus.publish({ type: "session.deleted", sessionID, data } as never)
      })
    )
  })

/** A client that reads when it is told to. */
const join = Effect.fnUntraced(function* (request?: FeedRequest) {
  const stream = yield* Feed.use((feed) => feed.open(request))
  const arriving = frames(stream)
  const read = Effect.map(
    Effect.tryPromise(() => arriving.next()),
    ({ value }) => value as Frame | undefined
  )
  const ids = (count: number) =>
    Effect.map(Effect.replicateEffect(read, count), (found) => found.map((frame) => frame?.id))
  return { stream, read, ids, leave: Effect.promise(() => arriving.return()) }
})

/** Until all that was published has been told: nobody is greeted before. Then a few turns for what follows of it. */
const settle = Effect.gen(function* () {
  const greeted = yield* join()
  yield* greeted.read
  yield* greeted.leave
  for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(setImmediate))
})
const clients = Effect.andThen(
  settle,
  Feed.use((feed) => feed.clients)
)

describe("a feed", () => {
  it.effect(
    "says where it stands, without an id, then tells what happens",
    Effect.gen(function* () {
      yield* publish(2)
      const { storeID } = yield* Bus
      const client = yield* join()
      expect(yield* client.read).toMatchObject({
        id: undefined,
        event: { type: "connected", storeID, seq: 2 }
      })
      yield* publish(1)
      expect(yield* client.read).toMatchObject({
        id: 3,
        event: { seq: 3, type: "session.deleted", sessionID: "ses_1", data: { sessionID: "ses_1", text: "" } }
      })
    })
  )

  it.effect(
    "replays what came after an id, then goes on",
    Effect.gen(function* () {
      yield* publish(5)
      const client = yield* join({ after: 2 })
      yield* client.read
      yield* publish(1)
      expect(yield* client.ids(4)).toEqual([3, 4, 5, 6])
    })
  )

  it.effect(
    "joins without a gap, although more happened while its past waited",
    Effect.gen(function* () {
      yield* publish(600)
      const client = yield* join({ after: 0 })
      expect(yield* client.ids(11)).toEqual([undefined, ...range(1, 10)])
      yield* publish(300)
      yield* settle
      yield* publish(5)
      expect(yield* client.ids(895)).toEqual(range(11, 905))
      yield* publish(1)
      expect(yield* client.ids(1)).toEqual([906])
    })
  )

  it.effect(
    "never tells of what was rolled back",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const client = yield* join()
      yield* client.read
      yield* publish(1)
      yield* Effect.exit(transaction(Effect.andThen(publish(3), Effect.die("no"))))
      const stored = yield* Deferred.make<void>()
      const writing = yield* transaction(
        publish(1, "ses_2").pipe(
          Effect.andThen(Deferred.succeed(stored, undefined)),
          Effect.andThen(settle),
          Effect.andThen(Effect.fail("no"))
        )
      ).pipe(Effect.exit, Effect.forkChild)
      yield* Deferred.await(stored)
      yield* Fiber.join(writing)
      yield* publish(1, "ses_3")
      const told = [yield* client.read, yield* client.read]
      expect(told.map((frame) => frame!.event.sessionID)).toEqual(["ses_1", "ses_3"])
    })
  )

  it.effect(
    "passes over the events of a session that was deleted, and tells none of the others twice",
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* publish(300, "ses_1")
      yield* publish(300, "ses_2")
      yield* bus.forget("ses_2")
      const client = yield* join({ after: 0 })
      yield* client.ids(301)
      yield* publish(2, "ses_3")
      expect(yield* client.ids(2)).toEqual([601, 602])
    })
  )

  it.effect(
    "of one session tells nothing of the others",
    Effect.gen(function* () {
      yield* publish(3, "ses_1")
      yield* publish(2, "ses_2")
      const client = yield* join({ after: 0, sessionID: "ses_2" })
      expect(yield* client.ids(3)).toEqual([undefined, 4, 5])
      yield* publish(2, "ses_1")
      yield* publish(1, "ses_2")
      expect(yield* client.ids(1)).toEqual([8])
    })
  )

  it.effect(
    "makes the frames of a page once for all who want the same of it",
    Effect.gen(function* () {
      const streams = yield* Effect.replicateEffect(
        Feed.use((feed) => feed.open()),
        1_000
      )
      const readers = streams.map((stream) => stream.getReader())
      const read = Effect.promise(() => Promise.all(readers.map((reader) => reader.read())))
      yield* read
      yield* publish(10)
      const pieces = new Set((yield* read).map(({ value }) => value))
      expect(pieces.size).toBe(1)
    })
  )

  it.effect(
    "shows every 15 seconds that it lives, and how far it has come, to a client that has nothing to read",
    Effect.gen(function* () {
      const client = yield* join({ sessionID: "ses_2" })
      yield* client.read
      yield* publish(7, "ses_1")
      yield* settle
      yield* TestClock.adjust("14 seconds")
      const next = yield* Effect.forkChild(client.read)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(next)).toMatchObject({ text: ": still here\nid: 7", id: 7, event: undefined })
    })
  )

  it.effect(
    "shows nothing of the kind to a client that has something to read",
    Effect.gen(function* () {
      const client = yield* join()
      yield* publish(1)
      yield* settle
      yield* TestClock.adjust("15 seconds")
      yield* publish(1)
      expect(yield* client.ids(3)).toEqual([undefined, 1, 2])
    })
  )

  keeping(1_000).effect(
    "moves on whoever hears of one quiet session, so that it is not behind when it comes back",
    Effect.gen(function* () {
      const client = yield* join({ sessionID: "ses_2" })
      yield* client.read
      for (let batch = 0; batch < 6; batch++) {
        yield* publish(512, "ses_1")
        yield* settle
      }
      yield* TestClock.adjust("15 seconds")
      const { id } = (yield* client.read)!
      yield* client.leave
      const again = yield* join({ after: id!, sessionID: "ses_2" })
      yield* publish(1, "ses_2")
      expect(yield* again.ids(2)).toEqual([undefined, 3_073])
    })
  )

  it.effect(
    "tells deltas to who is there, without an id, and only of the session that is wanted",
    Effect.gen(function* () {
      const bus = yield* Bus
      const delta = (sessionID: string) =>
        bus.signal({
          type: "message.delta",
          sessionID: SessionId.make(sessionID),
          messageID: "msg_1" as never,
          partID: "prt_1" as never,
          offset: 0,
          text: "tea\n\nis ready"
        })
      const client = yield* join({ sessionID: "ses_2" })
      yield* client.read
      yield* settle
      yield* delta("ses_1")
      yield* delta("ses_2")
      expect(yield* client.read).toMatchObject({
        id: undefined,
        event: { type: "message.delta", sessionID: "ses_2", text: "tea\n\nis ready" }
      })
    })
  )

  it.effect(
    "leaves deltas out for a client that is behind, and no event",
    Effect.gen(function* () {
      const bus = yield* Bus
      const client = yield* join()
      yield* settle
      yield* publish(maxWaiting / 2 + 1)
      yield* settle
      const delta = {
        type: "message.delta",
        sessionID: SessionId.make("ses_1"),
        messageID: "msg_1" as never,
        partID: "prt_1" as never,
        offset: 0,
        text: "tea"
      } as const
      yield* bus.signal(delta)
      yield* settle
      yield* publish(1)
      yield* settle
      expect(yield* client.ids(maxWaiting / 2 + 3)).toEqual([undefined, ...range(1, maxWaiting / 2 + 2)])
    })
  )
})

describe("a client that can't go on from its id", () => {
  keeping(1_000).effect(
    "is told to read again when the log keeps less, and hears what follows",
    Effect.gen(function* () {
      // The log is cut at the 2,048th event to the 1,000 before it.
      yield* publish(2_048)
      const early = yield* join({ after: 1_048 })
      expect(yield* early.ids(2)).toEqual([undefined, 1_049])
      const late = yield* join({ after: 1_047 })
      expect((yield* late.read)?.event).toMatchObject({ type: "connected", seq: 2_048 })
      expect(yield* late.read).toMatchObject({
        id: 2_048,
        event: { type: "resync", reason: "forgotten", seq: 2_048 }
      })
      yield* publish(1)
      expect(yield* late.ids(1)).toEqual([2_049])
    })
  )

  it.effect(
    "is told so too when the id was never given here, or elsewhere",
    Effect.gen(function* () {
      yield* publish(2)
      const ahead = yield* join({ after: 3 })
      yield* ahead.read
      expect((yield* ahead.read)?.event).toEqual({ type: "resync", reason: "ahead", seq: 2 })
      const strange = yield* join({ after: 1, storeID: "store_other" })
      yield* strange.read
      expect((yield* strange.read)?.event).toEqual({ type: "resync", reason: "other_store", seq: 2 })
      const known = yield* join({ after: 1, storeID: (yield* Bus).storeID })
      expect(yield* known.ids(2)).toEqual([undefined, 2])
    })
  )

  keeping(1_000).effect(
    "because the log overtook its replay is told so in the middle of it, and hears what follows",
    Effect.gen(function* () {
      yield* publish(1_000)
      const client = yield* join({ after: 0 })
      yield* settle
      // Up to the 3,072nd, where the log is cut again.
      yield* publish(2_072)
      const heard: Array<Frame | undefined> = []
      do heard.push(yield* client.read)
      while (heard.at(-1)?.event.type !== "resync")
      expect(heard.at(-1)!.event).toMatchObject({ reason: "forgotten", seq: 3_072 })
      const before = heard.slice(1, -1).map((frame) => frame!.id)
      expect(before).toEqual(range(1, before.length))
      yield* publish(1)
      expect(yield* client.ids(1)).toEqual([3_073])
    })
  )
})

describe("a client that stops reading", () => {
  it.effect(
    "is cut when its queue is full, and slows nobody",
    Effect.gen(function* () {
      const [stalled, other] = [yield* join(), yield* join()]
      yield* settle
      const heard = yield* Effect.forkChild(other.ids(maxWaiting + 10))
      yield* publish(maxWaiting - 1)
      expect(yield* clients).toBe(2)
      yield* publish(10)
      expect(yield* clients).toBe(1)
      expect((yield* Effect.exit(stalled.read))._tag).toBe("Failure")
      expect(yield* Fiber.join(heard)).toEqual([undefined, ...range(1, maxWaiting + 9)])
    })
  )

  it.effect(
    "is not one that reads a long past slowly",
    Effect.gen(function* () {
      yield* publish(10_000)
      const client = yield* join({ after: 0 })
      expect(yield* client.ids(5_001)).toEqual([undefined, ...range(1, 5_000)])
      yield* TestClock.adjust("29 seconds")
      yield* publish(3_000)
      expect(yield* client.ids(8_000)).toEqual(range(5_001, 13_000))
    })
  )

  it.effect(
    "in its past has one portion of it waiting, the log keeps the rest",
    Effect.gen(function* () {
      // More than fits in a portion, less than a page.
      const [events, characters] = [200, 16_384]
      yield* publish(events, "ses_1", "x".repeat(characters))
      const stream = yield* Feed.use((feed) => feed.open({ after: 0 }))
      const portions: Array<number> = []
      const counting = new TransformStream<Uint8Array, Uint8Array>({
        transform: (bytes, controller) => {
          portions.push(bytes.byteLength)
          controller.enqueue(bytes)
        }
      })
      const arriving = frames(stream.pipeThrough(counting))
      const ids = yield* Effect.promise(() => idsUntil(arriving, events))
      expect(ids).toEqual(range(1, events))
      expect(portions.length).toBeGreaterThan(3)
      expect(Math.max(...portions)).toBeLessThan(maxPortion + maxPortion / 64)
    })
  )

  it.effect(
    "with an event in its past that is larger than a portion gets it nevertheless",
    Effect.gen(function* () {
      yield* publish(1)
      yield* publish(2, "ses_1", "x".repeat(maxPortion + 1))
      yield* publish(1)
      const client = yield* join({ after: 0 })
      expect(yield* client.ids(5)).toEqual([undefined, 1, 2, 3, 4])
    })
  )

  quiet.effect(
    "is cut with a hundred others, and another one hears everything",
    Effect.gen(function* () {
      const stalled = yield* Effect.replicateEffect(join(), 100)
      const other = yield* join()
      expect(yield* clients).toBe(101)
      const heard = yield* Effect.forkChild(other.ids(maxWaiting + 10))
      yield* publish(maxWaiting + 9)
      expect(yield* clients).toBe(1)
      const read = yield* Effect.forEach(stalled, (client) => Effect.exit(client.read))
      expect(read.filter(Exit.isSuccess)).toEqual([])
      expect(yield* Fiber.join(heard)).toEqual([undefined, ...range(1, maxWaiting + 9)])
    })
  )

  it.effect(
    "in the middle of a replay is cut after half a minute",
    Effect.gen(function* () {
      yield* publish(10_000)
      const client = yield* join({ after: 0 })
      yield* settle
      yield* TestClock.adjust("30 seconds")
      yield* settle
      expect((yield* Effect.exit(client.ids(10_001)))._tag).toBe("Failure")
    })
  )
})

describe("the end", () => {
  it.effect(
    "a client that leaves is forgotten at once, and that is told once",
    Effect.gen(function* () {
      let left = 0
      const client = yield* join({ left: () => void left++ })
      yield* client.read
      expect(yield* clients).toBe(1)
      yield* client.leave
      expect(yield* clients).toBe(0)
      expect(left).toBe(1)
    })
  )

  it.effect(
    "a client that leaves in the middle of its past is forgotten too",
    Effect.gen(function* () {
      yield* publish(1_000)
      const gone = yield* Deferred.make<void>()
      const client = yield* join({ after: 0, left: () => Deferred.doneUnsafe(gone, Effect.void) })
      yield* client.ids(2)
      yield* client.leave
      yield* Deferred.await(gone)
      expect(yield* clients).toBe(0)
    })
  )

  testEffect(Layer.empty).effect(
    "a client that is in the middle of its past then comes back for the rest",
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layer(), scope)
      yield* Effect.gen(function* () {
        yield* publish(1_000)
        const client = yield* join({ after: 0 })
        yield* client.ids(2)
        yield* settle
        yield* Scope.close(scope, Exit.void)
        const rest: Array<Frame> = []
        for (let frame = yield* client.read; frame; frame = yield* client.read) rest.push(frame)
        const ids = rest.slice(0, -1).map(({ id }) => id)
        expect(ids).toEqual(range(2, ids.length + 1))
        expect(rest.at(-1)!.text).toBe("retry: 500")
      }).pipe(Effect.provide(context))
    })
  )

  testEffect(Layer.empty).effect(
    "a server that stops tells what was stored last, and then says when to come back",
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layer(), scope)
      yield* Effect.gen(function* () {
        const client = yield* join()
        yield* settle
        yield* publish(maxWaiting - 2)
        // Not yet told, since nothing else has had its turn.
        yield* Scope.close(scope, Exit.void)
        expect(yield* client.ids(maxWaiting - 1)).toEqual([undefined, ...range(1, maxWaiting - 2)])
        expect((yield* client.read)?.text).toBe("retry: 500")
        expect(yield* client.read).toBeUndefined()
      }).pipe(Effect.provide(context))
    })
  )
})
