/** How what ran in the background ended, as people read it. Pure. */
import type { EndReason } from "@vigil/sdk/wire"

interface End {
  readonly status: "running" | "ended"
  readonly reason?: EndReason
  readonly exitCode?: number
  readonly signal?: string
}

const reasons: Readonly<Record<EndReason, string>> = {
  exited: "exited",
  expired: "expired",
  cancelled: "stopped",
  rate_limit: "stopped: too many events",
  output_limit: "stopped: too much output",
  server_restarted: "ended by a restart of the server",
  session_deleted: "ended with its session",
  error: "failed",
  max_events: "ended: enough events",
  inactive: "ended: inactive",
  closed: "ended: closed",
  superseded: "ended: superseded"
}

/** `exited with code 1`, `killed by SIGTERM`, `expired`; a reason of a later server is shown as it is. */
export const endText = ({ reason, exitCode, signal }: End): string => {
  if (reason === undefined) return "ended"
  if (reason !== "exited") return reasons[reason] ?? `ended (${reason.replaceAll("_", " ")})`
  if (signal !== undefined) return `killed by ${signal}`
  return exitCode === undefined ? "exited" : `exited with code ${exitCode}`
}

/** What someone would want to look at. */
export const endedBadly = ({ reason, exitCode, signal }: End): boolean =>
  reason === "exited"
    ? signal !== undefined || (exitCode ?? 0) !== 0
    : reason === "error" || reason === "rate_limit" || reason === "output_limit"
