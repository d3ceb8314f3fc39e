/** What a server says of itself, and how a feed begins. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { Event, MessageDelta } from "./event-manifest.ts"

export const Health = Schema.Struct({
  version: about("Of the server; clients of another major version refuse", Schema.String),
  startedAt: about("When it began to serve", Schema.Int),
  storeID: about(
    "Made once for a state directory: what was read of another store says nothing about this one",
    Schema.String
  )
}).annotate({ identifier: "Health", description: "What answers, and for how long it has." })
export interface Health extends Schema.Schema.Type<typeof Health> {}

export const Ticket = Schema.Struct({
  ticket: about("For `ticket` of the feed's query, once", Schema.String),
  expiresAt: about("When it opens nothing any more", Schema.Int)
}).annotate({
  identifier: "Ticket",
  description: "Opens one feed, in place of the token, which must not stand in a URL."
})
export interface Ticket extends Schema.Schema.Type<typeof Ticket> {}

export const Connected = Schema.Struct({
  type: Schema.Literal("connected"),
  storeID: about(
    "Whose events follow: another one than before means that nothing read before holds",
    Schema.String
  ),
  seq: about("The newest event there is", Schema.Int)
}).annotate({ identifier: "Connected", description: "First frame of every connection. It has no id." })
export interface Connected extends Schema.Schema.Type<typeof Connected> {}

export const Resync = Schema.Struct({
  type: Schema.Literal("resync"),
  reason: about(
    "`forgotten`: older than what is kept. `ahead`: newer than the newest. `other_store`: of another state directory",
    Schema.Literals(["forgotten", "ahead", "other_store"])
  ),
  seq: about("The newest event there is", Schema.Int)
}).annotate({
  identifier: "Resync",
  description: "What the client asked for is not there. Read the state again; events after `seq` follow."
})
export interface Resync extends Schema.Schema.Type<typeof Resync> {}

export const FeedEvent = Schema.Union([Event, MessageDelta, Connected, Resync]).annotate({
  identifier: "FeedEvent",
  description:
    "A frame of the feed, by its `type`: an event, text that streams, or word about the connection."
})
export type FeedEvent = typeof FeedEvent.Type
