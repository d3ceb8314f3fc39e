/** Whether anybody still needs an owner: clients that are there, and what goes on without them. */
import { Sessions } from "@vigil/core/session"
import { Statuses } from "@vigil/core/status"
import { Effect } from "effect"

export interface Presence {
  /** Until nobody is there; at once if so. */
  readonly alone: Effect.Effect<void>
  /** Until the next one comes. */
  readonly arrival: Effect.Effect<void>
}

/**
 * Until nobody has been there for so many ms, and nothing runs. Whoever comes meanwhile begins it anew.
 */
export const untilUnneeded = Effect.fn("untilUnneeded")(function* <E, R>(
  { alone, arrival }: Presence,
  settled: Effect.Effect<void, E, R>,
  graceMs: Effect.Effect<number>
) {
  for (;;) {
    yield* alone
    const unneeded = yield* Effect.flatMap(graceMs, Effect.sleep).pipe(
      Effect.andThen(settled),
      Effect.as(true),
      Effect.raceFirst(Effect.as(arrival, false))
    )
    if (unneeded) return
  }
})

/** Until no session has anything that runs, or that it will read by itself. Only clients begin anything else. */
export const settled = Effect.gen(function* () {
  const statuses = yield* Statuses
  for (const { id } of yield* (yield* Sessions).list) yield* statuses.awaitQuiet(id)
})
