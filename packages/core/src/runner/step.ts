/**
 * One step: one model request, tried again where that may help, and what it said, stored as it is said.
 *
 * A message is stored when its first part begins, so that a request which is refused leaves nothing; one that
 * broke off is closed as failed, and the next try speaks anew.
 */
import { newId } from "@vigil/schema/id"
import {
  type AssistantMessage,
  MessageId,
  PartId,
  type ReasoningPart,
  type TextPart,
  type ToolPart
} from "@vigil/schema/message"
import type { Session } from "@vigil/schema/session"
import type { TurnId } from "@vigil/schema/turn"
import { Cause, Clock, Context, Effect, Exit, Layer, type Schema, Stream } from "effect"
import { Bus } from "../bus.ts"
import { Settings } from "../config.ts"
import { Database } from "../database.ts"
import { Provider } from "../provider.ts"
import { retried, type StepFailed } from "../provider/retry.ts"
import type { ContextTooLong, StepError, StepPart, StepRequest } from "../provider/step.ts"
import { Sessions } from "../session.ts"

/** What a completed step asked for. */
export interface Answer {
  readonly message: AssistantMessage
  readonly calls: ReadonlyArray<ToolPart>
}

export interface StepContext {
  readonly session: Session
  readonly turnID: TurnId
  /** Runs in the transaction that completes the message. */
  readonly completed: (message: AssistantMessage) => Effect.Effect<void>
}

export class Steps extends Context.Service<
  Steps,
  {
    /** Retries what may pass; interrupting it hangs up and closes its message. */
    take(context: StepContext, request: StepRequest): Effect.Effect<Answer, StepFailed | ContextTooLong>
  }
>()("core/Steps") {
  static readonly layer = Layer.effect(
    Steps,
    Effect.gen(function* () {
      const provider = yield* Provider
      const sessions = yield* Sessions
      const bus = yield* Bus
      const settings = yield* Settings
      const atStart = yield* settings.user
      const { transaction } = yield* Database

      const attempt = Effect.fnUntraced(function* (context: StepContext, request: StepRequest) {
        const said = yield* transcript(context, request.model)
        const exit = yield* provider.step(request, context.session.directory).pipe(
          // A part is stored whole or not at all.
          Stream.runForEach((part) => Effect.uninterruptible(said.hear(part))),
          Effect.interruptible,
          Effect.exit
        )
        // What was heard to its end counts, whatever became of its connection then.
        const answer = said.answer()
        if (answer) return answer
        const cause = Exit.isSuccess(exit)
          ? Cause.die(new Error("A step ended without its finish"))
          : exit.cause
        yield* said.breakOff(cause)
        return yield* Effect.failCause(cause)
      })

      const take = Effect.fn("Steps.take")(function* (context: StepContext, request: StepRequest) {
        const config = yield* Effect.orElseSucceed(settings.for(context.session.directory), () => atStart)
        return yield* retried(attempt(context, request), config.retry)
      }, Effect.uninterruptible)

      /** What is heard of one try. */
      const transcript = Effect.fnUntraced(function* (
        { session, turnID, completed }: StepContext,
        model: string
      ) {
        const id = MessageId.make(newId("msg"))
        const createdAt = yield* Clock.currentTimeMillis
        const message: AssistantMessage = {
          id,
          sessionID: session.id,
          turnID,
          createdAt,
          role: "assistant",
          model,
          status: "streaming"
        }
        const open = new Map<string, TextPart | ReasoningPart>()
        const calls: Array<ToolPart> = []
        let stored = false
        let answer: Answer | undefined
        const part = () => ({ id: PartId.make(newId("prt")), messageID: id, sessionID: session.id })

        const store = Effect.suspend(() => {
          if (stored) return Effect.void
          stored = true
          return sessions.say(message)
        })

        const begin = (key: string, begun: TextPart | ReasoningPart) => {
          open.set(key, begun)
          return transaction(Effect.andThen(store, sessions.addPart(begun)))
        }

        const hear = (heard: StepPart): Effect.Effect<void> => {
          switch (heard.type) {
            case "text-start":
              return begin(heard.id, { ...part(), type: "text", text: "" })
            case "reasoning-start":
              return begin(heard.id, { ...part(), type: "reasoning", text: "", complete: false })
            case "text":
            case "reasoning":
              return append(heard.id, heard.text)
            case "text-end":
            case "reasoning-end":
              return end(heard.id, heard.metadata)
            case "tool-call":
              calls.push({
                ...part(),
                type: "tool",
                callID: heard.callID,
                name: heard.name,
                input: heard.input,
                status: "running",
                startedAt: createdAt,
                ...(heard.metadata !== undefined && { metadata: heard.metadata })
              })
              return Effect.void
            case "finish":
              return finish(heard)
          }
        }

        const append = (key: string, text: string) => {
          const before = open.get(key)
          if (before === undefined) return Effect.void
          const grown = { ...before, text: before.text + text }
          open.set(key, grown)
          const told = bus.signal({
            type: "message.delta",
            sessionID: session.id,
            messageID: id,
            partID: before.id,
            offset: before.text.length,
            text
          })
          return Effect.andThen(sessions.draft(grown), told)
        }

        const end = (key: string, metadata: Schema.Json | undefined) => {
          const ended = open.get(key)
          if (ended === undefined) return Effect.void
          open.delete(key)
          const whole = ended.type === "reasoning" ? { ...ended, complete: true } : ended
          return sessions.completePart({ ...whole, ...(metadata !== undefined && { metadata }) })
        }

        const finish = (heard: Extract<StepPart, { type: "finish" }>) =>
          Effect.gen(function* () {
            const endedAt = yield* Clock.currentTimeMillis
            const begun = calls.map((call) => ({ ...call, startedAt: endedAt }))
            const whole: AssistantMessage = { ...message, status: "completed", usage: heard.usage, endedAt }
            yield* store
            yield* Effect.forEach(begun, sessions.addPart, { discard: true })
            yield* sessions.revise(whole)
            yield* completed(whole)
            return { message: whole, calls: begun }
          }).pipe(
            transaction,
            Effect.map((whole) => {
              answer = whole
            })
          )

        const breakOff = (cause: Cause.Cause<StepError>) =>
          Effect.gen(function* () {
            if (!stored) return
            const endedAt = yield* Clock.currentTimeMillis
            yield* Effect.forEach(open.values(), sessions.completePart, { discard: true })
            const interrupted = Cause.hasInterruptsOnly(cause)
            const error = Cause.squash(cause)
            yield* sessions.revise({
              ...message,
              endedAt,
              ...(interrupted
                ? { status: "interrupted" }
                : { status: "failed", error: error instanceof Error ? error.message : String(error) })
            })
          }).pipe(transaction)

        return {
          hear,
          breakOff,
          answer: () => answer
        }
      })

      return Steps.of({ take })
    })
  )
}
