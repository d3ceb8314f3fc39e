/** When a session is quiet: nothing runs, and nothing is left that could wake it. */
import type { Session } from "@vigil/schema/session"
import { expect } from "bun:test"
import { Effect, Ref } from "effect"
import { BackgroundShells } from "../src/background.ts"
import { Coordinator } from "../src/coordinator.ts"
import { Monitors } from "../src/monitor.ts"
import { Statuses } from "../src/status.ts"
import { core } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import { Model } from "./lib/model.ts"
import { newSession, settle, started } from "./lib/watching.ts"

const it = testEffect(core())

/** Whether somebody who waits for it is let go. */
const waiter = (session: Pick<Session, "id">) =>
  Effect.gen(function* () {
    const over = yield* Ref.make(false)
    const { awaitQuiet } = yield* Statuses
    yield* awaitQuiet(session.id).pipe(Effect.andThen(Ref.set(over, true)), Effect.forkChild)
    return Effect.andThen(settle, Ref.get(over))
  })

it.effect(
  "a session that does nothing is quiet at once",
  Effect.gen(function* () {
    const quiet = yield* waiter(yield* newSession())
    expect(yield* quiet).toBe(true)
  })
)

it.effect(
  "it is quiet once its monitor has ended and the turn that reads of it is over",
  Effect.gen(function* () {
    const model = yield* Model
    const { session, process } = yield* started()
    yield* (yield* Coordinator).awaitIdle(session.id)
    const quiet = yield* waiter(session)
    expect(yield* quiet).toBe(false)
    process.exit()
    const asked = yield* model.asked
    expect(yield* quiet).toBe(false)
    yield* asked.say("It has ended")
    expect(yield* quiet).toBe(true)
  })
)

it.effect(
  "what the turn behind one end begins is waited for too",
  Effect.gen(function* () {
    const model = yield* Model
    const { session, process } = yield* started()
    const quiet = yield* waiter(session)
    process.exit()
    const asked = yield* model.asked
    const shell = yield* (yield* BackgroundShells).start(session.id, { command: "more", background: true })
    const more = yield* (yield* FakeShell).next
    yield* asked.say("It has ended, and I began more")
    expect(yield* quiet).toBe(false)
    more.exit()
    yield* (yield* model.asked).say("Done")
    expect(yield* quiet).toBe(true)
    expect((yield* (yield* BackgroundShells).get(session.id, shell.id)).status).toBe("ended")
  })
)

it.effect(
  "a monitor that its user stopped leaves it quiet, and wakes nobody",
  Effect.gen(function* () {
    const { session, monitor } = yield* started()
    const quiet = yield* waiter(session)
    yield* (yield* Monitors).stop(session.id, monitor.id, "user")
    expect(yield* quiet).toBe(true)
    expect((yield* Model).requests).toHaveLength(0)
  })
)
