/** From a wake until the agent has nothing left to do. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { idSchema } from "./id.ts"
import { SessionId } from "./session.ts"
import { Usage } from "./usage.ts"

export const TurnId = idSchema("trn").pipe(Schema.brand("TurnId"), Schema.annotate({ identifier: "TurnId" }))
export type TurnId = typeof TurnId.Type

export const TurnOutcome = Schema.Literals([
  "completed",
  "interrupted",
  "failed",
  "rejected",
  "server_stopped"
]).annotate({
  identifier: "TurnOutcome",
  description:
    "`rejected`: an ask was rejected without a reason. `server_stopped`: the server ended, orderly or not; the session is woken again where that is owed."
})
export type TurnOutcome = typeof TurnOutcome.Type

export const Turn = Schema.Struct({
  id: TurnId,
  sessionID: SessionId,
  startedAt: about("When it was woken", Schema.Int),
  endedAt: about("Absent while it runs", Schema.optionalKey(Schema.Int)),
  outcome: about("How it ended; absent while it runs", Schema.optionalKey(TurnOutcome)),
  error: about("Why it failed, and what can be done about it", Schema.optionalKey(Schema.String)),
  remark: about("What was done to go on, and a person should know of", Schema.optionalKey(Schema.String)),
  steps: about("Model requests that completed", Schema.Int),
  usage: about(
    "Of these requests, and of those that made summaries. Absent where the server died in the turn",
    Schema.optionalKey(Usage)
  )
}).annotate({ identifier: "Turn", description: "From a wake until the agent has nothing left to do." })
export interface Turn extends Schema.Schema.Type<typeof Turn> {}
