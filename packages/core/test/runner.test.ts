/** Turns: what is read when, and what is told of it. */
import type { Session } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Coordinator } from "../src/coordinator.ts"
import { StepRefused } from "../src/provider/step.ts"
import { Sessions } from "../src/session.ts"
import { Statuses } from "../src/status.ts"
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
import { Model, text, finish } from "./lib/model.ts"
import { HeldTools } from "./lib/test-tools.ts"
import { pass, settle } from "./lib/watching.ts"

const it = testEffect(HeldTools.layer.pipe(Layer.provideMerge(core())))

const kinds = Effect.map(told(), (events) =>
  events.map(({ type }) => type).filter((type) => !type.startsWith("session."))
)
/** Turn by turn, the ids of what was said in it. */
const byTurn = (session: Session) =>
  Sessions.use((sessions) =>
    Effect.map(sessions.messages(session.id), (messages) => {
      const turns = [...Map.groupBy(messages, ({ message }) => message.turnID).values()]
      return turns.map((said) => said.map(({ message }) => message.role).join(" "))
    })
  )

describe("a turn", () => {
  it.effect(
    "is told from its start to its end, each fact once and in order",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      const { id } = yield* prompt(session, "Go")
      yield* (yield* model.asked).say("Done")
      yield* idle(session)
      expect(yield* kinds).toEqual([
        "inbox.admitted",
        "turn.started",
        "message.created",
        "inbox.promoted",
        "message.created",
        "part.created",
        "part.completed",
        "message.completed",
        "turn.ended"
      ])
      expect(yield* transcript(session)).toEqual(["user: Go", "completed: Done"])
      const [asked, answered] = yield* (yield* Sessions).messages(session.id)
      expect(asked!.message.id).toBe(id)
      expect(answered!.message).toMatchObject({ model: "test/model", usage: { inputTokens: 10 } })
      expect(yield* turnsEnded).toMatchObject([{ outcome: "completed", steps: 1, startedAt: 0, endedAt: 0 }])
      expect(model.faults).toEqual([])
    })
  )

  it.effect(
    "takes steps until no tool is called, each with its results",
    Effect.gen(function* () {
      const model = yield* Model
      const tools = yield* HeldTools
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).call(["wait", { n: 1 }])
      const first = yield* tools.begun
      expect(first.call).toMatchObject({ session: { id: session.id } })
      yield* first.answer("one")
      const second = yield* model.asked
      expect(second.text).toContain("one")
      yield* second.call(["wait", { n: 2 }])
      yield* (yield* tools.begun).answer("two")
      yield* (yield* model.asked).say("Done")
      yield* idle(session)
      expect(yield* turnsEnded).toMatchObject([{ outcome: "completed", steps: 3 }])
      expect(yield* transcript(session)).toEqual([
        "user: Go",
        "completed: wait=completed:one",
        "completed: wait=completed:two",
        "completed: Done"
      ])
      expect(model.faults).toEqual([])
    })
  )

  it.effect(
    "of a session may be begun by an event alone",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* tell(session, lines("mon_1", "ready"))
      const asked = yield* model.asked
      expect(asked.text).toContain("[background event from monitor 'mon_1' — not a user message]: ready")
      yield* asked.say("Seen")
      yield* idle(session)
      expect(model.faults).toEqual([])
    })
  )

  it.effect(
    "is running while it runs, and the session idle behind it",
    Effect.gen(function* () {
      const model = yield* Model
      const statuses = yield* Statuses
      const session = yield* newSession()
      expect(yield* statuses.of(session.id)).toBe("idle")
      yield* prompt(session, "Go")
      const asked = yield* model.asked
      expect(yield* statuses.of(session.id)).toBe("running")
      yield* asked.say("Done")
      yield* idle(session)
      expect(yield* statuses.of(session.id)).toBe("idle")
    })
  )
})

describe("what steers", () => {
  it.effect(
    "is read at the next boundary, without cancelling the tool that runs",
    Effect.gen(function* () {
      const model = yield* Model
      const tools = yield* HeldTools
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).call(["wait"])
      const held = yield* tools.begun
      yield* prompt(session, "Hurry")
      yield* tell(session, lines("mon_1", "ready"))
      yield* settle
      expect(tools.interrupted).toEqual([])
      expect(model.requests).toHaveLength(1)
      yield* held.answer("done")
      const next = yield* model.asked
      expect(next.text).toMatch(/done\nHurry\n.*ready/)
      yield* next.say("Fine")
      yield* idle(session)
      expect(yield* byTurn(session)).toEqual(["user assistant user event assistant"])
      expect(model.faults).toEqual([])
    })
  )

  it.effect(
    "while an answer without calls streams, adds a step to the same turn",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const first = yield* model.asked
      yield* first.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "Wait" })
      yield* prompt(session, "Also this")
      yield* settle
      expect(model.requests).toHaveLength(1)
      yield* first.emit({ type: "text-end", id: "t" }, finish())
      yield* first.end
      yield* (yield* model.asked).say("Both")
      yield* idle(session)
      expect(yield* byTurn(session)).toEqual(["user assistant user assistant"])
      expect(yield* turnsEnded).toHaveLength(1)
    })
  )
})

describe("what is queued", () => {
  it.effect(
    "waits for the turn's end, and begins a new turn, all together",
    Effect.gen(function* () {
      const model = yield* Model
      const tools = yield* HeldTools
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).call(["wait"])
      const held = yield* tools.begun
      yield* prompt(session, "Later", "queue")
      yield* tell(session, lines("mon_1", "ready"), "queue")
      yield* held.answer("done")
      const second = yield* model.asked
      expect(second.text).not.toContain("Later")
      yield* second.say("First done")
      const third = yield* model.asked
      expect(third.text).toMatch(/First done\nLater\n.*ready/)
      yield* third.say("Later done")
      yield* idle(session)
      expect(yield* byTurn(session)).toEqual(["user assistant assistant", "user event assistant"])
      const order = (yield* kinds).filter((type) => type.startsWith("turn."))
      expect(order).toEqual(["turn.started", "turn.ended", "turn.started", "turn.ended"])
    })
  )

  it.effect(
    "comes after what steers",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const first = yield* model.asked
      yield* prompt(session, "Later", "queue")
      yield* prompt(session, "Now", "steer")
      yield* first.say("One")
      const second = yield* model.asked
      expect(second.text).toContain("Now")
      expect(second.text).not.toContain("Later")
      yield* second.say("Two")
      yield* (yield* model.asked).say("Three")
      yield* idle(session)
      expect(yield* byTurn(session)).toEqual(["user assistant user assistant", "user assistant"])
    })
  )

  it.effect(
    "is read at once in a session that is idle, whatever unread notice wakes nobody",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* tellQuietly(session)
      yield* pass(60_000)
      expect(model.requests).toHaveLength(0)
      yield* prompt(session, "Go", "queue")
      const asked = yield* model.asked
      expect(asked.text).toMatch(/stopped by the user\nGo/)
      yield* asked.say("Done")
      yield* idle(session)
      expect(yield* byTurn(session)).toEqual(["event user assistant"])
    })
  )

  it.effect(
    "is not stranded behind an unread notice that wakes nobody",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const first = yield* model.asked
      yield* tellQuietly(session)
      yield* prompt(session, "Later", "queue")
      yield* first.say("One")
      yield* (yield* model.asked).say("Two")
      yield* idle(session)
      expect(yield* byTurn(session)).toEqual(["user assistant", "event user assistant"])
    })
  )
})

const tellQuietly = (session: Session) =>
  Coordinator.use((coordinator) =>
    Effect.orDie(
      coordinator.synthetic(session.id, {
        origin: "shell",
        payload: notice("sh_1", "stopped by the user"),
        wakes: false
      })
    )
  )

type Lived = (session: Session) => Effect.Effect<void, never, Model | HeldTools | Coordinator>

describe("an event is read exactly once, whenever it comes", () => {
  const once = (name: string, live: Lived) =>
    it.effect(
      name,
      Effect.gen(function* () {
        const model = yield* Model
        const session = yield* newSession()
        yield* prompt(session, "Go")
        yield* live(session)
        // Whoever asks by now is answered.
        yield* Effect.forkChild(Effect.forever(Effect.flatMap(model.asked, (asked) => asked.say("Fine"))))
        yield* settle
        yield* idle(session)
        const read = (yield* transcript(session)).filter((said) => said === "event: ready")
        expect(read).toHaveLength(1)
        expect(yield* told("inbox.promoted")).toHaveLength(2)
        const last = model.requests.at(-1)!
        expect(JSON.stringify(last.prompt).split(": ready").length - 1).toBe(1)
        expect(model.faults).toEqual([])
      })
    )

  once("before anything is streamed", (session) =>
    Effect.gen(function* () {
      const asked = yield* (yield* Model).asked
      yield* tell(session, lines("mon_1", "ready"))
      yield* asked.say("Done")
    })
  )

  once("while text streams", (session) =>
    Effect.gen(function* () {
      const asked = yield* (yield* Model).asked
      yield* asked.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "Wa" })
      yield* settle
      yield* tell(session, lines("mon_1", "ready"))
      yield* asked.emit({ type: "text-end", id: "t" }, finish())
      yield* asked.end
    })
  )

  once("while a tool runs", (session) =>
    Effect.gen(function* () {
      yield* (yield* (yield* Model).asked).call(["wait"])
      const held = yield* (yield* HeldTools).begun
      yield* tell(session, lines("mon_1", "ready"))
      yield* held.answer("done")
    })
  )

  once("between a step's end and the answer to it", (session) =>
    Effect.gen(function* () {
      const asked = yield* (yield* Model).asked
      yield* asked.emit(...text("Done"), finish())
      yield* settle
      yield* tell(session, lines("mon_1", "ready"))
      yield* asked.end
    })
  )

  for (const steps of [0, 1, 2, 3, 5, 8, 13, 21, 34, 55]) {
    once(`between the last look and the sleep, ${steps} moments behind the answer`, (session) =>
      Effect.gen(function* () {
        yield* (yield* (yield* Model).asked).say("Done")
        for (let i = 0; i < steps; i++) yield* Effect.yieldNow
        yield* tell(session, lines("mon_1", "ready"))
      })
    )
  }

  once("while the session rests", (session) =>
    Effect.gen(function* () {
      yield* (yield* (yield* Model).asked).emit()
      yield* (yield* Coordinator).interrupt(session.id)
      yield* settle
      yield* tell(session, lines("mon_1", "ready"))
      yield* pass(30_000)
    })
  )
})

describe("a failure", () => {
  it.effect(
    "ends the turn where a provider fails for good, with words for a person",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).fail(new StepRefused({ status: 401, message: "Set another key." }))
      yield* idle(session)
      expect(yield* turnsEnded).toMatchObject([{ outcome: "failed", error: "Set another key.", steps: 0 }])
      expect(model.requests).toHaveLength(1)
      yield* prompt(session, "Again")
      yield* (yield* model.asked).say("Here")
      yield* idle(session)
      expect(yield* transcript(session)).toEqual(["user: Go", "user: Again", "completed: Here"])
      expect(model.faults).toEqual([])
    })
  )
})
