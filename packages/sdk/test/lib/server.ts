/** A server that has lived through a part of a history, and goes on as its test says. */
import { type Client, createClient } from "../../src/client.ts"
import type { FeedEvent } from "../../src/wire.ts"
import type { History } from "./history.ts"
import { connected, frame } from "./feed.ts"

export interface HistoryServer {
  readonly client: Client
  /** Lets so many more things happen. */
  readonly goOn: (count: number) => void
  readonly left: () => number
  /** Connections break, and nobody answers, until it is there again. */
  readonly away: () => void
  readonly back: (change?: { readonly storeID?: string; readonly history?: History }) => void
  /** Of what has happened nothing can be replayed any more. */
  readonly forget: () => void
  /** What becomes of each read from now on: it may be changed, held up or refused. */
  readonly onRead: (heard: (url: URL) => Promise<Response | void> | Response | void) => void
  readonly reads: () => number
  readonly feeds: () => number
}

export const historyServer = (first: History, begun = 0): HistoryServer => {
  let history = first
  let place = begun
  let storeID = "store_1"
  let up = true
  let remembers = 0
  let reads = 0
  let heard: (url: URL) => Promise<Response | void> | Response | void = () => {}
  const feeds = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const utf8 = new TextEncoder()
  const frameOf = (event: FeedEvent) => utf8.encode(frame(event, "seq" in event ? event.seq : undefined))
  const newest = () => history.seqs[place]!

  const follow = ({ searchParams: query }: URL) => {
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start: (begun) => void (controller = begun),
      cancel: () => void feeds.delete(controller)
    })
    const send = (text: string) => controller.enqueue(utf8.encode(text))
    const after = query.get("after") === null ? newest() : Number(query.get("after"))
    const store = query.get("store")
    const reason =
      store !== null && store !== storeID
        ? "other_store"
        : after > newest()
          ? "ahead"
          : after < remembers
            ? "forgotten"
            : undefined
    send(connected(newest(), storeID))
    if (reason) send(frame({ type: "resync", reason, seq: newest() }))
    else {
      for (const event of history.told.slice(0, place)) {
        if ("seq" in event && event.seq > after) controller.enqueue(frameOf(event))
      }
    }
    feeds.add(controller)
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  }

  const read = (path: string): Response => {
    const { session, messages, hasOlder, ...lists } = history.reads[place]!
    const list = path.split("/").at(-1)!
    const names = {
      turn: "turns",
      monitor: "monitors",
      shell: "shells",
      permission: "asks",
      inbox: "inbox"
    } as const
    const body =
      list === "message"
        ? { items: messages, ...(hasOlder && { next: "older" }) }
        : list in names
          ? { items: lists[names[list as keyof typeof names]] }
          : session
    return Response.json(body, { headers: { "vigil-seq": String(newest()) } })
  }

  const fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const refused = () => {
      if (!up) throw new TypeError("Connection refused")
    }
    refused()
    if (url.pathname === "/api/event") return follow(url)
    reads++
    const answer = await heard(url)
    refused()
    return answer ?? read(url.pathname)
  }

  return {
    client: createClient({ baseUrl: "http://127.0.0.1:9", token: "t", fetch }),
    goOn: (count) => {
      const next = history.told.slice(place, place + count)
      place += next.length
      if (up) for (const event of next) for (const feed of feeds) feed.enqueue(frameOf(event))
    },
    left: () => history.told.length - place,
    away: () => {
      up = false
      for (const feed of feeds) feed.error(new Error("reset"))
      feeds.clear()
    },
    back: (change = {}) => {
      up = true
      if (change.storeID) storeID = change.storeID
      if (!change.history) return
      history = change.history
      place = history.told.length
    },
    forget: () => void (remembers = newest()),
    onRead: (next) => void (heard = next),
    reads: () => reads,
    feeds: () => feeds.size
  }
}
