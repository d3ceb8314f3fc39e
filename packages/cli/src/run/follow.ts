/** Hears one session's events, in order, while the scope is open. */
import { Bus } from "@vigil/core/bus"
import type { Event } from "@vigil/schema/event-manifest"
import { Effect, Stream, SubscriptionRef } from "effect"

export interface FollowOptions {
  /** Events behind this place. */
  readonly after: number
  readonly sessionID: string
  readonly hear: (event: Event) => Effect.Effect<void>
}

/** `caughtUp` waits until everything that has been stored so far was heard. */
export const followSession = Effect.fn("followSession")(function* ({
  after,
  sessionID,
  hear
}: FollowOptions) {
  const bus = yield* Bus
  const seen = yield* SubscriptionRef.make(after)
  yield* bus.follow(after).pipe(
    Stream.runForEach((event) =>
      Effect.andThen(
        event.sessionID === sessionID ? hear(event) : Effect.void,
        SubscriptionRef.set(seen, event.seq)
      )
    ),
    Effect.orDie,
    Effect.forkScoped
  )
  const caughtUp = Effect.gen(function* () {
    const head = yield* bus.head
    yield* SubscriptionRef.changes(seen).pipe(
      Stream.takeUntil((seq) => seq >= head),
      Stream.runDrain
    )
  })
  return { caughtUp }
})
