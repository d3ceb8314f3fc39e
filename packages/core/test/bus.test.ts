import type { EventDraft } from "@vigil/schema/event-manifest"
import { SessionId } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Deferred, Effect, Fiber, Layer, Option, Stream } from "effect"
import { Bus, EventsForgotten, pageSize } from "../src/bus.ts"
import { Settings } from "../src/config.ts"
import { Database } from "../src/database.ts"
import { Kv } from "../src/kv.ts"
import { testEffect } from "./lib/effect.ts"

const layer = (keepEvents: number) =>
  Bus.layer.pipe(
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layerTest),
    Layer.provideMerge(Settings.layerTest({ feed: { keepEvents } }))
  )
const it = testEffect(layer(100_000))

const deleted = (id: string): EventDraft => {
  const sessionID = SessionId.make(id)
  return { type: "session.deleted", sessionID, data: { sessionID } }
}
const publish = (id = "ses_1") => Bus.use((bus) => bus.publish(deleted(id)))
const seqs = (after: number, count: number) =>
  Bus.use((bus) =>
    bus.follow(after).pipe(
      Stream.take(count),
      Stream.map(({ seq }) => seq),
      Stream.runCollect
    )
  )
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("Bus", () => {
  it.effect(
    "a follower hears what was before it and what comes, once each and in order",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      for (let i = 0; i < pageSize + 10; i++) yield* publish()
      const heard = yield* seqs(3, 2 * pageSize).pipe(Effect.forkChild)
      // Some alone, some several to a transaction, while the replay runs.
      for (let i = 0; i < pageSize; i++) {
        yield* i % 3 === 0 ? transaction(Effect.andThen(publish(), publish())) : publish()
        if (i % 7 === 0) yield* Effect.yieldNow
      }
      expect(yield* Fiber.join(heard)).toEqual(range(4, 3 + 2 * pageSize))
    })
  )

  it.effect(
    "an event is announced after its commit, not before",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const heard = yield* Deferred.make<number>()
      const stored = yield* Deferred.make<void>()
      const commit = yield* Deferred.make<void>()
      yield* seqs(0, 1).pipe(
        Effect.flatMap(([seq]) => Deferred.succeed(heard, seq!)),
        Effect.forkChild
      )
      const writing = yield* transaction(
        Effect.gen(function* () {
          yield* publish()
          yield* Deferred.succeed(stored, undefined)
          yield* Deferred.await(commit)
        })
      ).pipe(Effect.forkChild)
      yield* Deferred.await(stored)
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      expect(yield* Deferred.poll(heard)).toEqual(Option.none())
      expect(yield* (yield* Bus).head).toBe(0)
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(writing)
      expect(yield* Deferred.await(heard)).toBe(1)
    })
  )

  it.effect(
    "what is rolled back is never heard of",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const bus = yield* Bus
      const heard = yield* bus.follow(0).pipe(Stream.take(1), Stream.runCollect, Effect.forkChild)
      yield* transaction(Effect.andThen(publish("ses_gone"), Effect.fail("no"))).pipe(Effect.flip)
      yield* publish("ses_here")
      expect(yield* Fiber.join(heard)).toMatchObject([{ sessionID: "ses_here" }])
    })
  )

  it.effect(
    "a place in the future is refused, not waited for",
    Effect.gen(function* () {
      yield* publish()
      expect(yield* Effect.flip(seqs(2, 1))).toEqual(new EventsForgotten({ after: 2, reason: "ahead" }))
    })
  )

  it.effect(
    "places are not handed out again when a session's events are forgotten",
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* publish("ses_1")
      yield* publish("ses_2")
      yield* bus.forget("ses_2")
      expect(yield* publish("ses_3")).toBe(3)
      expect(yield* seqs(0, 2)).toEqual([1, 3])
    })
  )

  it.effect(
    "signals reach who listens now, and are not kept",
    Effect.gen(function* () {
      const bus = yield* Bus
      const delta = (text: string) =>
        bus.signal({
          type: "message.delta",
          sessionID: SessionId.make("ses_1"),
          messageID: "msg_1" as never,
          partID: "prt_1" as never,
          offset: 0,
          text
        })
      yield* delta("before")
      const heard = yield* bus.signals.pipe(Stream.take(1), Stream.runCollect, Effect.forkChild)
      yield* Effect.yieldNow
      yield* delta("now")
      expect(yield* Fiber.join(heard)).toMatchObject([{ text: "now" }])
    })
  )
})

const pruned = testEffect(layer(1_000))

describe("Bus, when its log is cut", () => {
  pruned.effect(
    "who stands before what is kept is told so; who stands behind goes on",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      // The log is cut at the 2,048th event to the 1,000 before it.
      yield* transaction(Effect.forEach(range(1, 2_048), () => publish(), { discard: true }))
      expect(yield* Effect.flip(seqs(1_047, 1))).toEqual(
        new EventsForgotten({ after: 1_047, reason: "forgotten" })
      )
      expect(yield* seqs(1_048, 2)).toEqual([1_049, 1_050])
    })
  )

  pruned.effect(
    "a follower that the cut overtakes is told so, and misses nothing unawares",
    Effect.gen(function* () {
      const bus = yield* Bus
      const { transaction } = yield* Database
      yield* transaction(Effect.forEach(range(1, 300), () => publish(), { discard: true }))
      const heard: Array<number> = []
      const resume = yield* Deferred.make<void>()
      const following = yield* bus.follow(0).pipe(
        Stream.runForEach(({ seq }) => {
          heard.push(seq)
          return seq === 5 ? Deferred.await(resume) : Effect.void
        }),
        Effect.flip,
        Effect.forkChild
      )
      while (heard.length < 5) yield* Effect.yieldNow
      yield* transaction(Effect.forEach(range(1, 2_000), () => publish(), { discard: true }))
      yield* Deferred.succeed(resume, undefined)
      expect(yield* Fiber.join(following)).toBeInstanceOf(EventsForgotten)
      expect(heard).toEqual(range(1, heard.length))
    })
  )
})
