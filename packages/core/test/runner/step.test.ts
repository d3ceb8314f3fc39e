import { describe, expect, test } from "bun:test"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Bus } from "../../src/bus.ts"
import {
  ConnectionLost,
  ContextTooLong,
  ModelUnusable,
  RateLimited,
  StepRefused
} from "../../src/provider/step.ts"
import { retryDelay } from "../../src/provider/retry.ts"
import { core, idle, newSession, prompt, told, transcript, turnsEnded } from "../lib/core.ts"
import { testEffect } from "../lib/effect.ts"
import { finish, Model } from "../lib/model.ts"

const it = testEffect(core())

const lost = new ConnectionLost({ message: "The connection broke." })

describe("retryDelay", () => {
  test("doubles from a second on, and never passes the bound", () => {
    const delays = Array.from({ length: 9 }, (_, tries) => retryDelay(lost, tries, 60_000))
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  test("the provider's own time counts, whether shorter or longer", () => {
    for (const retryAfterMs of [0, 7_000, 90_000]) {
      expect(retryDelay(new RateLimited({ message: "", retryAfterMs }), 3, 60_000)).toBe(retryAfterMs)
    }
    expect(retryDelay(new RateLimited({ message: "" }), 3, 60_000)).toBe(8_000)
  })

  test("what would be refused again is not tried again", () => {
    for (const error of [
      new StepRefused({ status: 401, message: "" }),
      new ContextTooLong({ message: "" }),
      new ModelUnusable({ model: "x", reason: "key-missing", message: "" })
    ]) {
      expect(retryDelay(error, 0, 60_000)).toBeUndefined()
    }
  })
})

describe("a step", () => {
  it.effect(
    "is tried 8 times more, then ends the turn",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      for (let tries = 0; tries < 8; tries++) {
        yield* (yield* model.asked).fail(lost)
        yield* TestClock.adjust(Math.min(60_000, 1_000 * 2 ** tries) - 1)
        expect(model.requests).toHaveLength(tries + 1)
        yield* TestClock.adjust(1)
      }
      yield* (yield* model.asked).fail(lost)
      yield* idle(session)
      expect(model.requests).toHaveLength(9)
      expect(yield* turnsEnded).toMatchObject([
        { outcome: "failed", error: "The connection broke. (8 retries did not help)", steps: 0 }
      ])
      expect(yield* transcript(session)).toEqual(["user: Go"])
    })
  )

  it.effect(
    "waits as long as the provider says, and goes on",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).fail(new RateLimited({ message: "Slow down.", retryAfterMs: 20_000 }))
      yield* TestClock.adjust("19999 millis")
      expect(model.requests).toHaveLength(1)
      yield* TestClock.adjust("1 millis")
      yield* (yield* model.asked).say("Done")
      yield* idle(session)
      expect(yield* turnsEnded).toMatchObject([{ outcome: "completed", steps: 1 }])
    })
  )

  it.effect(
    "that must wait longer than is bearable ends the turn and says until when",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).fail(new RateLimited({ message: "Slow down.", retryAfterMs: 3_600_000 }))
      yield* idle(session)
      expect(model.requests).toHaveLength(1)
      expect(yield* turnsEnded).toMatchObject([
        {
          outcome: "failed",
          error: "Slow down. The provider takes requests again at 1970-01-01T01:00:00.000Z."
        }
      ])
    })
  )

  it.effect(
    "that broke off is closed as failed, and the next try speaks anew",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const first = yield* model.asked
      yield* first.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "Hal" })
      yield* first.fail(lost)
      yield* TestClock.adjust("1 second")
      yield* (yield* model.asked).say("Half")
      yield* idle(session)
      expect(yield* transcript(session)).toEqual(["user: Go", "failed: Hal", "completed: Half"])
      const ended = yield* told("message.completed")
      expect(ended.map(({ data }) => data.message)).toMatchObject([
        { status: "failed", error: "The connection broke." },
        { status: "completed" }
      ])
      yield* prompt(session, "More")
      expect((yield* model.asked).text).not.toContain("Hal\n")
    })
  )

  it.effect(
    "a call is not made before its answer has ended well",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const first = yield* model.asked
      yield* first.emit({ type: "tool-call", callID: "call_1", name: "nothing", input: "{}" })
      yield* first.fail(lost)
      yield* TestClock.adjust("1 second")
      yield* (yield* model.asked).say("Done")
      yield* idle(session)
      expect(yield* told("part.created")).toHaveLength(1)
    })
  )

  it.effect(
    "tells deltas with their offsets, and stores a part at its end",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      const deltas = yield* (yield* Bus).signals.pipe(Stream.take(3), Stream.runCollect, Effect.forkChild)
      yield* Effect.yieldNow
      yield* prompt(session, "Go")
      const asked = yield* model.asked
      yield* asked.emit(
        { type: "reasoning-start", id: "r" },
        { type: "reasoning", id: "r", text: "Hm" },
        { type: "reasoning-end", id: "r", metadata: { test: "signed" } },
        { type: "text-start", id: "t" },
        { type: "text", id: "t", text: "ab" },
        { type: "text", id: "t", text: "cd" },
        { type: "text-end", id: "t" },
        finish()
      )
      yield* asked.end
      yield* idle(session)
      const heard = yield* Fiber.join(deltas)
      expect(heard.map(({ offset, text }) => [offset, text])).toEqual([
        [0, "Hm"],
        [0, "ab"],
        [2, "cd"]
      ])
      const begun = (yield* told("part.created")).map(({ data }) => data.part)
      const ended = (yield* told("part.completed")).map(({ data }) => data.part)
      expect(begun).toMatchObject([
        { type: "reasoning", text: "", complete: false },
        { type: "text", text: "" }
      ])
      expect(ended).toMatchObject([
        { type: "reasoning", text: "Hm", complete: true, metadata: { test: "signed" } },
        { type: "text", text: "abcd" }
      ])
      expect(heard.map(({ partID }) => partID)).toEqual([ended[0]!.id, ended[1]!.id, ended[1]!.id])
    })
  )
})
