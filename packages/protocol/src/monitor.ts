/** Monitors and background shells over HTTP. */
import {
  Command,
  Description,
  Monitor,
  MonitorConflict,
  MonitorId,
  MonitorNotFound,
  StartFailed,
  TimeoutOutOfRange,
  TooManyMonitors
} from "@vigil/schema/monitor"
import { Delivery } from "@vigil/schema/input"
import { Natural, naturalBetween } from "@vigil/schema/natural"
import { OutputPage } from "@vigil/schema/output"
import { PermissionDenied } from "@vigil/schema/permission"
import { SessionNotFound } from "@vigil/schema/session"
import { Shell, ShellId, ShellNotFound } from "@vigil/schema/shell"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { described } from "./describe.ts"
import { pageOf, reading } from "./page.ts"
import { monitorParams, sessionParams, shellParams } from "./params.ts"

/** Bytes of one page of output. */
export const minOutputBytes = 4
export const maxOutputBytes = 65_536

const outputQuery = {
  cursor: Schema.optionalKey(Natural).annotate({
    description:
      "The byte to begin at; without it the newest page. Past the end is empty, before `start` goes on at `start` with `truncated`"
  }),
  limit: Schema.optionalKey(naturalBetween(minOutputBytes, maxOutputBytes)).annotate({
    description: `Bytes at most: ${minOutputBytes} to ${maxOutputBytes}, cut between characters`
  })
}

const statusQuery = {
  status: Schema.optionalKey(Schema.Literals(["running", "ended"])).annotate({
    description: "Only those"
  })
}

export const NewMonitor = Schema.Struct({
  /** The same id twice is one monitor. */
  id: Schema.optionalKey(MonitorId),
  command: Command,
  description: Description,
  timeoutMs: Schema.optionalKey(Schema.Int),
  delivery: Schema.optionalKey(Delivery)
}).annotate({ identifier: "NewMonitor" })

const MonitorPage = pageOf("MonitorPage", Monitor)
const ShellPage = pageOf("ShellPage", Shell)

export const MonitorGroup = HttpApiGroup.make("monitor").add(
  HttpApiEndpoint.get("all", "/monitor", {
    query: statusQuery,
    success: reading(MonitorPage)
  }).pipe(described("Lists the monitors of all sessions, newest first")),
  HttpApiEndpoint.get("find", "/monitor/:monitorID", {
    params: { monitorID: MonitorId },
    success: reading(Monitor),
    error: MonitorNotFound
  }).pipe(described("Returns a monitor of whatever session")),
  HttpApiEndpoint.get("list", "/session/:sessionID/monitor", {
    params: sessionParams,
    success: reading(MonitorPage),
    error: SessionNotFound
  }).pipe(described("Lists a session's monitors, active and retained, newest first")),
  HttpApiEndpoint.post("start", "/session/:sessionID/monitor", {
    params: sessionParams,
    payload: NewMonitor,
    success: Monitor,
    error: [
      SessionNotFound,
      MonitorConflict,
      TooManyMonitors,
      TimeoutOutOfRange,
      StartFailed,
      PermissionDenied
    ]
  }).pipe(described("Starts a monitor as the user: nobody is asked, but rules that deny still hold")),
  HttpApiEndpoint.post("stopAll", "/session/:sessionID/monitor/stop", {
    params: sessionParams,
    success: MonitorPage,
    error: SessionNotFound
  }).pipe(described("Stops all of a session's monitors and returns those that it stopped")),
  HttpApiEndpoint.get("get", "/session/:sessionID/monitor/:monitorID", {
    params: monitorParams,
    success: reading(Monitor),
    error: MonitorNotFound
  }).pipe(described("Returns one of a session's monitors")),
  HttpApiEndpoint.post("stop", "/session/:sessionID/monitor/:monitorID/stop", {
    params: monitorParams,
    success: Monitor,
    error: MonitorNotFound
  }).pipe(described("Stops a monitor and returns how it ended; again is the same answer")),
  HttpApiEndpoint.get("output", "/session/:sessionID/monitor/:monitorID/output", {
    params: monitorParams,
    query: outputQuery,
    success: reading(OutputPage),
    error: MonitorNotFound
  }).pipe(described("Returns a page of what its command printed, also after its end"))
)

export const ShellGroup = HttpApiGroup.make("shell").add(
  HttpApiEndpoint.get("all", "/shell", {
    query: statusQuery,
    success: reading(ShellPage)
  }).pipe(described("Lists the shells of all sessions, newest first")),
  HttpApiEndpoint.get("find", "/shell/:shellID", {
    params: { shellID: ShellId },
    success: reading(Shell),
    error: ShellNotFound
  }).pipe(described("Returns a shell of whatever session")),
  HttpApiEndpoint.get("list", "/session/:sessionID/shell", {
    params: sessionParams,
    success: reading(ShellPage),
    error: SessionNotFound
  }).pipe(described("Lists a session's shells, active and retained, newest first")),
  HttpApiEndpoint.get("get", "/session/:sessionID/shell/:shellID", {
    params: shellParams,
    success: reading(Shell),
    error: ShellNotFound
  }).pipe(described("Returns one of a session's shells")),
  HttpApiEndpoint.post("stop", "/session/:sessionID/shell/:shellID/stop", {
    params: shellParams,
    success: Shell,
    error: ShellNotFound
  }).pipe(described("Stops a shell, and what it left running; again is the same answer")),
  HttpApiEndpoint.post("background", "/session/:sessionID/shell/:shellID/background", {
    params: shellParams,
    success: Shell,
    error: ShellNotFound
  }).pipe(described("Moves a foreground command to the background, so that its turn goes on")),
  HttpApiEndpoint.get("output", "/session/:sessionID/shell/:shellID/output", {
    params: shellParams,
    query: outputQuery,
    success: reading(OutputPage),
    error: ShellNotFound
  }).pipe(described("Returns a page of what it printed, also after its end"))
)
