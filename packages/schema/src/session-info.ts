/** A session as it is told. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { Session, SessionStatus } from "./session.ts"
import { Turn } from "./turn.ts"

export const SessionInfo = Schema.Struct({
  ...Session.fields,
  status: about("What it is doing", SessionStatus),
  turn: about("Without `endedAt` where it runs; absent before the first", Schema.optionalKey(Turn))
}).annotate({ identifier: "SessionInfo", description: "A session, what it is doing, and its newest turn." })
export interface SessionInfo extends Schema.Schema.Type<typeof SessionInfo> {}
