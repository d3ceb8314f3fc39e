/** A background command whose stdout lines become events. */
import { Effect, Schema } from "effect"
import { about } from "./about.ts"
import { idSchema } from "./id.ts"
import { Delivery } from "./input.ts"
import { LogState } from "./output.ts"
import { sentence } from "./sentence.ts"
import { SessionId } from "./session.ts"
import { visible, visibleLine } from "./text.ts"

export const MonitorId = idSchema("mon").pipe(
  Schema.brand("MonitorId"),
  Schema.annotate({ identifier: "MonitorId" })
)
export type MonitorId = typeof MonitorId.Type

/** Run by `bash -c`, or `sh -c` where bash is not. */
export const Command = visible("Command", 8192)
/** Shown in every event. */
export const Description = visibleLine("Description", 200)

export const EndReason = Schema.Literals([
  "exited",
  "expired",
  "cancelled",
  "rate_limit",
  "output_limit",
  "server_restarted",
  "session_deleted",
  "error",
  "max_events",
  "inactive",
  "closed",
  "superseded"
]).annotate({
  identifier: "EndReason",
  description:
    "`max_events`, `inactive`, `closed` and `superseded` are reserved; a client treats one it does not know as a plain end."
})
export type EndReason = typeof EndReason.Type

export const Ledger = Schema.Struct({
  bytesRead: about("Raw stdout", Schema.Int),
  linesRead: about("Whole lines that were read", Schema.Int),
  linesDelivered: about("Admitted to the inbox", Schema.Int),
  linesSuppressed: about("Passed a limit, or had no room", Schema.Int),
  linesPending: about("Read and not yet admitted", Schema.Int),
  linesClipped: about("Delivered, but without their ends", Schema.Int),
  bytesClipped: about("What those ends held, in bytes", Schema.Int),
  events: about("Batches; the notice is none", Schema.Int)
}).annotate({
  identifier: "Ledger",
  description:
    "What became of every line: `linesRead = linesDelivered + linesSuppressed + linesPending`, always. Lines are cleaned and not blank. A clipped line is delivered, and counted besides."
})
export interface Ledger extends Schema.Schema.Type<typeof Ledger> {}

export const emptyLedger: Ledger = {
  bytesRead: 0,
  linesRead: 0,
  linesDelivered: 0,
  linesSuppressed: 0,
  linesPending: 0,
  linesClipped: 0,
  bytesClipped: 0,
  events: 0
}

export const Cost = Schema.Struct({
  reads: about("Model requests that its events caused or joined", Schema.Int),
  inputTokens: about(
    "Of these requests. Monitors whose events one request brought share its tokens evenly",
    Schema.Int
  ),
  outputTokens: about("Of these requests, shared alike", Schema.Int)
}).annotate({
  identifier: "Cost",
  description:
    "What reading a monitor's events has cost: the requests that brought them, not what the agent did then."
})
export interface Cost extends Schema.Schema.Type<typeof Cost> {}

export const MonitorSource = Schema.Union([
  Schema.Struct({ type: Schema.Literal("command"), command: Command })
]).annotate({
  identifier: "MonitorSource",
  description: "What a monitor watches. Later there are more kinds."
})
export type MonitorSource = typeof MonitorSource.Type

export const Monitor = Schema.Struct({
  id: MonitorId,
  sessionID: SessionId,
  shellID: about("The process behind it", Schema.String),
  source: about("What it watches", MonitorSource),
  description: about("Shown in every event", Schema.String),
  delivery: about("When its events are read", Delivery),
  startedBy: about("Who wanted it", Schema.Literals(["agent", "user"])),
  pid: about("Of its process, while there is one", Schema.optionalKey(Schema.Int)),
  status: about("`ended` is for good", Schema.Literals(["running", "ended"])),
  startedAt: about("When it was started", Schema.Int),
  expiresAt: about("Its deadline: it is stopped then", Schema.Int),
  endedAt: about("When it ended", Schema.optionalKey(Schema.Int)),
  reason: about("Why it ended", Schema.optionalKey(EndReason)),
  exitCode: about("Of its command, where that ended by itself", Schema.optionalKey(Schema.Int)),
  signal: about("What killed its command, for example `SIGTERM`", Schema.optionalKey(Schema.String)),
  ledger: about("What became of every line", Ledger),
  log: about("Its kept output, which `monitor.output` reads", LogState),
  lastLine: about("The newest line, cleaned", Schema.optionalKey(Schema.String)),
  lastOutputAt: about("When something was printed last", Schema.optionalKey(Schema.Int)),
  survivors: about(
    "Processes that could not be killed, or that a sweep killed after the end",
    Schema.optionalKey(Schema.Array(Schema.Int))
  ),
  cost: about("What reading its events has cost", Cost)
}).annotate({ identifier: "Monitor", description: "A background command whose stdout lines become events." })
export interface Monitor extends Schema.Schema.Type<typeof Monitor> {}

/** What a monitor is started with. */
export const MonitorDraft = Schema.Struct({
  command: Command,
  description: Description,
  timeoutMs: Schema.optionalKey(Schema.Int),
  delivery: Schema.optionalKey(Delivery)
}).annotate({ identifier: "MonitorDraft" })
export interface MonitorDraft extends Schema.Schema.Type<typeof MonitorDraft> {}

export class MonitorNotFound extends Schema.TaggedError<MonitorNotFound>()(
  "MonitorNotFound",
  {
    monitorID: about("The id that was asked for", Schema.String),
    message: sentence("This session has no such monitor")
  },
  {
    httpApiStatus: 404,
    description:
      "There is no such monitor here: it was removed, or is another session's. List the session's monitors."
  }
) {}

export class MonitorConflict extends Schema.TaggedError<MonitorConflict>()(
  "MonitorConflict",
  {
    monitorID: about("The id", Schema.String),
    message: sentence("Another monitor was started under this id")
  },
  {
    httpApiStatus: 409,
    description: "Another monitor was started under this id. Start this one with a new id."
  }
) {}

export class TooManyMonitors extends Schema.TaggedError<TooManyMonitors>()(
  "TooManyMonitors",
  {
    limit: about("How many there may be", Schema.Int),
    scope: about("Whose limit it is", Schema.Literals(["session", "server"])),
    active: about(
      "Those that run",
      Schema.Array(Schema.Struct({ id: Schema.String, description: Schema.String }))
    ),
    message: Schema.String
  },
  {
    httpApiStatus: 409,
    description:
      "The session, or the server, has as many active monitors as it may have. Stop one of them first."
  }
) {}

export class TimeoutOutOfRange extends Schema.TaggedError<TimeoutOutOfRange>()(
  "TimeoutOutOfRange",
  {
    timeoutMs: about("What was asked for, in ms", Schema.Int),
    min: about("The shortest, in ms", Schema.Int),
    max: about("The longest, in ms", Schema.Int),
    message: Schema.String
  },
  {
    httpApiStatus: 400,
    description:
      "The deadline is outside what is allowed; it is never clamped. Ask for one between `min` and `max`."
  }
) {}

export class StartFailed extends Schema.TaggedError<StartFailed>()(
  "StartFailed",
  {
    message: Schema.String.pipe(
      Schema.withConstructorDefault(Effect.succeed("The command could not be started"))
    )
  },
  {
    httpApiStatus: 422,
    description:
      "The command could not be run at all. See that the session's directory and a shell are there."
  }
) {}
