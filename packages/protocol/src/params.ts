/** Ids in paths. */
import { MonitorId } from "@vigil/schema/monitor"
import { SessionId } from "@vigil/schema/session"
import { ShellId } from "@vigil/schema/shell"

export const sessionParams = { sessionID: SessionId }
export const monitorParams = { ...sessionParams, monitorID: MonitorId }
export const shellParams = { ...sessionParams, shellID: ShellId }
