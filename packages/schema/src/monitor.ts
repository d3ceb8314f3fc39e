/** A background command whose stdout lines become events. */
import { Effect, Schema } from "effect"
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

/** `max_events`, `inactive`, `closed` and `superseded` are reserved; a client treats one it does not know as a plain end. */
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
]).annotate({ identifier: "EndReason" })
export type EndReason = typeof EndReason.Type

/**
 * What became of every line: `linesRead = linesDelivered + linesSuppressed + linesPending`, always.
 * Lines are cleaned and not blank. A clipped line is delivered, and counted besides.
 */
export const Ledger = Schema.Struct({
  /** Raw stdout. */
  bytesRead: Schema.Int,
  linesRead: Schema.Int,
  /** Admitted to the inbox. */
  linesDelivered: Schema.Int,
  /** Passed a limit, or had no room. */
  linesSuppressed: Schema.Int,
  /** Read and not yet admitted. */
  linesPending: Schema.Int,
  linesClipped: Schema.Int,
  bytesClipped: Schema.Int,
  /** Batches; the notice is none. */
  events: Schema.Int
}).annotate({ identifier: "Ledger" })
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

/** What reading a monitor's events has cost: the requests that brought them, not what the agent did then. */
export const Cost = Schema.Struct({
  /** Model requests that its events caused or joined. */
  reads: Schema.Int,
  /** Of these requests. Monitors whose events one request brought share its tokens evenly. */
  inputTokens: Schema.Int,
  outputTokens: Schema.Int
}).annotate({ identifier: "Cost" })
export interface Cost extends Schema.Schema.Type<typeof Cost> {}

/** What a monitor watches. Later there are more kinds. */
export const MonitorSource = Schema.Union([
  Schema.Struct({ type: Schema.Literal("command"), command: Command })
]).annotate({ identifier: "MonitorSource" })
export type MonitorSource = typeof MonitorSource.Type

export const Monitor = Schema.Struct({
  id: MonitorId,
  sessionID: SessionId,
  /** The process behind it. */
  shellID: Schema.String,
  source: MonitorSource,
  description: Schema.String,
  delivery: Delivery,
  startedBy: Schema.Literals(["agent", "user"]),
  pid: Schema.optionalKey(Schema.Int),
  status: Schema.Literals(["running", "ended"]),
  startedAt: Schema.Int,
  expiresAt: Schema.Int,
  endedAt: Schema.optionalKey(Schema.Int),
  reason: Schema.optionalKey(EndReason),
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  ledger: Ledger,
  log: LogState,
  lastLine: Schema.optionalKey(Schema.String),
  lastOutputAt: Schema.optionalKey(Schema.Int),
  /** Processes that could not be killed, or that a sweep killed after the end. */
  survivors: Schema.optionalKey(Schema.Array(Schema.Int)),
  cost: Cost
}).annotate({ identifier: "Monitor" })
export interface Monitor extends Schema.Schema.Type<typeof Monitor> {}

/** What a monitor is started with. */
export const MonitorDraft = Schema.Struct({
  command: Command,
  description: Description,
  timeoutMs: Schema.optionalKey(Schema.Int),
  delivery: Schema.optionalKey(Delivery)
}).annotate({ identifier: "MonitorDraft" })
export interface MonitorDraft extends Schema.Schema.Type<typeof MonitorDraft> {}

/** Also what another session's monitor looks like. */
export class MonitorNotFound extends Schema.TaggedError<MonitorNotFound>()(
  "MonitorNotFound",
  { monitorID: Schema.String, message: sentence("This session has no such monitor") },
  { httpApiStatus: 404 }
) {}

/** Another monitor was started under this id. */
export class MonitorConflict extends Schema.TaggedError<MonitorConflict>()(
  "MonitorConflict",
  { monitorID: Schema.String, message: sentence("Another monitor was started under this id") },
  { httpApiStatus: 409 }
) {}

/** The session, or the server, has as many active monitors as it may have. */
export class TooManyMonitors extends Schema.TaggedError<TooManyMonitors>()(
  "TooManyMonitors",
  {
    limit: Schema.Int,
    scope: Schema.Literals(["session", "server"]),
    active: Schema.Array(Schema.Struct({ id: Schema.String, description: Schema.String })),
    message: Schema.String
  },
  { httpApiStatus: 409 }
) {}

/** A deadline outside what is allowed. It is never clamped. */
export class TimeoutOutOfRange extends Schema.TaggedError<TimeoutOutOfRange>()(
  "TimeoutOutOfRange",
  { timeoutMs: Schema.Int, min: Schema.Int, max: Schema.Int, message: Schema.String },
  { httpApiStatus: 400 }
) {}

/** The command could not be run at all. */
export class StartFailed extends Schema.TaggedError<StartFailed>()(
  "StartFailed",
  {
    message: Schema.String.pipe(
      Schema.withConstructorDefault(Effect.succeed("The command could not be started"))
    )
  },
  { httpApiStatus: 422 }
) {}
