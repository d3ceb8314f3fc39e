/** How often events are read before they wait. */
import type { Session } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { Coordinator } from "../src/coordinator.ts"
import { Inbox } from "../src/inbox.ts"
import { Sessions } from "../src/session.ts"
import {
  core,
  idle,
  lines,
  newSession,
  notice,
  prompt,
  tell,
  told,
  transcript,
  turnsEnded
} from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { Model } from "./lib/model.ts"
import { pass, settle } from "./lib/watching.ts"

const it = testEffect(core())

/** Answers each request, and tells of another event first while there are more to tell. */
const storm = Effect.fnUntraced(function* (session: Session, events: number) {
  const model = yield* Model
  for (let n = 1; n <= events; n++) {
    const asked = yield* model.asked
    yield* tell(session, lines(`mon_${n}`, `line ${n}`))
    yield* asked.say("Seen")
  }
  yield* (yield* model.asked).say("Seen")
})
const answerAll = Effect.gen(function* () {
  const model = yield* Model
  yield* Effect.forkChild(Effect.forever(Effect.flatMap(model.asked, (asked) => asked.say("Seen"))))
})
const held = (session: Session) =>
  Sessions.use((sessions) => Effect.map(sessions.get(session.id), (now) => now.eventsHeld))
const pending = (session: Session) => Inbox.use((inbox) => inbox.pending(session.id))

describe("in one turn", () => {
  it.effect(
    "events are read 50 times; what comes then waits for its end and 30 s",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* storm(session, 50)
      yield* settle
      expect(model.requests).toHaveLength(51)
      expect(yield* turnsEnded).toMatchObject([{ outcome: "completed", steps: 51 }])

      // The same turn, one event more.
      const other = yield* newSession()
      yield* prompt(other, "Go")
      for (let n = 1; n <= 51; n++) {
        const asked = yield* model.asked
        yield* tell(other, lines(`mon_${n}`, `line ${n}`))
        yield* asked.say("Seen")
      }
      yield* settle
      expect(yield* pending(other)).toHaveLength(1)
      expect(yield* turnsEnded).toHaveLength(2)
      yield* pass(29_999)
      expect(model.requests).toHaveLength(102)
      yield* pass(1)
      expect((yield* model.asked).text).toContain("line 51")
      expect(yield* held(other)).toBeUndefined()
    })
  )

  it.effect(
    "what rests is read with a prompt that comes meanwhile",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      for (let n = 1; n <= 51; n++) {
        const asked = yield* model.asked
        yield* tell(session, lines(`mon_${n}`, `line ${n}`))
        yield* asked.say("Seen")
      }
      yield* settle
      yield* prompt(session, "What now?")
      expect((yield* model.asked).text).toMatch(/line 51\nWhat now\?/)
    })
  )

  it.effect(
    "a notice is read past the bound, with the lines of its monitor, and does not count",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      for (let n = 1; n <= 50; n++) {
        const asked = yield* model.asked
        yield* tell(session, lines(`mon_${n}`, `line ${n}`))
        yield* asked.say("Seen")
      }
      const asked = yield* model.asked
      yield* tell(session, lines("mon_a", "last words"))
      yield* tell(session, lines("mon_b", "others"))
      yield* tell(session, notice("mon_a", "exited with code 1"))
      yield* asked.say("Seen")
      const next = yield* model.asked
      expect(next.text).toContain("last words")
      expect(next.text).toContain("exited with code 1")
      expect(next.text).not.toContain("others")
      yield* next.say("Seen")
      yield* settle
      expect(yield* turnsEnded).toHaveLength(1)
      expect((yield* pending(session)).map(({ payload }) => payload)).toEqual([lines("mon_b", "others")])
    })
  )

  it.effect(
    "many events read together count once",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const asked = yield* model.asked
      for (let n = 1; n <= 60; n++) yield* tell(session, lines(`mon_${n}`, `line ${n}`))
      yield* asked.say("Seen")
      const next = yield* model.asked
      expect(next.text.match(/: line /g)).toHaveLength(60)
      yield* next.say("Seen")
      yield* idle(session)
      expect(yield* turnsEnded).toHaveLength(1)
    })
  )
})

const hourly = testEffect(core({ events: { perHour: 3 } }))

describe("in an hour", () => {
  it.effect(
    "events are read 120 times since the last prompt, whether they start turns or join steps",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* answerAll
      for (let n = 1; n <= 121; n++) {
        yield* tell(session, lines(`mon_${n}`, `line ${n}`))
        yield* settle
        yield* idle(session)
      }
      expect(model.requests).toHaveLength(120)
      expect(yield* held(session)).toBe("budget")
    }),
    20_000
  )

  hourly.effect(
    "then they wait for a prompt: clients are told, and the agent reads it with them",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      for (let n = 1; n <= 3; n++) {
        yield* tell(session, lines("mon_1", `line ${n}`))
        yield* (yield* model.asked).say("Seen")
        yield* settle
      }
      yield* tell(session, lines("mon_1", "line 4"))
      yield* settle
      yield* tell(session, lines("mon_2", "line 5"))
      yield* pass(3_600_000)
      expect(model.requests).toHaveLength(3)
      expect(yield* told("session.updated")).toMatchObject([{ data: { session: { eventsHeld: "budget" } } }])

      yield* prompt(session, "What is new?")
      const asked = yield* model.asked
      expect(asked.text).toMatch(/line 4\n.*line 5\nWhat is new\?/)
      expect(asked.text).toContain("Events waited for the user's prompt")
      expect(yield* held(session)).toBeUndefined()
      // A prompt begins the count anew.
      yield* tell(session, lines("mon_1", "line 6"))
      yield* asked.say("This")
      const next = yield* model.asked
      expect(next.text).toContain("line 6")
      expect(next.text).not.toContain("Events waited")
      yield* next.say("Seen")
      yield* idle(session)
      expect(model.faults).toEqual([])
    })
  )

  hourly.effect(
    "a notice is read all the same, and takes its monitor's lines along",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      for (let n = 1; n <= 3; n++) {
        yield* tell(session, lines("mon_1", `line ${n}`))
        yield* (yield* model.asked).say("Seen")
        yield* settle
      }
      yield* tell(session, lines("mon_1", "line 4"))
      yield* settle
      expect(yield* held(session)).toBe("budget")
      yield* tell(session, notice("mon_1"))
      const asked = yield* model.asked
      expect(asked.text).toMatch(/line 4\n.*exited with code 0/)
      yield* asked.say("Seen")
      yield* settle
      expect(yield* held(session)).toBe("budget")
    })
  )

  hourly.effect(
    "what was read more than an hour ago does not count",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      for (let n = 1; n <= 8; n++) {
        yield* tell(session, lines("mon_1", `line ${n}`))
        yield* (yield* model.asked).say("Seen")
        yield* pass(1_300_000)
      }
      expect(yield* held(session)).toBeUndefined()
    })
  )

  hourly.effect(
    "the agent's own action that triggers its watch comes to rest",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      // Each answer makes the monitor print again.
      yield* Effect.forkChild(
        Effect.forever(
          Effect.gen(function* () {
            const asked = yield* model.asked
            yield* tell(session, lines("mon_1", "changed"))
            yield* asked.say("I change it back")
          })
        )
      )
      yield* pass(3_600_000)
      yield* idle(session)
      expect(model.requests).toHaveLength(4)
      expect(yield* held(session)).toBe("budget")
      expect(yield* (yield* Coordinator).running(session.id)).toBe(false)
      expect(yield* transcript(session)).toHaveLength(8)
    })
  )
})

const capped = testEffect(core({ events: { perTurn: 2, pauseMs: 1_000 } }))

describe("as set", () => {
  capped.effect(
    "the bound of a turn and its rest",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* tell(session, lines("mon_0", "line 0"))
      for (let n = 1; n <= 2; n++) {
        const asked = yield* model.asked
        yield* tell(session, lines(`mon_${n}`, `line ${n}`))
        yield* asked.say("Seen")
      }
      yield* settle
      expect(model.requests).toHaveLength(2)
      yield* pass(1_000)
      expect((yield* model.asked).text).toContain("line 2")
    })
  )
})
