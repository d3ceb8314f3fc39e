/** A session as it is told. */
import { Schema } from "effect"
import { Session, SessionStatus } from "./session.ts"
import { Turn } from "./turn.ts"

/** With what it is doing, and its newest turn. */
export const SessionInfo = Schema.Struct({
  ...Session.fields,
  status: SessionStatus,
  /** Without `endedAt` where it runs; absent before the first. */
  turn: Schema.optionalKey(Turn)
}).annotate({ identifier: "SessionInfo" })
export interface SessionInfo extends Schema.Schema.Type<typeof SessionInfo> {}
