/** A shell command: in the foreground of a turn, or in the background with one notification at its end. */
import { Schema } from "effect"
import { idSchema } from "./id.ts"
import { Command, EndReason } from "./monitor.ts"
import { LogState } from "./output.ts"
import { sentence } from "./sentence.ts"
import { SessionId } from "./session.ts"

export const ShellId = idSchema("sh").pipe(
  Schema.brand("ShellId"),
  Schema.annotate({ identifier: "ShellId" })
)
export type ShellId = typeof ShellId.Type

export const Shell = Schema.Struct({
  id: ShellId,
  sessionID: SessionId,
  command: Command,
  /** Its end is told to the session; otherwise a tool call waits for it. */
  background: Schema.Boolean,
  pid: Schema.optionalKey(Schema.Int),
  status: Schema.Literals(["running", "ended"]),
  startedAt: Schema.Int,
  endedAt: Schema.optionalKey(Schema.Int),
  reason: Schema.optionalKey(EndReason),
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  log: LogState,
  /** Processes that it left running. They die at stop, or with the server. */
  survivors: Schema.optionalKey(Schema.Array(Schema.Int))
}).annotate({ identifier: "Shell" })
export interface Shell extends Schema.Schema.Type<typeof Shell> {}

/** Also what another session's shell looks like. */
export class ShellNotFound extends Schema.TaggedError<ShellNotFound>()(
  "ShellNotFound",
  { shellID: Schema.String, message: sentence("This session has no such background shell") },
  { httpApiStatus: 404 }
) {}

export class TooManyShells extends Schema.TaggedError<TooManyShells>()(
  "TooManyShells",
  { limit: Schema.Int, active: Schema.Array(Schema.String), message: Schema.String },
  { httpApiStatus: 409 }
) {}
