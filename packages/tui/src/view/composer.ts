/** What is typed, between two rules, and what waits above it. Pure. */
import { keyText } from "../keys.ts"
import { focusOf, openAsks } from "../state/focus.ts"
import { composerRows, innerWidth, lineSeen, waitingPrompts } from "../state/screen.ts"
import type { State } from "../state/shape.ts"
import { clip, type Row, span } from "../text/row.ts"
import { oneLine } from "../text/visible.ts"

export interface Place {
  readonly x: number
  readonly y: number
}

/** `cursor` counts from the first of these rows, without the margin; none where something else has the focus. */
export const composerView = (
  state: State,
  height: number
): { readonly rows: ReadonlyArray<Row>; readonly cursor: Place | undefined } => {
  const width = innerWidth(state)
  const { rows, x, y } = composerRows(state.composer, width - 2)
  const first = Math.max(0, Math.min(y - height + 1, rows.length - height))
  const seen = rows.slice(first, first + height)
  const rule = [span("─".repeat(width), "rule")]
  const isEmpty = state.composer.text === ""
  const isFocused = focusOf(state) === "chat"
  const body = isEmpty
    ? [[span("❯ ", isFocused ? "accent" : "faint"), span(clip(placeholder(state), width - 2), "faint")]]
    : seen.map((row, index) => [
        span(index === 0 && first === 0 ? "❯ " : "  ", isFocused ? "accent" : "faint"),
        ...row
      ])
  return {
    rows: [rule, ...body, rule],
    cursor: isFocused ? { x: 2 + x, y: 1 + y - first } : undefined
  }
}

const placeholder = (state: State): string => {
  if (openAsks(state).length > 0) return "A question waits"
  const { status } = state.session?.session ?? {}
  if (status === "running")
    return `Say more; ${keyText(state.bindings, "chat.queue")} sends it for after this turn`
  return state.session === undefined
    ? "What shall be done, or watched?"
    : "Reply, or ask for something to be watched"
}

/** Sent, and not read by the agent yet. */
export const waitingRows = (state: State, height: number): ReadonlyArray<Row> => {
  const prompts = waitingPrompts(state)
  const width = innerWidth(state)
  const shown = prompts.length > height ? prompts.slice(0, Math.max(0, height - 1)) : prompts
  const rows = shown.map((text): Row => [span("⋯ ", "faint"), span(clip(oneLine(text), width - 2), "quiet")])
  const more = prompts.length - shown.length
  return more === 0 || height === 0 ? rows : [...rows, [span(`⋯ ${more} more wait`, "faint")]]
}

/** The ask's last row while a reason is typed. */
export const reasonView = (state: State): { readonly row: Row; readonly x: number } | undefined => {
  const { reason } = state.ask
  if (reason === undefined || focusOf(state) !== "reason") return undefined
  const label = "Reject, because: "
  const { text, x } = lineSeen(reason, innerWidth(state) - label.length - 4)
  const hint = reason.text === "" ? [span("nothing need be said", "faint")] : []
  return { row: [span("▍ ", "warn"), span(label, "quiet"), span(text), ...hint], x: 2 + label.length + x }
}
