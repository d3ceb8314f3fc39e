/** The text so far of what a model is saying: read before it is stored. */
import type { Session } from "@vigil/schema/session"
import { expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { Coordinator } from "../src/coordinator.ts"
import { Database } from "../src/database.ts"
import { ConnectionLost } from "../src/provider/step.ts"
import { Sessions } from "../src/session.ts"
import { core, idle, newSession, next, prompt } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { finish, Model } from "./lib/model.ts"
import { pass, settle } from "./lib/watching.ts"

const it = testEffect(core())

/** The parts of the newest message. */
const parts = (session: Session) =>
  Sessions.use((sessions) =>
    Effect.map(sessions.messages(session.id), (messages) => messages.at(-1)?.parts ?? [])
  )

const speaking = Effect.gen(function* () {
  const session = yield* newSession()
  yield* prompt(session, "Go")
  const asked = yield* (yield* Model).asked
  yield* asked.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "Hel" })
  yield* settle
  return { session, asked }
})

it.effect(
  "a read has the text so far, and the whole of it once that is stored",
  Effect.gen(function* () {
    const { session, asked } = yield* speaking
    expect(yield* parts(session)).toMatchObject([{ type: "text", text: "Hel" }])
    yield* asked.emit({ type: "text", id: "t", text: "lo" })
    yield* settle
    expect(yield* parts(session)).toMatchObject([{ type: "text", text: "Hello" }])
    yield* asked.emit({ type: "text-end", id: "t", metadata: { signed: true } }, finish())
    yield* asked.end
    yield* idle(session)
    expect(yield* parts(session)).toMatchObject([{ text: "Hello", metadata: { signed: true } }])
  })
)

it.effect(
  "so has a read of reasoning, which is not complete yet",
  Effect.gen(function* () {
    const session = yield* newSession()
    yield* prompt(session, "Go")
    const asked = yield* (yield* Model).asked
    yield* asked.emit({ type: "reasoning-start", id: "r" }, { type: "reasoning", id: "r", text: "Hm" })
    yield* settle
    expect(yield* parts(session)).toMatchObject([{ type: "reasoning", text: "Hm", complete: false }])
  })
)

it.effect(
  "what is read of a part that is stored is what is stored, though its draft is still there",
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { transaction } = yield* Database
    const { session } = yield* speaking
    const [part] = yield* parts(session)
    const seen = yield* transaction(
      Effect.gen(function* () {
        if (part?.type === "text") yield* sessions.completePart({ ...part, text: "Hello", metadata: {} })
        return yield* parts(session)
      })
    )
    expect(seen).toMatchObject([{ text: "Hello", metadata: {} }])
  })
)

it.effect(
  "an answer that breaks off leaves what it had said, and the next one begins anew",
  Effect.gen(function* () {
    const { session, asked } = yield* speaking
    yield* asked.fail(new ConnectionLost({ message: "gone" }))
    const again = yield* Effect.forkChild((yield* Model).asked)
    yield* settle
    expect(yield* parts(session)).toMatchObject([{ type: "text", text: "Hel" }])
    yield* pass(60_000)
    const second = yield* Fiber.join(again)
    yield* second.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "Good" })
    yield* settle
    expect(yield* parts(session)).toMatchObject([{ text: "Good" }])
    yield* (yield* Coordinator).interrupt(session.id)
    yield* next("turn.ended")
    expect(yield* parts(session)).toMatchObject([{ text: "Good" }])
  })
)
