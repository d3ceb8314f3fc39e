/** What the task list says of each task. Pure. */
import { endedBadly, endText } from "../text/end.ts"
import { clock, count, duration, size } from "../text/quantity.ts"
import { oneLine } from "../text/visible.ts"
import type { Task } from "../state/tasks.ts"
import type { Stop } from "../state/shape.ts"
import { type Row, type Span, span } from "../text/row.ts"
import { widthOf } from "../text/width.ts"

export const taskTitle = (task: Task): string =>
  task.type === "monitor" ? oneLine(task.monitor.description) : oneLine(task.shell.command)

export const taskMark = (task: Task, stop: Stop | undefined): Span => {
  const { status } = task.type === "monitor" ? task.monitor : task.shell
  if (status === "running") return stop?.type === "stopping" ? span("◌", "warn") : span("●", "good")
  const ended = task.type === "monitor" ? task.monitor : task.shell
  if (endedBadly(ended)) return span("✗", "bad")
  return ended.reason === "exited" ? span("✓", "good") : span("■", "quiet")
}

/** State and times, most telling first: what does not fit is left out from the end. */
export const taskFacts = (task: Task, stop: Stop | undefined, now: number): ReadonlyArray<Span> => {
  const { status, startedAt, endedAt } = task.type === "monitor" ? task.monitor : task.shell
  const events =
    task.type === "monitor" ? [span(count(task.monitor.ledger.events, "event"))] : [span("shell")]
  if (status === "running") {
    if (stop?.type === "stopping") return [span("stopping…", "warn"), ...events]
    const left = task.type === "monitor" ? [span(`${duration(task.monitor.expiresAt - now)} left`)] : []
    return [...events, span(`for ${duration(now - startedAt)}`), ...left]
  }
  const ended = task.type === "monitor" ? task.monitor : task.shell
  const end = span(endText(ended), endedBadly(ended) ? "bad" : undefined)
  const took = endedAt === undefined ? [] : [span(`after ${duration(endedAt - startedAt)}`)]
  const at = endedAt === undefined ? [] : [span(clock(endedAt))]
  return [end, ...events, ...took, ...at]
}

/** The line below: what went wrong with stopping, what is lost, or what it last said. */
export const taskDetail = (task: Task, stop: Stop | undefined, tryAgain: string): Row => {
  if (stop?.type === "failed")
    return [span(`Not stopped: ${oneLine(stop.why)} · ${tryAgain} tries again`, "bad")]
  const { log, survivors } = task.type === "monitor" ? task.monitor : task.shell
  if (survivors !== undefined && survivors.length > 0) {
    return [
      span(
        `${survivors.length === 1 ? "1 process" : `${survivors.length} processes`} outlived it: ${survivors.join(", ")}`,
        "bad"
      )
    ]
  }
  if (log.error !== undefined) return [span(`Output is not kept: ${oneLine(log.error)}`, "warn")]
  if (task.type === "shell")
    return log.size === 0 ? [span("no output yet", "faint")] : [span(`${size(log.size)} of output`, "faint")]
  const { lastLine, ledger } = task.monitor
  const lost = ledger.linesSuppressed > 0 ? ` (${count(ledger.linesSuppressed, "line")} suppressed)` : ""
  return lastLine === undefined
    ? [span("no line yet", "faint")]
    : [span(oneLine(lastLine), "quiet"), span(lost, "faint")]
}

/** As many as fit, with dots between. */
export const dotted = (facts: ReadonlyArray<Span>, width: number, tone?: Span["tone"]): Row => {
  const row: Array<Span> = []
  let used = 0
  for (const fact of facts) {
    const text = row.length === 0 ? fact.text : ` · ${fact.text}`
    used += widthOf(text)
    if (used > width && row.length > 0) break
    if (row.length > 0) row.push(span(" · ", "faint"))
    row.push(span(fact.text, fact.tone ?? tone))
  }
  return row
}
