/** One connection to the feed, from its request until it ends in whatever way. */
import { stays } from "./backoff.ts"
import { type Client, type Refusal, VigilError } from "./client.ts"
import type { EventFollowData } from "./gen/types.gen.ts"
import { type Frame, frameReader } from "./sse.ts"

/** The server sends something every 15 seconds; nothing for so long means that nobody is there. */
export const silenceMs = 90_000

/** Nothing came for `silenceMs`, though the connection stands. */
export class FeedSilent extends Error {
  override readonly name = "FeedSilent"

  constructor() {
    super(`The feed was silent for ${silenceMs / 1000} seconds`)
  }
}

/** The server did not open the feed, for now. */
export class FeedNotOpened extends Error {
  override readonly name = "FeedNotOpened"
}

/**
 * Yields frames until the server ends the connection. Throws whatever else ends it: a VigilError where asking again
 * would change nothing. Leaving it, or aborting the signal, closes it at once.
 */
export async function* connection(
  client: Client,
  query: NonNullable<EventFollowData["query"]>,
  signal: AbortSignal
): AsyncGenerator<Frame, void> {
  const ended = new AbortController()
  const abort = () => ended.abort(signal.reason)
  signal.addEventListener("abort", abort)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined

  /** While something is waited for, and not while what came is looked at. */
  const awaited = async <A>(promise: Promise<A>): Promise<A> => {
    const silence = setTimeout(() => ended.abort(new FeedSilent()), silenceMs)
    try {
      return await promise
    } finally {
      clearTimeout(silence)
      ended.signal.throwIfAborted()
    }
  }

  try {
    signal.throwIfAborted()
    reader = (await awaited(opened(client, query, ended.signal))).getReader()
    // A `fetch` of the caller's own may not look at its request's signal.
    ended.signal.addEventListener("abort", () => void reader?.cancel().catch(() => {}))
    const utf8 = new TextDecoder()
    const frames = frameReader()
    for (;;) {
      const { done, value } = await awaited(reader.read())
      if (done) return
      yield* frames(utf8.decode(value, { stream: true }))
    }
  } finally {
    signal.removeEventListener("abort", abort)
    ended.abort()
  }
}

/** Or not: whoever no longer waits for an answer gets none, and what comes late is closed. */
const opened = (client: Client, query: NonNullable<EventFollowData["query"]>, signal: AbortSignal) =>
  new Promise<ReadableStream<Uint8Array>>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
    open(client, query, signal)
      .then((body) => (signal.aborted ? body.cancel() : resolve(body)))
      .catch(reject)
  })

const open = async (client: Client, query: NonNullable<EventFollowData["query"]>, signal: AbortSignal) => {
  const { data, error, response } = await client.openFeed(query, signal)
  if (!response) throw error
  if (error === undefined && isFeed(response) && data) return data
  await response.body?.cancel().catch(() => {})
  if (response.ok) throw new FeedNotOpened("What answered is not the feed of a vigil server")
  const refusal = error as Refusal
  if (stays(response.status)) throw new VigilError(response.status, refusal)
  throw new FeedNotOpened(refusal.message)
}

const isFeed = (response: Response) =>
  response.ok && (response.headers.get("content-type") ?? "").startsWith("text/event-stream")
