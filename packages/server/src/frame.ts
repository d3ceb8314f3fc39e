/** What goes over the wire of a feed, byte for byte. */
import type { StoredEvent } from "@vigil/core/bus"
import type { MessageDelta } from "@vigil/schema/event-manifest"
import type { Connected, Resync } from "@vigil/schema/server"

/** Frames that are sent together, in one piece. */
export interface Frames {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly count: number
}

const utf8 = new TextEncoder()

const one = (text: string): Frames => ({ bytes: utf8.encode(text), count: 1 })

/** A frame's id is where a client that read it goes on. What is stored is JSON on one line already. */
export const eventFrames = (events: ReadonlyArray<StoredEvent>): Frames => {
  let text = ""
  for (const { seq, json } of events) text += `id: ${seq}\ndata: ${json}\n\n`
  return { bytes: utf8.encode(text), count: events.length }
}

/** Without an id: it is no place to go on from. */
export const connectedFrame = (connected: Connected) => one(`data: ${JSON.stringify(connected)}\n\n`)

/** With an id, so that a client that only keeps the last one goes on behind it. */
export const resyncFrame = (resync: Resync) => one(`id: ${resync.seq}\ndata: ${JSON.stringify(resync)}\n\n`)

export const deltaFrame = (delta: MessageDelta) => one(`data: ${JSON.stringify(delta)}\n\n`)

/**
 * A sign of life, and how far the feed has come: who hears of one quiet session is not behind when it comes back.
 * A block without data is no event to any reader, but its id counts.
 */
export const heartbeat = (seq: number) => one(`: still here\nid: ${seq}\n\n`)

/** The last frame: come back in half a second. */
export const goodbye = one("retry: 500\n\n")
