/** A model request that failed is tried again where that may help. */
import { Clock, Effect, Schema } from "effect"
import type { ContextTooLong, StepError } from "./step.ts"

/** No further try would help, or enough were made. The message is for a person. */
export class StepFailed extends Schema.TaggedError<StepFailed>()("StepFailed", { message: Schema.String }) {}

export interface Retries {
  /** Tries after the first. */
  readonly attempts: number
  /** What has to wait longer is not tried again, in ms. */
  readonly maxDelayMs: number
}

/** Only waiting can be interrupted, and what the attempt itself lets be. */
export const retried = Effect.fnUntraced(function* <A, R>(
  attempt: Effect.Effect<A, StepError, R>,
  { attempts, maxDelayMs }: Retries
): Effect.fn.Return<A, StepFailed | ContextTooLong, R> {
  for (let tries = 0; ; tries++) {
    const answer = yield* Effect.result(attempt)
    if (answer._tag === "Success") return answer.success
    const { failure } = answer
    // Its caller can make it shorter.
    if (failure._tag === "ContextTooLong") return yield* failure
    const wait = retryDelay(failure, tries, maxDelayMs)
    const now = yield* Clock.currentTimeMillis
    if (wait === undefined) return yield* new StepFailed({ message: failure.message })
    if (wait > maxDelayMs) return yield* new StepFailed({ message: tooLate(failure, now + wait) })
    if (tries >= attempts) return yield* new StepFailed({ message: gaveUp(failure, tries) })
    yield* Effect.logWarning(`Model request failed, next try in ${wait} ms: ${failure.message}`)
    yield* Effect.interruptible(Effect.sleep(wait))
  }
}, Effect.uninterruptible)

/** How long to wait before another try, in ms; none where it would be refused again. */
export const retryDelay = (error: StepError, tries: number, maxDelayMs: number): number | undefined => {
  const backoff = Math.min(maxDelayMs, 1_000 * 2 ** tries)
  switch (error._tag) {
    case "RateLimited":
      return error.retryAfterMs ?? backoff
    case "ConnectionLost":
      return backoff
    default:
      return undefined
  }
}

const tooLate = (error: StepError, at: number) =>
  `${error.message} The provider takes requests again at ${new Date(at).toISOString()}.`

const gaveUp = (error: StepError, retries: number) => `${error.message} (${retries} retries did not help)`
