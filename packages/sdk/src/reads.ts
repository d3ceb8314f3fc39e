/** All that is read of a session, each answer with its own feed position. */
import { type Client, seqOf } from "./client.ts"
import { newestTurns, type StoreState, stateOf } from "./store.ts"
import { newestMessages } from "./transcript.ts"

/** In front of which every message is. */
const farthest = 999_999_999_999_999
/** A server that does not answer for so long is asked again. */
const patienceMs = 30_000

/** The whole state; throws as operations do with `throwOnError`. */
export const readAll = (client: Client, sessionID: string, signal: AbortSignal): Promise<StoreState> =>
  patiently(signal, async (signal) => {
    const path = { sessionID }
    const asked = { path, signal, throwOnError: true } as const
    const [session, messages, turns, monitors, shells, asks, inbox] = await Promise.all([
      client.session.get(asked),
      client.message.list({ ...asked, query: { before: farthest, limit: newestMessages } }),
      client.turn.list({ ...asked, query: { limit: newestTurns } }),
      client.monitor.list(asked),
      client.shell.list(asked),
      client.permission.list({ query: { session: sessionID }, signal, throwOnError: true }),
      client.inbox.list(asked)
    ])
    return stateOf(
      {
        session: session.data,
        messages: messages.data.items,
        hasOlder: messages.data.next !== undefined,
        turns: turns.data.items,
        monitors: monitors.data.items,
        shells: shells.data.items,
        asks: asks.data.items,
        inbox: inbox.data.items
      },
      {
        session: seqOf(session.response),
        transcript: seqOf(messages.response),
        turns: seqOf(turns.response),
        monitors: seqOf(monitors.response),
        shells: seqOf(shells.response),
        asks: seqOf(asks.response),
        inbox: seqOf(inbox.response)
      }
    )
  })

/** The newest messages in front of a place, in order. */
export const readOlder = (
  client: Client,
  sessionID: string,
  signal: AbortSignal,
  { before = farthest, limit }: { readonly before?: number; readonly limit: number }
) =>
  patiently(signal, async (signal) => {
    const path = { sessionID }
    const { data } = await client.message.list({ path, query: { before, limit }, signal, throwOnError: true })
    return { items: data.items, hasOlder: data.next !== undefined }
  })

/** With a signal that is aborted as the given one is, when it takes too long, and once it has failed. */
const patiently = async <A>(wanted: AbortSignal, use: (signal: AbortSignal) => Promise<A>): Promise<A> => {
  wanted.throwIfAborted()
  const ended = new AbortController()
  const abort = () => ended.abort(wanted.reason)
  const timer = setTimeout(() => ended.abort(new Error("The server did not answer in time")), patienceMs)
  wanted.addEventListener("abort", abort)
  try {
    const answer = await use(ended.signal)
    // A `fetch` of the caller's own may not look at its request's signal.
    ended.signal.throwIfAborted()
    return answer
  } finally {
    clearTimeout(timer)
    wanted.removeEventListener("abort", abort)
    ended.abort()
  }
}
