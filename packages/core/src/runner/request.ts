/** What a model is asked with, kept within its window. */
import type { EventsHeld, Session } from "@vigil/schema/session"
import type { TurnId } from "@vigil/schema/turn"
import type { Usage } from "@vigil/schema/usage"
import { Clock, Effect, Option } from "effect"
import { dirname } from "node:path"
import { BackgroundShells } from "../background.ts"
import { Settings } from "../config.ts"
import { Kv } from "../kv.ts"
import { Monitors } from "../monitor.ts"
import { Permissions } from "../permission.ts"
import { readGuidance } from "../prompt/guidance.ts"
import { systemPrompt } from "../prompt/system.ts"
import { StepFailed } from "../provider/retry.ts"
import { type ContextTooLong, noModel } from "../provider/step.ts"
import { Shell } from "../shell.ts"
import type { Tool } from "../tool.ts"
import { maxSummaries, Window } from "../window.ts"
import { type Answer, type StepContext, Steps } from "./step.ts"

/** The system prompt of a session: `system/<sessionID>`. */
export const systemKey = (sessionID: string) => `system/${sessionID}`

export interface Asking {
  readonly session: Session
  readonly turnID: TurnId
  readonly offered: ReadonlyArray<Tool>
  /** Why events had waited for the prompt that is being read. */
  readonly held: EventsHeld | undefined
  readonly completed: StepContext["completed"]
  /** Whenever something was done so that the request fits: what that took, and what a person should know of. */
  readonly fitted: (usage: Usage, remark: string | undefined) => void
}

export const requests = Effect.gen(function* () {
  const kv = yield* Kv
  const settings = yield* Settings
  const permissions = yield* Permissions
  const monitors = yield* Monitors
  const shells = yield* BackgroundShells
  const shell = yield* Shell
  const window = yield* Window
  const steps = yield* Steps

  // A file that was broken meanwhile is told by the next request; bounds hold all the same.
  const modelOf = (session: Session) =>
    settings.for(session.directory).pipe(
      Effect.map((config) => session.model ?? config.model),
      Effect.mapError(({ message }) => new StepFailed({ message }))
    )

  /** One step. What the provider finds too long is made shorter and asked again, a few times. */
  const ask = Effect.fnUntraced(function* (asking: Asking) {
    const { session, turnID, completed } = asking
    for (let tooLong = 0; ; tooLong++) {
      const request = yield* prepare(asking, tooLong)
      const answer = yield* steps
        .take({ session, turnID, completed }, request)
        .pipe(Effect.catchTag("ContextTooLong", (refusal) => Effect.succeed(refusal)))
      if (!isRefusal(answer)) return answer
      if (tooLong > maxSummaries) {
        return yield* new StepFailed({
          message: `${answer.message} It could not be made any shorter: begin a new session, or choose a model that takes more.`
        })
      }
    }
  })

  const prepare = Effect.fnUntraced(function* (
    { session, turnID, offered, held, fitted }: Asking,
    tooLong: number
  ) {
    const model = yield* modelOf(session)
    if (model === undefined) {
      return yield* new StepFailed({ message: noModel })
    }
    const context = {
      now: yield* Clock.currentTimeMillis,
      monitors: yield* monitors.active(session.id),
      shells: yield* shells.active(session.id),
      asks: yield* permissions.pending(session.id),
      ...(held && { held })
    }
    const { prompt, usage, remark } = yield* window.fit({
      session,
      turnID,
      model,
      system: yield* system(session),
      tools: offered,
      context,
      tooLong
    })
    fitted(usage, remark)
    return { model, prompt, tools: offered }
  })

  // Said once: it must not change while a session's prefix is cached.
  const system = Effect.fnUntraced(function* (session: Session) {
    const stored = Option.getOrUndefined(yield* kv.get(systemKey(session.id)))
    if (typeof stored === "string") return stored
    const date = new Date(session.createdAt).toISOString().slice(0, 10)
    const text = systemPrompt({
      directory: session.directory,
      platform: process.platform,
      date,
      shell: shell.name,
      guidance: yield* readGuidance({
        directory: session.directory,
        userDirectory: dirname(settings.userFile)
      })
    })
    yield* kv.set(systemKey(session.id), text)
    return text
  })

  return { ask, modelOf }
})

const isRefusal = (answer: Answer | ContextTooLong): answer is ContextTooLong => "_tag" in answer
