/** The last row: what the agent does, what runs, whether the server is there, and what can be pressed. Pure. */
import { keyText } from "../keys.ts"
import { focusOf, openAsks } from "../state/focus.ts"
import { innerWidth } from "../state/screen.ts"
import type { Question, State } from "../state/shape.ts"
import { runningText, taskOf } from "../state/tasks.ts"
import { dotted, taskTitle } from "./facts.ts"
import { count } from "../text/quantity.ts"
import { clip, type Row, type Span, span, spread, rowWidth } from "../text/row.ts"
import { oneLine } from "../text/visible.ts"

export const statusRow = (state: State): Row => {
  const width = innerWidth(state)
  const top = state.overlays.at(-1)
  if (top?.type === "confirm") {
    return spread([span(questionText(state, top.question, width - 16), "warn")], [span("y yes · n no", "quiet")], width)
  }
  const left = dotted(leftOf(state), width)
  const right = hints(state).findLast((row) => rowWidth(row) + rowWidth(left) + 2 <= width) ?? []
  return spread(left, right, width)
}

const questionText = (state: State, question: Question, room: number): string => {
  switch (question.type) {
    case "stop": {
      const task = taskOf(state, question.id)
      return `Stop ${clip(task === undefined ? question.id : taskTitle(task), Math.max(6, room - 6))}?`
    }
    case "stopAll":
      return "Stop all monitors of this session?"
    case "delete":
      return "Delete this session and stop all that runs in it?"
  }
}

const dot = span(" · ", "faint")

const joined = (spans: ReadonlyArray<Span>): Row => spans.flatMap((one, index) => (index === 0 ? [one] : [dot, one]))

/** Most telling first. */
const leftOf = (state: State): ReadonlyArray<Span> => {
  const { session, notice } = state
  const connection: ReadonlyArray<Span> =
    session === undefined || session.connection === "open"
      ? []
      : session.connection === "lost"
        ? [span("○ connection lost, trying again", "warn")]
        : [span("○ connecting", "quiet")]
  if (notice !== undefined) {
    return [...connection, span(oneLine(notice.text), notice.tone)]
  }
  return [...connection, ...agentText(state), ...background(state)]
}

const agentText = (state: State): ReadonlyArray<Span> => {
  const { session, opening } = state
  if (opening) return [span("opening…", "quiet")]
  if (session === undefined) return []
  const asks = openAsks(state).length
  if (asks > 0) return [span(`● ${count(asks, "question")}`, "warn")]
  const { status, eventsHeld } = session.session
  if (status === "running") return [span("● working", "accent"), span(`${keyText(state.bindings, "chat.interrupt")} interrupts`, "faint")]
  const events = session.inbox.filter(({ kind }) => kind === "synthetic").length
  if (eventsHeld !== undefined && events > 0) {
    const why = eventsHeld === "budget" ? "a pause" : "a failure"
    return [span(`${count(events, "event")} held after ${why}`, "warn")]
  }
  return []
}

const background = (state: State): ReadonlyArray<Span> => {
  const running = runningText(state.session)
  if (running === undefined) return []
  const key = state.composer.text === "" && focusOf(state) === "chat" ? "↓" : keyText(state.bindings, "tasks.open")
  const manage = state.overlays.length > 0 ? [] : [span(`${key} to manage`, "faint")]
  return [span(running, "event"), ...manage]
}

/** From none to all: as many as there is room for. */
const hints = (state: State): ReadonlyArray<Row> => {
  const { bindings } = state
  const of = (id: Parameters<typeof keyText>[1], what: string): ReadonlyArray<Span> =>
    keyText(bindings, id) === "" ? [] : [span(`${keyText(bindings, id)} ${what}`, "faint")]
  const palette = of("palette.open", "commands")
  const help = of("help.open", "keys")
  if (state.overlays.length > 0) return [[], [span("esc back", "faint")]]
  return [[], palette, joined([...palette, ...help])]
}
