/** The owner's feed, and whether the owner is still there. */
import type { Event } from "@vigil/schema/event-manifest"
import type { Resync } from "@vigil/schema/server"
import type { Client } from "@vigil/sdk/client"
import { events } from "@vigil/sdk/events"
import { Effect } from "effect"
import { asked, OwnerGone } from "./asked.ts"

export interface FeedOptions<E, R> {
  /** Events behind this place. */
  readonly after: number
  /** Only this session's. */
  readonly sessionID?: string
  /** With each event, in order; true for the last one that is wanted. A `resync` says that some were missed. */
  readonly hear: (event: Event | Resync) => Effect.Effect<boolean | void, E, R>
}

/** Hears what happens until it is told to stop; a broken connection is taken up again where it broke. */
export const followFeed = <E = never, R = never>(client: Client, options: FeedOptions<E, R>) =>
  Effect.suspend(() => {
    const { after, sessionID, hear } = options
    const stopped = new AbortController()
    const feed = events(client, {
      after,
      signal: stopped.signal,
      ...(sessionID !== undefined && { sessionID })
    })
    const next = Effect.tryPromise({ try: () => feed.next(), catch: OwnerGone.here })
    return Effect.gen(function* () {
      for (;;) {
        const { done, value } = yield* next
        if (done === true) return
        if (value.type === "message.delta") continue
        if ((yield* hear(value as Event | Resync)) === true) return
      }
    }).pipe(Effect.ensuring(Effect.sync(() => stopped.abort())))
  })

/** How long one request for it waits; then it is asked again. */
const waitMs = 60_000

/**
 * Until nothing runs in a session and nothing will by itself (`idle`), and besides nothing is watched and no command
 * runs in its background (`quiet`). Fails with OwnerGone as soon as the owner ends.
 */
export const awaitStatus = Effect.fn("awaitStatus")(function* (
  client: Client,
  sessionID: string,
  until: "idle" | "quiet"
) {
  while (!(yield* hasStatus(client, sessionID, until, waitMs)));
})

/** Whether that comes within so many milliseconds. */
export const hasStatus = (client: Client, sessionID: string, until: "idle" | "quiet", timeoutMs: number) =>
  Effect.map(
    asked<{ readonly reached: boolean }>((signal) =>
      client.session.wait({ path: { sessionID }, query: { until, timeoutMs }, signal })
    ),
    ({ reached }) => reached
  )
