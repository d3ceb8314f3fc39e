/** A shell command: in the foreground of a turn, or in the background with one notification at its end. */
import { Schema } from "effect"
import { about } from "./about.ts"
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
  command: about("As the agent wrote it", Command),
  background: about("Its end is told to the session; otherwise a tool call waits for it", Schema.Boolean),
  pid: about("Of its process, while there is one", Schema.optionalKey(Schema.Int)),
  status: about("`ended` is for good", Schema.Literals(["running", "ended"])),
  startedAt: about("When it was started", Schema.Int),
  endedAt: about("When it ended", Schema.optionalKey(Schema.Int)),
  reason: about("Why it ended", Schema.optionalKey(EndReason)),
  exitCode: about("Of the command, where that ended by itself", Schema.optionalKey(Schema.Int)),
  signal: about("What killed it, for example `SIGTERM`", Schema.optionalKey(Schema.String)),
  log: about("Its kept output, which `shell.output` reads", LogState),
  survivors: about(
    "Processes that it left running. They die at stop, or with the server",
    Schema.optionalKey(Schema.Array(Schema.Int))
  )
}).annotate({
  identifier: "Shell",
  description:
    "A shell command: in the foreground of a turn, or in the background with one notification at its end."
})
export interface Shell extends Schema.Schema.Type<typeof Shell> {}

export class ShellNotFound extends Schema.TaggedError<ShellNotFound>()(
  "ShellNotFound",
  {
    shellID: about("The id that was asked for", Schema.String),
    message: sentence("This session has no such background shell")
  },
  {
    httpApiStatus: 404,
    description:
      "There is no such background shell here: it was removed, or is another session's. List the session's shells."
  }
) {}

export class TooManyShells extends Schema.TaggedError<TooManyShells>()(
  "TooManyShells",
  { limit: Schema.Int, active: Schema.Array(Schema.String), message: Schema.String },
  { httpApiStatus: 409 }
) {}
