import { expect } from "bun:test"
import { Deferred, Effect, Fiber, Layer, PubSub, SubscriptionRef, Stream } from "effect"
import { TestClock } from "effect/testing"
import { untilUnneeded } from "../src/owner/need.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

/** Clients that come and go, and work that takes until it is told to end. */
const world = Effect.gen(function* () {
  const present = yield* SubscriptionRef.make(0)
  const arrivals = yield* PubSub.unbounded<void>()
  const work = { ended: Deferred.makeUnsafe<void>() }
  return {
    comes: Effect.andThen(
      SubscriptionRef.update(present, (n) => n + 1),
      PubSub.publish(arrivals, undefined)
    ),
    goes: SubscriptionRef.update(present, (n) => n - 1),
    ends: Effect.suspend(() => Deferred.succeed(work.ended, undefined)),
    leaves: untilUnneeded(
      {
        alone: SubscriptionRef.changes(present).pipe(
          Stream.takeUntil((n) => n === 0),
          Stream.runDrain
        ),
        arrival: Effect.scoped(Effect.flatMap(PubSub.subscribe(arrivals), PubSub.take))
      },
      Effect.suspend(() => Deferred.await(work.ended)),
      Effect.succeed(60_000)
    ).pipe(Effect.forkChild({ startImmediately: true }))
  }
})

const isLeft = (fiber: Fiber.Fiber<void>) => Effect.sync(() => fiber.pollUnsafe() !== undefined)

it.effect(
  "an owner leaves a minute after its last client, not before",
  Effect.gen(function* () {
    const { comes, goes, ends, leaves } = yield* world
    yield* ends
    yield* comes
    const fiber = yield* leaves
    yield* TestClock.adjust("10 minutes")
    expect(yield* isLeft(fiber)).toBe(false)
    yield* goes
    yield* TestClock.adjust("59 seconds")
    expect(yield* isLeft(fiber)).toBe(false)
    yield* TestClock.adjust("1 second")
    expect(yield* isLeft(fiber)).toBe(true)
  })
)

it.effect(
  "an owner that nobody ever comes to leaves after a minute",
  Effect.gen(function* () {
    const { ends, leaves } = yield* world
    yield* ends
    const fiber = yield* leaves
    yield* TestClock.adjust("1 minute")
    expect(yield* isLeft(fiber)).toBe(true)
  })
)

it.effect(
  "a client that only looks in begins the minute anew",
  Effect.gen(function* () {
    const { comes, goes, ends, leaves } = yield* world
    yield* ends
    const fiber = yield* leaves
    yield* TestClock.adjust("59 seconds")
    yield* comes
    yield* goes
    yield* TestClock.adjust("59 seconds")
    expect(yield* isLeft(fiber)).toBe(false)
    yield* TestClock.adjust("1 second")
    expect(yield* isLeft(fiber)).toBe(true)
  })
)

it.effect(
  "an owner stays while something runs, and leaves when that ends",
  Effect.gen(function* () {
    const { ends, leaves } = yield* world
    const fiber = yield* leaves
    yield* TestClock.adjust("10 minutes")
    expect(yield* isLeft(fiber)).toBe(false)
    yield* ends
    yield* TestClock.adjust(0)
    expect(yield* isLeft(fiber)).toBe(true)
  })
)

it.effect(
  "a client that comes while something still runs keeps the owner beyond that",
  Effect.gen(function* () {
    const { comes, goes, ends, leaves } = yield* world
    const fiber = yield* leaves
    yield* TestClock.adjust("10 minutes")
    yield* comes
    yield* ends
    yield* TestClock.adjust("10 minutes")
    expect(yield* isLeft(fiber)).toBe(false)
    yield* goes
    yield* TestClock.adjust("1 minute")
    expect(yield* isLeft(fiber)).toBe(true)
  })
)
