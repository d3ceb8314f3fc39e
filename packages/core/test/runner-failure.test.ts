/** A turn that no retry mends, and what waits behind it. */
import type { Session } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Settings } from "../src/config.ts"
import { Coordinator } from "../src/coordinator.ts"
import { StepRefused } from "../src/provider/step.ts"
import { Sessions } from "../src/session.ts"
import {
  core,
  coreWith,
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

const refused = new StepRefused({ status: 401, message: "The key is wrong. Set ANTHROPIC_API_KEY." })
const failed = Effect.gen(function* () {
  const session = yield* newSession()
  yield* prompt(session, "Go")
  yield* (yield* (yield* Model).asked).fail(refused)
  yield* idle(session)
  return session
})
const held = (session: Session) =>
  Sessions.use((sessions) => Effect.map(sessions.get(session.id), (now) => now.eventsHeld))
const update = (session: Session, change: Partial<Session>) =>
  Sessions.use((sessions) => sessions.update(session.id, (before) => ({ ...before, ...change })))

describe("behind a turn that failed for good", () => {
  it.effect(
    "a prompt that was queued behind it gets a turn of its own",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const asked = yield* model.asked
      yield* prompt(session, "Then this", "queue")
      yield* asked.fail(refused)
      const next = yield* model.asked
      expect(next.text).toContain("Then this")
      yield* next.say("Done")
      yield* idle(session)
      expect(yield* turnsEnded).toMatchObject([{ outcome: "failed" }, { outcome: "completed" }])
    })
  )

  it.effect(
    "events wait, notices too, whatever time passes, and clients are told why",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* failed
      expect(yield* turnsEnded).toMatchObject([{ outcome: "failed", error: refused.message }])
      yield* tell(session, lines("mon_1", "ready"))
      yield* tell(session, notice("mon_1"))
      yield* pass(7_200_000)
      expect(model.requests).toHaveLength(1)
      expect(yield* held(session)).toBe("failure")
      expect(yield* told("session.updated")).toMatchObject([{ data: { session: { eventsHeld: "failure" } } }])
    })
  )

  it.effect(
    "they are read with the next prompt, which says that they had waited",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* failed
      yield* tell(session, lines("mon_1", "ready"))
      yield* settle
      yield* prompt(session, "Again")
      const asked = yield* model.asked
      expect(asked.text).toMatch(/^Go\n.*ready\nAgain\n/)
      expect(asked.text).toContain("Events waited for the user's prompt: the turn before it had failed.")
      yield* asked.say("Here")
      yield* idle(session)
      expect(yield* held(session)).toBeUndefined()
      expect(model.faults).toEqual([])
    })
  )

  it.effect(
    "a changed model is worth another try",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* failed
      yield* tell(session, lines("mon_1", "ready"))
      yield* settle
      expect(model.requests).toHaveLength(1)
      yield* update(session, { model: "test/other" })
      yield* (yield* Coordinator).wake(session.id)
      const asked = yield* model.asked
      expect(asked.request.model).toBe("test/other")
      expect(asked.text).toContain("ready")
      expect(yield* held(session)).toBeUndefined()
    })
  )

  it.effect(
    "a model that was chosen while the turn failed is tried too: it has not failed",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const asked = yield* model.asked
      yield* update(session, { model: "test/other" })
      yield* (yield* Coordinator).wake(session.id)
      yield* tell(session, lines("mon_1", "ready"))
      yield* asked.fail(refused)
      const next = yield* model.asked
      expect(next.request.model).toBe("test/other")
      expect(next.text).toContain("ready")
      yield* next.say("Seen")
      yield* idle(session)
      expect(yield* held(session)).toBeUndefined()
    })
  )

  it.effect(
    "so is a changed key, and another change of the session is none",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* failed
      yield* tell(session, lines("mon_1", "ready"))
      yield* update(session, { title: "Tea" })
      yield* (yield* Coordinator).wake(session.id)
      yield* settle
      expect(model.requests).toHaveLength(1)
      model.changeKey("another")
      yield* tell(session, lines("mon_2", "steady"))
      const asked = yield* model.asked
      expect(asked.text).toMatch(/ready\n.*steady/)
      yield* asked.fail(refused)
      yield* idle(session)
      expect(yield* held(session)).toBe("failure")
    })
  )

  it.effect(
    "a prompt that came meanwhile is not held",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      const asked = yield* model.asked
      yield* prompt(session, "And this", "queue")
      yield* asked.fail(refused)
      const next = yield* model.asked
      expect(next.text).toContain("And this")
      yield* next.say("Done")
      yield* idle(session)
      expect((yield* turnsEnded).map(({ outcome }) => outcome)).toEqual(["failed", "completed"])
    })
  )
})

describe("a turn that breaks", () => {
  it.effect(
    "is told as failed, and leaves the session usable",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession()
      yield* prompt(session, "Go")
      // An answer without its finish is a provider's bug.
      const asked = yield* model.asked
      yield* asked.emit({ type: "text-start", id: "t" }, { type: "text", id: "t", text: "Hal" })
      yield* asked.end
      yield* idle(session)
      expect(yield* turnsEnded).toMatchObject([
        { outcome: "failed", error: expect.stringContaining("without its finish") }
      ])
      expect(yield* transcript(session)).toEqual(["user: Go", "failed: Hal"])
      yield* prompt(session, "Again")
      yield* (yield* model.asked).say("Done")
      yield* idle(session)
      expect(model.faults).toEqual([])
    })
  )
})

const home = realpathSync(mkdtempSync(join(tmpdir(), "vigil-home-")))
const files = testEffect(
  Layer.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          mkdirSync(join(home, ".config/vigil"), { recursive: true })
          mkdirSync(join(home, "project"), { recursive: true })
        }),
        () => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
      ),
      () => coreWith(Settings.layer({ env: {}, home }))
    )
  )
)
const project = join(home, "project")
const write = (folder: string, text: string) =>
  Effect.sync(() => writeFileSync(join(home, folder, "vigil.json"), text))

describe("settings", () => {
  files.effect(
    "without a model end the turn and say how one is set",
    Effect.gen(function* () {
      const model = yield* Model
      const session = yield* newSession({ directory: project })
      yield* prompt(session, "Go")
      yield* idle(session)
      expect(yield* turnsEnded).toMatchObject([
        { outcome: "failed", steps: 0, error: expect.stringContaining("--model provider/model") }
      ])
      expect(model.requests).toHaveLength(0)
      // Set later, it counts at once.
      yield* write(".config/vigil", '{ "model": "test/set" }')
      yield* tell(session, lines("mon_1", "ready"))
      const asked = yield* model.asked
      expect(asked.request.model).toBe("test/set")
      yield* asked.say("Seen")
      yield* idle(session)
    })
  )

  files.effect(
    "that a project's file spoils end the turn with what is wrong in it, until that is mended",
    Effect.gen(function* () {
      const model = yield* Model
      yield* write(".config/vigil", '{ "model": "test/set" }')
      yield* write("project", '{ "modle": "test/typo" }')
      const session = yield* newSession({ directory: project })
      yield* prompt(session, "Go")
      yield* idle(session)
      const [turn] = yield* turnsEnded
      expect(turn).toMatchObject({ outcome: "failed" })
      expect(turn!.error).toContain(join(project, "vigil.json"))
      expect(turn!.error).toContain("did you mean model?")
      yield* write("project", "{}")
      yield* prompt(session, "Again")
      yield* (yield* model.asked).say("Done")
      yield* idle(session)
      expect(yield* transcript(session)).toEqual(["user: Go", "user: Again", "completed: Done"])
    })
  )
})
