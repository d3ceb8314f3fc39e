/** Monitors and background shells, as people read them. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { EndReason, Ledger, Monitor } from "@vigil/schema/monitor"
import type { Shell } from "@vigil/schema/shell"
import type { Paint } from "./paint.ts"
import { age, count, duration } from "./quantity.ts"
import { fitted, oneLine } from "./table.ts"

interface End {
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
  server_restarted: "ended with its server",
  session_deleted: "ended with its session",
  error: "failed",
  max_events: "ended: enough events",
  inactive: "ended: inactive",
  closed: "ended: closed",
  superseded: "ended: superseded"
}

/** `exited with code 1`, `killed by SIGTERM`, `expired` */
export const endText = ({ reason, exitCode, signal }: End): string => {
  if (reason !== "exited") return reason === undefined ? "ended" : (reasons[reason] ?? `ended (${reason})`)
  if (signal !== undefined) return `killed by ${signal}`
  return exitCode === undefined ? "exited" : `exited with code ${exitCode}`
}

/** What became of every line: `4 lines in 3 events`, and what was not delivered. */
export const ledgerText = (ledger: Ledger): string => {
  const { linesDelivered, linesSuppressed, linesPending, linesClipped, events } = ledger
  return [
    `${count(linesDelivered, "line")} in ${count(events, "event")}`,
    ...(linesSuppressed > 0 ? [`${linesSuppressed} suppressed`] : []),
    ...(linesPending > 0 ? [`${linesPending} pending`] : []),
    ...(linesClipped > 0 ? [`${linesClipped} clipped`] : [])
  ].join(", ")
}

export const monitorEndText = (monitor: Monitor): string => {
  const took = monitor.endedAt === undefined ? "" : ` after ${duration(monitor.endedAt - monitor.startedAt)}`
  return `${endText(monitor)}${took}, ${ledgerText(monitor.ledger)}`
}

/** A command can be long and is one line here. */
export const commandText = (command: string, max = 60): string => oneLine(cleanText(command), max)

export const shellEndText = (shell: Shell): string => {
  const took = shell.endedAt === undefined ? "" : ` after ${duration(shell.endedAt - shell.startedAt)}`
  return `${endText(shell)}${took}`
}

/** `■ 'the build' exited with code 3 after 2.0 s, 4 lines in 3 events` */
export const taskEndText = (task: Monitor | Shell, paint: Paint): string =>
  "command" in task
    ? `${paint.cyan("■")} ${commandText(task.command)} ${shellEndText(task)}`
    : `${paint.cyan("■")} '${task.description}' ${monitorEndText(task)}`

/** A row each, newest first as they come. `now` in epoch milliseconds; at most `columns` wide. */
export const monitorTable = (
  monitors: ReadonlyArray<Monitor>,
  now: number,
  columns?: number
): ReadonlyArray<string> =>
  fitted(
    [
      ["ID", "DESCRIPTION", "STATE", "STARTED", "LEDGER", "SESSION"],
      ...monitors.map((monitor) => [
        monitor.id,
        oneLine(monitor.description, 40),
        monitor.status === "running" ? "running" : endText(monitor),
        age(now - monitor.startedAt),
        ledgerText(monitor.ledger),
        monitor.sessionID
      ])
    ],
    { text: [1, 2, 4], columns }
  )
