import { expect } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { makeAttendance } from "../src/attendance.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

const waiting = (effect: Effect.Effect<void>) => Effect.forkChild(effect, { startImmediately: true })
const over = (fiber: Fiber.Fiber<void>) => Effect.sync(() => fiber.pollUnsafe() !== undefined)

it.effect(
  "nobody is there once everybody who came has left, however often they say so",
  Effect.gen(function* () {
    const attendance = makeAttendance()
    yield* attendance.alone
    const [first, second] = [attendance.enter(), attendance.enter()]
    const alone = yield* waiting(attendance.alone)
    expect(yield* attendance.present).toBe(2)
    first()
    first()
    expect(yield* attendance.present).toBe(1)
    expect(yield* over(alone)).toBe(false)
    second()
    yield* Fiber.join(alone)
    expect(yield* attendance.present).toBe(0)
  })
)

it.effect(
  "an arrival is the next one that comes, not one that is there",
  Effect.gen(function* () {
    const attendance = makeAttendance()
    attendance.enter()
    const arrival = yield* waiting(attendance.arrival)
    expect(yield* over(arrival)).toBe(false)
    attendance.enter()()
    yield* Fiber.join(arrival)
    const next = yield* waiting(attendance.arrival)
    expect(yield* over(next)).toBe(false)
    yield* Fiber.interrupt(next)
  })
)
