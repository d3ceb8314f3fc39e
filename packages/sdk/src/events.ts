/**
 * The feed as one endless iteration, whatever becomes of its connections.
 *
 *   connecting ──▶ open ──▶ lost: ended, broken or silent ──▶ waiting ──▶ connecting
 *       └──▶ refused: thrown, since asking again would change nothing
 *
 * The generated reader is not used: it stops at a clean end, never calms down after errors, does not tell a refusal
 * from a broken line, and leaves its connection open when it is left.
 */
import { type Backoff, delay, waitMs } from "./backoff.ts"
import { type Client, VigilError } from "./client.ts"
import { connection } from "./connection.ts"
import type { Event, FeedEvent, MessageDelta, Resync } from "./gen/types.gen.ts"
import type { Frame } from "./sse.ts"

export interface EventsOptions {
  /** Begin behind this position, a read's `Vigil-Seq` (`seqOf`). Without it, with what happens from now on. */
  readonly after?: number
  /** Only this session's. */
  readonly sessionID?: string
  /** The store that `after` is of. Where the server has another one, a `resync` comes first. */
  readonly storeID?: string
  /** Ends the iteration, quietly. */
  readonly signal?: AbortSignal
  /** Told of the connection, for a status line. Must not throw. */
  readonly onState?: (state: FeedState) => void
  /** How long to wait before connecting anew, in ms. */
  readonly backoff?: Backoff
}

export type FeedState =
  | { readonly status: "connecting" }
  /** `seq` is the newest event there is: what a read sees from now on is at least as new. */
  | { readonly status: "open"; readonly storeID: string; readonly seq: number }
  /** `reason` is absent where the server ended it. */
  | { readonly status: "lost"; readonly reason?: Error; readonly retryInMs: number }

/** What an iteration yields. A `resync` means: read the state again, then go on. */
export type FeedItem = Event | MessageDelta | Resync

/**
 * Yields each event once, in order, over all connections. Throws a VigilError where the server refuses for a reason
 * that stays, such as a wrong token. Leaving the iteration closes its connection at once, also while it waits.
 */
export const events = (client: Client, options: EventsOptions = {}): AsyncGenerator<FeedItem, void> => {
  const left = new AbortController()
  const feed = follow(client, options, left)
  // A generator would return only once the event came that it waits for.
  const end = feed.return.bind(feed)
  feed.return = (value) => {
    left.abort()
    return end(value)
  }
  return feed
}

async function* follow(
  client: Client,
  { after, sessionID, storeID, signal: wanted, onState, backoff }: EventsOptions,
  left: AbortController
): AsyncGenerator<FeedItem, void> {
  const { signal } = left
  const place: Place = { last: after, storeID, toldOther: undefined }
  const leave = () => left.abort()
  let failures = 0
  if (wanted?.aborted) return
  wanted?.addEventListener("abort", leave)
  try {
    while (!signal.aborted) {
      onState?.({ status: "connecting" })
      const lost: { reason?: Error; retryMs?: number } = {}
      try {
        for await (const frame of connection(client, queryOf(place, sessionID), signal)) {
          if (frame.retry !== undefined) lost.retryMs = frame.retry
          const event = eventOf(frame)
          if (event?.type === "connected")
            onState?.({ status: "open", storeID: event.storeID, seq: event.seq })
          // Not before: what greets and then fails each time is not well.
          else failures = 0
          const item = step(place, frame, event)
          if (item) yield item
          if (signal.aborted) return
        }
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof VigilError) throw error
        lost.reason = error instanceof Error ? error : new Error(String(error))
      }
      if (signal.aborted) return
      const retryInMs = waitMs(failures++, backoff, lost.retryMs)
      onState?.({ status: "lost", retryInMs, ...(lost.reason && { reason: lost.reason }) })
      await delay(retryInMs, signal)
    }
  } finally {
    wanted?.removeEventListener("abort", leave)
  }
}

/** Where an iteration stands. Undefined until a connection says it. */
interface Place {
  last: number | undefined
  storeID: string | undefined
  /** The position of a `resync` that was told before the server told it. */
  toldOther: number | undefined
}

const queryOf = ({ last, storeID }: Place, session: string | undefined) => ({
  ...(session !== undefined && { session }),
  ...(last !== undefined && { after: last }),
  ...(last !== undefined && storeID !== undefined && { store: storeID })
})

const eventOf = ({ data }: Frame) => (data === undefined ? undefined : (JSON.parse(data) as FeedEvent))

/** Moves the place on, and returns what is to be told. */
const step = (place: Place, { id }: Frame, event: FeedEvent | undefined): FeedItem | undefined => {
  const at = id !== undefined && /^\d+$/u.test(id) ? Number(id) : undefined
  const known = place.last
  const moveOn = (seq: number) => (place.last = Math.max(place.last ?? 0, seq))
  if (event === undefined) {
    if (at !== undefined) moveOn(at)
    return undefined
  }
  switch (event.type) {
    case "connected": {
      const other = place.storeID !== undefined && place.storeID !== event.storeID
      place.storeID = event.storeID
      if (known === undefined) place.last = event.seq
      if (known === undefined || !other) return undefined
      // What was read of another store says nothing about this one, whatever the server goes on with.
      place.last = event.seq
      place.toldOther = event.seq
      return { type: "resync", reason: "other_store", seq: event.seq }
    }
    case "resync": {
      const again = place.toldOther === event.seq && known === event.seq
      place.toldOther = undefined
      place.last = event.seq
      return again ? undefined : event
    }
    case "message.delta":
      return event
    default:
      if (known !== undefined && event.seq <= known) return undefined
      moveOn(event.seq)
      return event
  }
}
