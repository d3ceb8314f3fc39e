/** What a server says of itself, and how a feed begins. */
import { Schema } from "effect"
import { Event, MessageDelta } from "./event-manifest.ts"

export const Health = Schema.Struct({
  version: Schema.String,
  startedAt: Schema.Int,
  /** Made once for a state directory: what was read of another store says nothing about this one. */
  storeID: Schema.String
}).annotate({ identifier: "Health" })
export interface Health extends Schema.Schema.Type<typeof Health> {}

/** Opens one feed, in place of the token, which must not stand in a URL. */
export const Ticket = Schema.Struct({ ticket: Schema.String, expiresAt: Schema.Int }).annotate({
  identifier: "Ticket"
})
export interface Ticket extends Schema.Schema.Type<typeof Ticket> {}

/** First frame of every connection: `seq` is the newest event there is. It has no id. */
export const Connected = Schema.Struct({
  type: Schema.Literal("connected"),
  storeID: Schema.String,
  seq: Schema.Int
}).annotate({ identifier: "Connected" })
export interface Connected extends Schema.Schema.Type<typeof Connected> {}

/**
 * What the client asked for is not there: older than what is kept (`forgotten`), newer than the newest (`ahead`), or of
 * another store. Read the state again; events after `seq` follow.
 */
export const Resync = Schema.Struct({
  type: Schema.Literal("resync"),
  reason: Schema.Literals(["forgotten", "ahead", "other_store"]),
  seq: Schema.Int
}).annotate({ identifier: "Resync" })
export interface Resync extends Schema.Schema.Type<typeof Resync> {}

export const FeedEvent = Schema.Union([Event, MessageDelta, Connected, Resync]).annotate({
  identifier: "FeedEvent"
})
export type FeedEvent = typeof FeedEvent.Type
