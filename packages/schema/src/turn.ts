/** From a wake until the agent has nothing left to do. */
import { Schema } from "effect"
import { idSchema } from "./id.ts"
import { SessionId } from "./session.ts"
import { Usage } from "./usage.ts"

export const TurnId = idSchema("trn").pipe(Schema.brand("TurnId"), Schema.annotate({ identifier: "TurnId" }))
export type TurnId = typeof TurnId.Type

/**
 * `rejected`: an ask was rejected without a reason. `server_stopped`: the server ended, orderly or not;
 * the session is woken again where that is owed.
 */
export const TurnOutcome = Schema.Literals([
  "completed",
  "interrupted",
  "failed",
  "rejected",
  "server_stopped"
]).annotate({
  identifier: "TurnOutcome"
})
export type TurnOutcome = typeof TurnOutcome.Type

export const Turn = Schema.Struct({
  id: TurnId,
  sessionID: SessionId,
  startedAt: Schema.Int,
  endedAt: Schema.optionalKey(Schema.Int),
  outcome: Schema.optionalKey(TurnOutcome),
  /** Why it failed, and what can be done about it. */
  error: Schema.optionalKey(Schema.String),
  /** What was done to go on, and a person should know of. */
  remark: Schema.optionalKey(Schema.String),
  /** Model requests that completed. */
  steps: Schema.Int,
  /** Of these requests, and of those that made summaries. Absent where the server died in the turn. */
  usage: Schema.optionalKey(Usage)
}).annotate({ identifier: "Turn" })
export interface Turn extends Schema.Schema.Type<typeof Turn> {}
