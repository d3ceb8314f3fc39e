import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test"
import { createClient, VigilError } from "../src/client.ts"
import { silenceMs } from "../src/connection.ts"
import { events, type FeedItem, type FeedState } from "../src/events.ts"
import { type Answer, connected, event, frame, refusal, speaker } from "./lib/feed.ts"

const seqOf = (result: IteratorResult<FeedItem, void>) =>
  result.value && "seq" in result.value ? result.value.seq : undefined

const next = async (feed: AsyncGenerator<FeedItem, void>) => seqOf(await feed.next())

/** Sends, and ends in peace. */
const says =
  (...frames: ReadonlyArray<string>): Answer =>
  ({ send, end }) => {
    for (const text of frames) send(text)
    end()
  }
/** Sends, and stays. */
const holds =
  (...frames: ReadonlyArray<string>): Answer =>
  ({ send }) => {
    for (const text of frames) send(text)
  }
const fast = { firstMs: 1, mostMs: 2 }

describe("events", () => {
  test("go on after a clean end and after an error, by the last id and the store", async () => {
    const { client, connections } = speaker(
      says(connected(7), event(8)),
      holds(connected(8), event(9)),
      says(connected(9), event(10))
    )
    const feed = events(client, { backoff: fast })
    expect(await next(feed)).toBe(8)
    expect(await next(feed)).toBe(9)
    connections[1]!.breakOff()
    expect(await next(feed)).toBe(10)
    await feed.return()
    expect(connections.map(({ query }) => Object.fromEntries(query))).toEqual([
      {},
      { after: "8", store: "store_1" },
      { after: "9", store: "store_1" }
    ])
  })

  test("that began at now go on from where that was", async () => {
    const { client, connections } = speaker(says(connected(7)), holds(connected(9), event(8)))
    const feed = events(client, { backoff: fast })
    expect(await next(feed)).toBe(8)
    await feed.return()
    expect(connections[1]!.query.get("after")).toBe("7")
  })

  test("begin behind a read, and are one session's where that is asked for", async () => {
    const { client, connections } = speaker(holds(connected(9), event(5)))
    const feed = events(client, { after: 4, sessionID: "ses_1", storeID: "store_1" })
    expect(await next(feed)).toBe(5)
    await feed.return()
    expect(Object.fromEntries(connections[0]!.query)).toEqual({
      after: "4",
      session: "ses_1",
      store: "store_1"
    })
  })

  test("are resumed by an id that came without an event", async () => {
    const { client, connections } = speaker(says(connected(1), "id: 40\n\n"), holds(connected(41), event(41)))
    const feed = events(client, { after: 1, backoff: fast })
    expect(await next(feed)).toBe(41)
    await feed.return()
    expect(connections[1]!.query.get("after")).toBe("40")
  })

  test("that a server repeats are told once", async () => {
    const { client } = speaker(
      says(connected(2), event(1), event(2)),
      holds(connected(3), event(2), event(3))
    )
    const feed = events(client, { after: 0, backoff: fast })
    expect([await next(feed), await next(feed), await next(feed)]).toEqual([1, 2, 3])
    await feed.return()
  })

  test("text that streams is told, and is no place to go on from", async () => {
    const delta = { type: "message.delta", sessionID: "s", messageID: "m", partID: "p", offset: 0, text: "a" }
    const { client, connections } = speaker(says(connected(3), frame(delta)), holds(connected(3), event(4)))
    const feed = events(client, { backoff: fast })
    expect((await feed.next()).value).toEqual(delta as FeedItem)
    expect(await next(feed)).toBe(4)
    await feed.return()
    expect(connections[1]!.query.get("after")).toBe("3")
  })

  test("a resync is told, and what follows goes on behind it", async () => {
    const resync = { type: "resync", reason: "ahead", seq: 5 } as const
    const { client, connections } = speaker(
      says(connected(5), frame(resync), event(6)),
      holds(connected(6), event(7))
    )
    const feed = events(client, { after: 100, backoff: fast })
    expect((await feed.next()).value).toEqual(resync)
    expect([await next(feed), await next(feed)]).toEqual([6, 7])
    await feed.return()
    expect(connections[1]!.query.get("after")).toBe("6")
  })

  test("another store than before is a resync, told once, also where the server does not say so", async () => {
    const other = { type: "resync", reason: "other_store", seq: 2 } as const
    const { client } = speaker(
      says(connected(50), event(51)),
      says(connected(2, "store_2"), event(1), event(2), event(3)),
      holds(connected(2, "store_3"), frame(other), event(3))
    )
    const feed = events(client, { backoff: fast })
    const seen: Array<unknown> = []
    for (let item = 0; item < 5; item++) seen.push((await feed.next()).value)
    expect(seen.map((item) => [(item as FeedItem).type, (item as { seq: number }).seq])).toEqual([
      ["session.updated", 51],
      ["resync", 2],
      ["session.updated", 3],
      ["resync", 2],
      ["session.updated", 3]
    ])
    await feed.return()
  })

  test.each([
    [400, "BadRequest"],
    [401, "Unauthorized"],
    [403, "StrangerRefused"]
  ])("throw on %i, which asking again would not change", async (status, tag) => {
    const { client, connections } = speaker(() => refusal(status, { _tag: tag, message: "No" }))
    const thrown = await events(client, { backoff: fast })
      .next()
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(VigilError)
    expect(thrown).toMatchObject({ status, _tag: tag, message: "No" })
    expect(connections).toHaveLength(1)
  })

  test("wait for a server that stops, fails, is something else, or is not there", async () => {
    const notThere: Answer = () => {
      throw new TypeError("refused")
    }
    const { client, connections } = speaker(
      () => refusal(503, { _tag: "ServerStopping", message: "Stopping" }),
      () => refusal(500, { _tag: "ServerFault", message: "Broken" }),
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      notThere,
      holds(connected(1), event(2))
    )
    const lost: Array<string | undefined> = []
    const feed = events(client, {
      after: 1,
      backoff: fast,
      onState: (state) => {
        if (state.status === "lost") lost.push(state.reason?.message)
      }
    })
    expect(await next(feed)).toBe(2)
    await feed.return()
    expect(connections).toHaveLength(5)
    expect(lost).toEqual([
      "Stopping",
      "Broken",
      "What answered is not the feed of a vigil server",
      "The server can't be reached: refused"
    ])
  })

  test("a frame that is no JSON costs its connection, not the iteration", async () => {
    const { client } = speaker(holds(connected(1), "data: {\n\n"), holds(connected(1), event(2)))
    const feed = events(client, { backoff: fast })
    expect(await next(feed)).toBe(2)
    await feed.return()
  })

  test("tell what the connection is like", async () => {
    const { client } = speaker(says(connected(3), event(4)), holds(connected(4), event(5)))
    const states: Array<FeedState> = []
    const feed = events(client, { backoff: fast, onState: (state) => states.push(state) })
    await next(feed)
    await next(feed)
    await feed.return()
    const open = { status: "open", storeID: "store_1" } as const
    expect(states).toEqual([
      { status: "connecting" },
      { ...open, seq: 3 },
      { status: "lost", retryInMs: expect.any(Number) },
      { status: "connecting" },
      { ...open, seq: 4 }
    ])
  })

  test("that are left close their connection at once", async () => {
    const { client, connections } = speaker(holds(connected(1), event(2)))
    for await (const _ of events(client)) break
    expect(connections[0]!.closed()).toBe(true)
  })

  test("that are left while they wait close their connection at once", async () => {
    const { client, connection } = speaker(holds(connected(1)))
    const feed = events(client)
    const waiting = feed.next()
    const { closed } = await connection(0)
    expect(await feed.return()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(closed()).toBe(true)
  })

  test("end quietly by their signal: while they read, while they wait to connect anew, and before they began", async () => {
    const reading = new AbortController()
    const { client, connection } = speaker(holds(connected(1)), says(connected(1)))
    const first = events(client, { signal: reading.signal }).next()
    const { closed } = await connection(0)
    reading.abort()
    expect((await first).done).toBe(true)
    expect(closed()).toBe(true)

    const waiting = new AbortController()
    const onState = ({ status }: FeedState) => void (status === "lost" && waiting.abort())
    const hour = { firstMs: 3_600_000, mostMs: 3_600_000 }
    const second = events(client, { signal: waiting.signal, backoff: hour, onState }).next()
    expect((await second).done).toBe(true)

    expect((await events(client, { signal: AbortSignal.abort() }).next()).done).toBe(true)
  })

  test("an answer that comes after they were left is closed", async () => {
    const answered = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const { promise: asked, resolve: asks } = Promise.withResolvers<void>()
    const client = createClient({
      baseUrl: "http://127.0.0.1:9",
      token: "t",
      // As one that does not look at its signal.
      fetch: async () => {
        asks()
        await answered.promise
        const body = new ReadableStream<Uint8Array>({ cancel: () => closed.resolve() })
        return new Response(body, { headers: { "content-type": "text/event-stream" } })
      }
    })
    const feed = events(client)
    const waiting = feed.next()
    await asked
    await feed.return()
    expect((await waiting).done).toBe(true)
    answered.resolve()
    await closed.promise
  })
})

describe("events, on a clock of their own,", () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  /** Lets what is ready happen. */
  const settle = async () => {
    for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  }
  const pass = async (ms: number) => {
    await settle()
    for (let at = 0; at < ms; at += 10) {
      jest.advanceTimersByTime(Math.min(10, ms - at))
      await settle()
    }
  }

  test("wait longer each time, two seconds at most, and start anew once something came", async () => {
    const breaks: Answer = ({ breakOff }) => breakOff()
    const { client, connections } = speaker(
      ...Array.from({ length: 8 }, () => breaks),
      says(connected(1), event(2)),
      holds()
    )
    const feed = events(client, { after: 1 })
    const first = feed.next()
    while (Bun.peek.status(first) === "pending") await pass(10)
    void feed.next()
    await pass(1_000)
    const waits = connections.slice(1).map(({ at }, index) => at - connections[index]!.at)
    expect(waits).toHaveLength(9)
    waits.forEach((wait, failures) => {
      const most = failures === 8 ? 100 : Math.min(2_000, 100 * 2 ** failures)
      expect(wait).toBeGreaterThanOrEqual(most / 2 - 10)
      expect(wait).toBeLessThanOrEqual(most + 20)
    })
    await feed.return()
  })

  test("come back when the server asked for it", async () => {
    const { client, connections } = speaker(says(connected(1), "retry: 1000\n\n"), holds())
    const feed = events(client)
    void feed.next()
    await pass(490)
    expect(connections).toHaveLength(1)
    await pass(520)
    expect(connections).toHaveLength(2)
    await feed.return()
  })

  test("give up a connection that is silent for 90 seconds, but not one that only shows that it lives", async () => {
    const { client, connections } = speaker(holds(connected(1)))
    const states: Array<FeedState> = []
    const feed = events(client, { onState: (state) => states.push(state) })
    void feed.next()
    await settle()
    for (let beat = 0; beat < 10; beat++) {
      await pass(15_000)
      connections[0]!.send(": still here\n\n")
    }
    await pass(silenceMs - 100)
    expect(connections).toHaveLength(1)
    await pass(300)
    expect(connections).toHaveLength(2)
    expect(connections[0]!.closed()).toBe(true)
    expect(states.at(-3)).toMatchObject({
      status: "lost",
      reason: { message: "The feed was silent for 90 seconds" }
    })
    await feed.return()
  })

  test("are not silent while nobody asks for the next one", async () => {
    const { client, connections } = speaker(holds(connected(1), event(2), event(3)))
    const feed = events(client)
    await feed.next()
    await pass(3 * silenceMs)
    expect(await next(feed)).toBe(3)
    expect(connections).toHaveLength(1)
    await feed.return()
  })
})
