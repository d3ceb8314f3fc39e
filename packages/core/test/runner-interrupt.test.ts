/** A turn that is stopped by its user, or because its session is deleted. */
import { InputId } from "@vigil/schema/input"
import type { Session } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Deferred, Effect, Layer, Option, Schema } from "effect"
import { Coordinator } from "../src/coordinator.ts"
import { Database } from "../src/database.ts"
import { Inbox } from "../src/inbox.ts"
import { Kv } from "../src/kv.ts"
import { Permissions } from "../src/permission.ts"
import { ConnectionLost } from "../src/provider/step.ts"
import { Sessions } from "../src/session.ts"
import { defineTool, Tools } from "../src/tool.ts"
import { Turns } from "../src/turn.ts"
import {
  core,
  idle,
  lines,
  newSession,
  next,
  prompt,
  tell,
  told,
  transcript,
  turnsEnded
} from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { finish, Model, text } from "./lib/model.ts"
import { HeldTools } from "./lib/test-tools.ts"
import { pass, settle } from "./lib/watching.ts"

const it = testEffect(HeldTools.layer.pipe(Layer.provideMerge(core())))

const interrupt = (session: Session) =>
  Effect.andThen(
    Coordinator.use((coordinator) => coordinator.interrupt(session.id)),
    settle
  )
/** The next request after a prompt: valid, and answered. */
const goesOn = Effect.fnUntraced(function* (session: Session) {
  const model = yield* Model
  yield* prompt(session, "Go on")
  const asked = yield* model.asked
  yield* asked.say("Done")
  yield* idle(session)
  expect(model.faults).toEqual([])
  expect((yield* turnsEnded).at(-1)).toMatchObject({ outcome: "completed" })
  return asked
})
const outcomes = Effect.map(turnsEnded, (turns) => turns.map(({ outcome }) => outcome))

/** Comes to a point, and returns what is done there. */
type Stage = (
  session: Session
) => Effect.Effect<
  Effect.Effect<unknown, unknown, Coordinator>,
  unknown,
  Model | HeldTools | Inbox | Coordinator
>

describe("a user's interrupt", () => {
  it.effect(
    "hangs up in mid-stream, keeps what was said and drops unfinished reasoning from the next request",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const asked = yield* model.asked
      yield* asked.emit(
        { type: "reasoning-start", id: "r" },
        { type: "reasoning", id: "r", text: "If" },
        { type: "text-start", id: "t" },
        { type: "text", id: "t", text: "I sta" }
      )
      yield* settle
      yield* interrupt(session)
      yield* asked.hungUp
      expect(yield* transcript(session)).toEqual(["user: Go", "interrupted: If I sta"])
      expect(yield* outcomes).toEqual(["interrupted"])
      const request = yield* goesOn(session)
      expect(request.text).toContain("I sta")
      expect(request.text).not.toContain("If")
    })
  )

  it.effect(
    "before anything was said leaves no answer",
    Effect.gen(function* () {
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* Model).asked
      yield* interrupt(session)
      expect(yield* transcript(session)).toEqual(["user: Go"])
      yield* goesOn(session)
    })
  )

  it.effect(
    "gives each call a result: those that run and those that had not begun",
    Effect.gen(function* () {
      const model = yield* Model
      const tools = yield* HeldTools
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).call(
        ["wait", { n: 1 }],
        ["wait", { n: 2 }],
        ["edit", { n: 3 }],
        ["edit", { n: 4 }]
      )
      yield* (yield* tools.begun).answer("fine")
      yield* tools.begun
      yield* settle
      yield* interrupt(session)
      expect(tools.interrupted).toEqual(["wait2"])
      expect(yield* transcript(session)).toEqual([
        "user: Go",
        "completed: wait=completed:fine wait=interrupted:Interrupted by the user. edit=interrupted:Interrupted by the user. edit=interrupted:Interrupted by the user."
      ])
      expect(yield* told("part.completed")).toHaveLength(4)
      expect((yield* goesOn(session)).text).toContain("Interrupted by the user.")
    })
  )

  for (const steps of [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 40]) {
    it.effect(
      `${steps} moments behind an answer with calls leaves none without a result, and no turn without an end`,
      Effect.gen(function* () {
        const model = yield* Model
        const session = yield* newSession()
        yield* prompt(session, "Go")
        const asked = yield* model.asked
        yield* asked.emit(
          ...text("So"),
          { type: "tool-call", callID: "call_a", name: "wait", input: "{}" },
          { type: "tool-call", callID: "call_b", name: "edit", input: "{}" },
          finish("tool-calls")
        )
        for (let i = 0; i < steps; i++) yield* Effect.yieldNow
        yield* interrupt(session)
        for (const { parts } of yield* (yield* Sessions).messages(session.id)) {
          for (const part of parts) if (part.type === "tool") expect(part.status).toBe("interrupted")
        }
        expect(yield* outcomes).toEqual(["interrupted"])
        expect(yield* (yield* Turns).open(session.id)).toEqual(Option.none())
        yield* goesOn(session)
      })
    )

    it.effect(
      `${steps} moments behind a prompt leaves no turn without an end`,
      Effect.gen(function* () {
        const session = yield* newSession()
        yield* prompt(session, "Go")
        for (let i = 0; i < steps; i++) yield* Effect.yieldNow
        yield* interrupt(session)
        expect(yield* told("turn.ended")).toHaveLength((yield* told("turn.started")).length)
        expect(yield* (yield* Turns).open(session.id)).toEqual(Option.none())
        yield* Effect.forkChild(
          Effect.forever(Effect.flatMap((yield* Model).asked, (asked) => asked.say("Done")))
        )
        yield* prompt(session, "Again")
        yield* settle
        yield* idle(session)
        const said = yield* transcript(session)
        expect(said.filter((line) => line.startsWith("user"))).toEqual(["user: Go", "user: Again"])
        expect((yield* Model).faults).toEqual([])
      })
    )

    it.effect(
      `${steps} moments behind a turn's last answer does not end it twice, and begins what is queued later`,
      Effect.gen(function* () {
        const model = yield* Model
        const session = yield* newSession()
        yield* prompt(session, "Go")
        const asked = yield* model.asked
        yield* prompt(session, "Later", "queue")
        yield* asked.say("Done")
        for (let i = 0; i < steps; i++) yield* Effect.yieldNow
        yield* interrupt(session)
        const [started, ended] = [yield* told("turn.started"), yield* told("turn.ended")]
        const ids = (events: ReadonlyArray<(typeof started)[number] | (typeof ended)[number]>) =>
          events.map(({ data }) => data.turn.id)
        expect(ids(ended)).toEqual(ids(started))
        yield* Effect.forkChild(Effect.forever(Effect.flatMap(model.asked, (asked) => asked.say("Done"))))
        yield* pass(30_000)
        yield* idle(session)
        expect((yield* transcript(session)).filter((line) => line === "user: Later")).toHaveLength(1)
      })
    )
  }

  describe("while the database is busy with another's transaction", () => {
    const held = (name: string, stage: Stage, said: ReadonlyArray<string>) =>
      it.effect(
        name,
        Effect.gen(function* () {
          const { transaction } = yield* Database
          const session = yield* newSession()
          const act = yield* stage(session)
          const free = yield* Deferred.make<void>()
          yield* Effect.forkChild(transaction(Deferred.await(free)))
          yield* settle
          yield* act
          yield* settle
          yield* interrupt(session)
          yield* Deferred.succeed(free, undefined)
          yield* settle
          expect(yield* told("turn.ended")).toHaveLength((yield* told("turn.started")).length)
          expect(yield* (yield* Turns).open(session.id)).toEqual(Option.none())
          expect((yield* transcript(session)).slice(1)).toEqual([...said])
          yield* goesOn(session)
        })
      )
    const begun = (session: Session) =>
      Effect.andThen(
        prompt(session, "Go"),
        Effect.flatMap(Model, (model) => model.asked)
      )

    held(
      "a turn that is about to begin ends, or never begins",
      (session) =>
        Effect.gen(function* () {
          const inbox = yield* Inbox
          yield* inbox.admit({
            id: InputId.make("inp_1"),
            sessionID: session.id,
            delivery: "steer",
            origin: "user",
            payload: { type: "prompt", text: "Go" },
            wakes: true
          })
          return Coordinator.use((coordinator) => coordinator.wake(session.id))
        }),
      []
    )

    held(
      "a part that begins is part of an interrupted answer",
      (session) =>
        Effect.map(begun(session), (asked) =>
          asked.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "I" })
        ),
      ["interrupted: "]
    )

    held(
      "an answer that is complete keeps its calls, which get results",
      (session) => Effect.map(begun(session), (asked) => asked.call(["wait"])),
      ["completed: wait=interrupted:Interrupted by the user."]
    )

    held(
      "a result that a tool has given stays",
      (session) =>
        Effect.gen(function* () {
          yield* (yield* begun(session)).call(["wait"])
          return (yield* (yield* HeldTools).begun).answer("done")
        }),
      ["completed: wait=completed:done"]
    )
  })

  it.effect(
    "while a retry waits ends the turn at once",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).fail(new ConnectionLost({ message: "Broken" }))
      yield* settle
      yield* interrupt(session)
      expect(yield* outcomes).toEqual(["interrupted"])
      yield* pass(10_000)
      expect(model.requests).toHaveLength(1)
    })
  )

  it.effect(
    "leaves what waits for 30 s after the clean-up, or for the next prompt",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* model.asked
      yield* tell(session, lines("mon_1", "ready"))
      yield* interrupt(session)
      yield* tell(session, lines("mon_2", "steady"))
      yield* pass(29_999)
      expect(model.requests).toHaveLength(1)
      yield* pass(1)
      expect((yield* model.asked).text).toMatch(/ready\n.*steady/)

      yield* interrupt(session)
      yield* tell(session, lines("mon_3", "go"))
      const asked = yield* goesOn(session)
      expect(asked.text).toMatch(/: go\nGo on/)
      expect((yield* transcript(session)).filter((line) => line.startsWith("event"))).toHaveLength(3)
    })
  )

  it.effect(
    "ends the asks that waited as withdrawn",
    Effect.gen(function* () {
      const model = yield* Model
      const permissions = yield* Permissions
      yield* asking
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* model.asked).call(["ask"])
      yield* next("permission.asked")
      yield* interrupt(session)
      expect(yield* permissions.pending(session.id)).toEqual([])
      expect(yield* told("permission.replied")).toMatchObject([{ data: { answer: "withdrawn" } }])
      expect(yield* outcomes).toEqual(["interrupted"])
      yield* goesOn(session)
    })
  )
})

const asking = Effect.gen(function* () {
  const permissions = yield* Permissions
  yield* (yield* Tools).transform((editor) =>
    editor.add(
      defineTool({
        name: "ask",
        description: "ask",
        input: Schema.Struct({}),
        execute: (_, { session, callID }) =>
          permissions
            .require({
              session,
              tool: "ask",
              callID,
              title: "make",
              subjects: [{ action: "shell", value: "make", pattern: "make" }]
            })
            .pipe(
              Effect.as({ output: "made" }),
              Effect.catchTag("PermissionDenied", ({ message }) => Effect.succeed({ output: message }))
            )
      })
    )
  )
})

describe("a deletion", () => {
  it.effect(
    "ends the turn that runs, and nothing of it is told afterwards",
    Effect.gen(function* () {
      const tools = yield* HeldTools
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* (yield* Model).asked).call(["wait"])
      yield* tools.begun
      yield* (yield* Sessions).remove(session.id)
      yield* settle
      expect(tools.interrupted).toEqual(["wait"])
      expect(yield* (yield* Coordinator).running(session.id)).toBe(false)
      expect((yield* told()).map(({ type }) => type)).toEqual(["session.deleted"])
      expect(yield* (yield* Kv).scan("")).toEqual([])
    })
  )

  it.effect(
    "while an answer streams hangs up",
    Effect.gen(function* () {
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const asked = yield* (yield* Model).asked
      yield* asked.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "I sta" })
      yield* settle
      yield* (yield* Sessions).remove(session.id)
      yield* asked.hungUp
      yield* settle
      expect((yield* told()).map(({ type }) => type)).toEqual(["session.deleted"])
    })
  )

  it.effect(
    "ends an ask that waits as withdrawn, and its turn with it",
    Effect.gen(function* () {
      yield* asking
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* (yield* (yield* Model).asked).call(["ask"])
      yield* next("permission.asked")
      yield* (yield* Sessions).remove(session.id)
      yield* settle
      expect(yield* (yield* Permissions).pending()).toEqual([])
      expect(yield* (yield* Coordinator).running(session.id)).toBe(false)
      expect((yield* told()).map(({ type }) => type)).toEqual(["permission.replied", "session.deleted"])
    })
  )

  it.effect(
    "ends a rest, and what waited behind it wakes nobody",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      yield* model.asked
      yield* tell(session, lines("mon_1", "ready"))
      yield* interrupt(session)
      yield* (yield* Sessions).remove(session.id)
      yield* pass(60_000)
      expect(model.requests).toHaveLength(1)
    })
  )
})
