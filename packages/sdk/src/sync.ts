/**
 * A session as it is on the server, kept up to date.
 *
 *   feed opens ──▶ reading ──▶ ready: event by event ──▶ deleted
 *                   ▲  └─ resync ─┘         └──▶ failed: the server refuses, for a reason that stays
 *
 * The feed is opened first, so that whatever a read does not show comes behind it. It is not taken from while
 * reading: what comes waits at the server, which cuts off who waits too long, and is resumed by its position.
 */
import { type Backoff, delay, stays, waitMs } from "./backoff.ts"
import { type Client, VigilError } from "./client.ts"
import { events, type FeedState } from "./events.ts"
import type { Ask, Input, Monitor, SessionInfo, Shell, Turn } from "./gen/types.gen.ts"
import { readAll, readOlder } from "./reads.ts"
import { apply, type StoreState } from "./store.ts"
import { newestMessages, type SyncedMessage, withOlder } from "./transcript.ts"

export type { SyncedMessage } from "./transcript.ts"

export interface SyncOptions {
  /** Closes the store. */
  readonly signal?: AbortSignal
  /** How long to wait before the server is asked again, in ms. */
  readonly backoff?: Backoff
}

/** What is known of the session. It never changes; what of it stays the same is the same object in the next one. */
export interface Snapshot {
  /** `deleted` and `failed` are final; the rest is then as it was last seen. */
  readonly phase: "reading" | "ready" | "deleted" | "failed"
  /** Why it failed. */
  readonly error?: Error
  /** Whether news would come. */
  readonly connection: FeedState["status"]
  /** Absent until the first read. */
  readonly session?: SessionInfo
  /** In order: the newest 1,000, and older ones that were asked for. */
  readonly messages: ReadonlyArray<SyncedMessage>
  readonly hasOlder: boolean
  /** Newest first, as are monitors and shells. The newest 100. */
  readonly turns: ReadonlyArray<Turn>
  readonly monitors: ReadonlyArray<Monitor>
  readonly shells: ReadonlyArray<Shell>
  /** Oldest first. */
  readonly asks: ReadonlyArray<Ask>
  /** In the order in which they will be read. */
  readonly inbox: ReadonlyArray<Input>
}

/** Its functions may be handed on by themselves, as to React's useSyncExternalStore. */
export interface SessionStore {
  readonly snapshot: () => Snapshot
  /** Called after each change, once. Returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void
  /** Until the session was read, or is known to be deleted. Rejects where the server refuses, or `close` came first. */
  readonly ready: Promise<void>
  /** Takes some hundred older messages in. False where there are none, or no more can be held. */
  readonly older: () => Promise<boolean>
  /** Ends the connection. The last snapshot stays. */
  readonly close: () => void
}

const olderPage = 200
/** What is held at most, however often older ones are asked for. */
const mostMessages = 20_000

const nothing: Snapshot = {
  phase: "reading",
  connection: "connecting",
  messages: [],
  hasOlder: false,
  turns: [],
  monitors: [],
  shells: [],
  asks: [],
  inbox: []
}

export const sync = (
  client: Client,
  sessionID: string,
  { signal: wanted, backoff }: SyncOptions = {}
): SessionStore => {
  const closing = new AbortController()
  const { signal } = closing
  const listeners = new Set<() => void>()
  let state: StoreState | undefined
  let snapshot = nothing
  let olderPending: Promise<boolean> | undefined
  let whenRead = () => {}

  const show = (change: Partial<Snapshot>) => {
    snapshot = { ...snapshot, ...change }
    const told = [...listeners]
    for (const listener of told) {
      try {
        listener()
      } catch (error) {
        // As an event target does: the others are told, and the error is nobody's who waits here.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  const become = (next: StoreState, change: Partial<Snapshot> = {}) => {
    const same = next === state
    state = next
    if (!same || Object.keys(change).length > 0) show({ ...shown(next), ...change })
  }

  /** False where there is no such session. Whatever may pass is tried again. */
  const read = async (): Promise<boolean> => {
    for (let failures = 0; ; failures++) {
      try {
        become(await readAll(client, sessionID, signal), { phase: "ready" })
        whenRead()
        return true
      } catch (error) {
        if (VigilError.is(error, "SessionNotFound")) return false
        if (signal.aborted || (error instanceof VigilError && stays(error.status))) throw error
        await delay(waitMs(failures, backoff), signal)
      }
    }
  }

  /** Until the session is deleted, or the store closed. */
  const run = async (): Promise<"deleted" | "closed"> => {
    let opened = () => {}
    const firstOpened = new Promise<void>((resolve) => (opened = resolve))
    const feed = events(client, {
      sessionID,
      signal,
      ...(backoff && { backoff }),
      onState: ({ status }) => {
        if (status === "open") opened()
        if (status !== snapshot.connection) show({ connection: status })
      }
    })
    const pull = () => {
      const next = feed.next()
      next.catch(() => {})
      return next
    }
    try {
      let next = pull()
      await Promise.race([firstOpened, next])
      if (!(await read())) return "deleted"
      for (;;) {
        const { done, value: item } = await next
        if (done === true || state === undefined) return "closed"
        next = pull()
        if (item.type === "resync") {
          if (!(await read())) return "deleted"
          continue
        }
        const after = apply(state, item)
        if (after.deleted) return "deleted"
        become(after)
        if (after.transcript.stale && !(await read())) return "deleted"
      }
    } finally {
      closing.abort()
      await feed.return()
    }
  }

  const older = async (): Promise<boolean> => {
    await ready
    // Whatever took other messages in front meanwhile makes the page one for another place.
    for (let tries = 0; tries < 3; tries++) {
      const first = state?.transcript.messages[0]
      if (state === undefined || first === undefined || !state.transcript.hasOlder) return false
      if (state.transcript.messages.length + olderPage > mostMessages) return false
      const before = first.seq ?? (await placeOf(first))
      if (before === undefined) continue
      const page = await readOlder(client, sessionID, signal, { before, limit: olderPage })
      if (state.transcript.messages[0]?.message.id !== first.message.id) continue
      become({ ...state, transcript: withOlder(state.transcript, page.items, page.hasOlder) })
      return page.items.length > 0
    }
    return false
  }

  /** Events do not tell it. */
  const placeOf = async ({ message }: SyncedMessage) => {
    const newest = await readOlder(client, sessionID, signal, { limit: newestMessages })
    return newest.items.find((found) => found.message.id === message.id)?.seq
  }

  let closed = false
  const close = () => {
    closed = true
    closing.abort()
  }
  wanted?.addEventListener("abort", close)
  if (wanted?.aborted) close()

  const ready = new Promise<void>((resolve, reject) => {
    whenRead = resolve
    run()
      .then(
        (end) => {
          if (end === "deleted") show({ phase: "deleted", connection: "lost" })
          if (end === "deleted") resolve()
          else reject(new Error("The store was closed"))
        },
        (error: unknown) => {
          const reason = error instanceof Error ? error : new Error(String(error))
          if (!closed) show({ phase: "failed", connection: "lost", error: reason })
          reject(closed ? new Error("The store was closed") : reason)
        }
      )
      .finally(() => wanted?.removeEventListener("abort", close))
      .catch(reject)
  })
  // Who does not wait for it is told by the snapshot.
  ready.catch(() => {})

  return {
    snapshot: () => snapshot,
    subscribe: (listener) => {
      // The same function twice is two listeners.
      const heard = () => listener()
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    ready,
    older: () => (olderPending ??= older().finally(() => (olderPending = undefined))),
    close
  }
}

const shown = ({ transcript, session, turns, monitors, shells, asks, inbox }: StoreState) => ({
  session,
  messages: transcript.messages,
  hasOlder: transcript.hasOlder,
  turns,
  monitors,
  shells,
  asks,
  inbox
})
