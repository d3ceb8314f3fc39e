/** A snapshot: whoever reads in it sees one moment of the database. */
import { SessionId } from "@vigil/schema/session"
import { expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Bus } from "../src/bus.ts"
import { Settings } from "../src/config.ts"
import { Database } from "../src/database.ts"
import { Kv } from "../src/kv.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(
  Bus.layer.pipe(
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layerTest),
    Layer.provideMerge(Settings.layerTest())
  )
)

/** A fact and the event that tells of it, as one. */
const write = Effect.fnUntraced(function* (value: number) {
  const { transaction } = yield* Database
  const kv = yield* Kv
  const bus = yield* Bus
  const sessionID = SessionId.make("ses_1")
  yield* transaction(
    Effect.andThen(
      kv.set("fact", value),
      bus.publish({ type: "session.deleted", sessionID, data: { sessionID } })
    )
  )
})

const look = Effect.gen(function* () {
  return [yield* (yield* Bus).head, (yield* (yield* Kv).scan("fact")).map(({ value }) => value)]
})

it.effect(
  "sees what was committed when it first looked, and the place of that in the feed, whatever is written meanwhile",
  Effect.gen(function* () {
    const { snapshot } = yield* Database
    yield* write(1)
    const looked = yield* Deferred.make<void>()
    const written = yield* Deferred.make<void>()
    const reading = yield* snapshot(
      Effect.gen(function* () {
        const first = yield* look
        yield* Deferred.succeed(looked, undefined)
        yield* Deferred.await(written)
        return [first, yield* look]
      })
    ).pipe(Effect.forkChild)
    yield* Deferred.await(looked)
    yield* write(2)
    yield* write(3)
    yield* Deferred.succeed(written, undefined)
    expect(yield* Fiber.join(reading)).toEqual([
      [1, [1]],
      [1, [1]]
    ])
    expect(yield* snapshot(look)).toEqual([3, [3]])
  })
)

it.effect(
  "inside a transaction it is a part of it, and sees what that has written",
  Effect.gen(function* () {
    const { snapshot, transaction } = yield* Database
    const seen = yield* transaction(
      Effect.gen(function* () {
        yield* write(1)
        return yield* snapshot(look)
      })
    )
    expect(seen).toEqual([1, [1]])
  })
)

it.effect(
  "writes nothing, and leaves the reader usable where what is done in it fails",
  Effect.gen(function* () {
    const { snapshot } = yield* Database
    expect(Exit.isFailure(yield* Effect.exit(snapshot(write(1))))).toBe(true)
    expect(yield* snapshot(Effect.fail("no")).pipe(Effect.flip)).toBe("no")
    yield* write(2)
    expect(yield* snapshot(look)).toEqual([1, [2]])
  })
)
