/** Ids in paths. */
import { about } from "@vigil/schema/about"
import { MonitorId } from "@vigil/schema/monitor"
import { SessionId } from "@vigil/schema/session"
import { ShellId } from "@vigil/schema/shell"

export const sessionParams = { sessionID: about("The session", SessionId) }
export const monitorParams = {
  ...sessionParams,
  monitorID: about("The monitor; another session's is not found", MonitorId)
}
export const shellParams = {
  ...sessionParams,
  shellID: about("The background shell; another session's is not found", ShellId)
}
