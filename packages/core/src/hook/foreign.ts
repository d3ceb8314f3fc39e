/** Calls into a plugin's own code: whatever it throws, and however long it is silent, is a value. */
import { Effect, Schema } from "effect"

/** `thrown` is what it threw, where it was not its silence. */
export class ForeignFailed extends Schema.TaggedError<ForeignFailed>()("ForeignFailed", {
  message: Schema.String,
  thrown: Schema.optionalKey(Schema.Unknown)
}) {}

/** `run` may be synchronous. Only while it waits can it be given up: a loop that never waits holds everybody up. */
export const foreign = <A>(run: (signal: AbortSignal) => A | Promise<A>): Effect.Effect<A, ForeignFailed> =>
  Effect.tryPromise({
    try: async (signal) => run(signal),
    catch: (thrown) => new ForeignFailed({ message: messageOf(thrown), thrown })
  })

/** The same, given up after `ms`. */
export const foreignWithin = <A>(
  ms: number,
  run: (signal: AbortSignal) => A | Promise<A>
): Effect.Effect<A, ForeignFailed> =>
  foreign(run).pipe(
    Effect.timeoutOrElse({
      duration: ms,
      orElse: () => Effect.fail(new ForeignFailed({ message: `it was not through after ${ms / 1_000} s` }))
    })
  )

const maxMessage = 2_000

/** What a person reads of something that was thrown, which may be anything. */
export const messageOf = (thrown: unknown): string => {
  try {
    const said = thrown instanceof Error && thrown.message !== "" ? thrown.message : String(thrown)
    return said.slice(0, maxMessage)
  } catch {
    return "something was thrown that has no text"
  }
}
