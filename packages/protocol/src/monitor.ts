/** Monitors and background shells over HTTP. */
import { about } from "@vigil/schema/about"
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
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { described } from "./describe.ts"
import { pageOf, reading } from "./page.ts"
import { monitorParams, sessionParams, shellParams } from "./params.ts"

/** Bytes of one page of output. */
export const minOutputBytes = 4
export const maxOutputBytes = 65_536

const outputQuery = {
  cursor: about(
    "The byte to begin at; without it the newest page. Past the end is empty, before `start` goes on at `start` with `truncated`",
    Schema.optionalKey(Natural)
  ),
  limit: about(
    `Bytes at most: ${minOutputBytes} to ${maxOutputBytes}, cut between characters`,
    Schema.optionalKey(naturalBetween(minOutputBytes, maxOutputBytes))
  )
}

const statusQuery = {
  status: about(
    "Only those that run, or that have ended",
    Schema.optionalKey(Schema.Literals(["running", "ended"]))
  )
}

export const NewMonitor = Schema.Struct({
  id: about("The same id twice is one monitor", Schema.optionalKey(MonitorId)),
  command: about("Run by `bash -c`, or `sh -c` where bash is not, in the session's directory", Command),
  description: about("Shown in every event", Description),
  timeoutMs: about(
    "Its deadline, in ms; the configured one where it is absent",
    Schema.optionalKey(Schema.Int)
  ),
  delivery: about("When its events are read; `steer` where it is absent", Schema.optionalKey(Delivery))
}).annotate({ identifier: "NewMonitor", description: "What a monitor is started with." })

const MonitorPage = pageOf("MonitorPage", "Monitors, newest first.", Monitor)
const ShellPage = pageOf("ShellPage", "Shells, newest first.", Shell)

export const MonitorGroup = HttpApiGroup.make("monitor")
  .annotate(OpenApi.Description, "Background commands whose stdout lines become events of their session.")
  .add(
    HttpApiEndpoint.get("all", "/monitor", {
      query: statusQuery,
      success: reading(MonitorPage)
    }).pipe(described("Lists the monitors of all sessions, newest first")),
    HttpApiEndpoint.get("find", "/monitor/:monitorID", {
      params: { monitorID: about("The monitor, of whatever session", MonitorId) },
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

export const ShellGroup = HttpApiGroup.make("shell")
  .annotate(
    OpenApi.Description,
    "Shell commands that go on in the background, with one notification at their end."
  )
  .add(
    HttpApiEndpoint.get("all", "/shell", {
      query: statusQuery,
      success: reading(ShellPage)
    }).pipe(described("Lists the shells of all sessions, newest first")),
    HttpApiEndpoint.get("find", "/shell/:shellID", {
      params: { shellID: about("The shell, of whatever session", ShellId) },
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
