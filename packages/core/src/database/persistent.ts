/** Writing that is not given up when the database fails for a while. */
import { Cause, Effect, Exit } from "effect"

const firstRetryMs = 50
const maxRetryMs = 5_000

export interface PersistentOptions {
  /** For the log. */
  readonly what: string
  /** For who can't be interrupted any more: it must not keep a server from ending. As often as it takes without it. */
  readonly maxTries?: number
}

/**
 * Tries `write`, which must be one transaction, until it is stored or fails for a reason of its own. It can be
 * interrupted between two tries only; past `maxTries` it fails with the database's defect.
 */
export const persistently = <A, E, R>(
  write: Effect.Effect<A, E, R>,
  { what, maxTries = Infinity }: PersistentOptions
): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      for (let tries = 1; ; tries++) {
        const exit = yield* Effect.exit(write)
        if (Exit.isSuccess(exit) || !Cause.hasDies(exit.cause)) return yield* exit
        yield* Effect.logError(`${what} could not be stored`, exit.cause)
        if (tries >= maxTries) return yield* exit
        yield* restore(Effect.sleep(Math.min(maxRetryMs, firstRetryMs * 2 ** (tries - 1))))
      }
    })
  )
