/** Hears one session's events, in order, while the scope is open. */
import type { Event } from "@vigil/schema/event-manifest"
import type { SessionInfo } from "@vigil/schema/session-info"
import type { Client } from "@vigil/sdk/client"
import { Effect, Fiber, Stream, SubscriptionRef } from "effect"
import { askedRead } from "../asked.ts"
import { followFeed } from "../feed.ts"

export interface FollowOptions {
  /** Events behind this place. */
  readonly after: number
  readonly sessionID: string
  readonly hear: (event: Event) => Effect.Effect<void>
}

/** `caughtUp` waits until everything that has been stored so far was heard. */
export const followSession = Effect.fn("followSession")(function* (
  client: Client,
  { after, sessionID, hear }: FollowOptions
) {
  const seen = yield* SubscriptionRef.make(after)
  // All sessions': the place that was reached in the feed says that nothing of this one is missing.
  const feed = yield* followFeed(client, {
    after,
    hear: (event) => {
      if (event.type === "resync") {
        return Effect.andThen(
          Effect.logWarning("Some of what happened is no longer kept and could not be shown"),
          SubscriptionRef.set(seen, event.seq)
        )
      }
      const heard = event.sessionID === sessionID ? hear(event) : Effect.void
      return Effect.andThen(heard, SubscriptionRef.set(seen, event.seq))
    }
  }).pipe(Effect.forkScoped)
  const caughtUp = Effect.gen(function* () {
    const { seq: head } = yield* askedRead<SessionInfo>((signal) =>
      client.session.get({ path: { sessionID }, signal })
    )
    yield* SubscriptionRef.changes(seen).pipe(
      Stream.takeUntil((seq) => seq >= head),
      Stream.runDrain,
      // A feed that is refused brings nothing more.
      Effect.raceFirst(Fiber.join(feed))
    )
  })
  return { caughtUp }
})
