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
    return spread(
      [span(questionText(state, top.question, width - 16), "warn")],
      [span("y yes · n no", "quiet")],
      width
    )
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

const joined = (spans: ReadonlyArray<Span>): Row =>
  spans.flatMap((one, index) => (index === 0 ? [one] : [dot, one]))

/** Most telling first. */
const leftOf = (state: State): ReadonlyArray<Span> => {
  const { session, notice } = state
  // Each try to connect is part of being without a connection: the line stays as it is.
  const connection: ReadonlyArray<Span> =
    session === undefined || session.connection === "open"
      ? []
      : [span("○ connection lost, trying again", "warn")]
  if (notice !== undefined) {
    return [...connection, span(oneLine(notice.text), notice.tone)]
  }
  const running = runningText(state.session)
  return [
    ...connection,
    ...agentText(state),
    ...(running === undefined ? [] : [span(running, "event")]),
    ...leftHints(state, running !== undefined)
  ]
}

const agentText = (state: State): ReadonlyArray<Span> => {
  const { session, opening } = state
  if (opening) return [span("opening…", "quiet")]
  if (session === undefined) return []
  const asks = openAsks(state).length
  if (asks > 0) return [span(`● ${count(asks, "question")}`, "warn")]
  const { status, eventsHeld } = session.session
  if (status === "running") return [span("● working", "accent")]
  const events = session.inbox.filter(({ kind }) => kind === "synthetic").length
  if (eventsHeld !== undefined && events > 0) {
    const why = eventsHeld === "budget" ? "a pause" : "a failure"
    return [span(`${count(events, "event")} held after ${why}`, "warn")]
  }
  return []
}

/** What concerns what is said on the left. */
const leftHints = (state: State, isRunning: boolean): ReadonlyArray<Span> => {
  if (state.overlays.length > 0) return []
  const { bindings, composer, session } = state
  const key = composer.text === "" && focusOf(state) === "chat" ? "↓" : keyText(bindings, "tasks.open")
  return [
    ...(session?.session.status === "running"
      ? [span(`${keyText(bindings, "chat.interrupt")} interrupts`, "faint")]
      : []),
    ...(isRunning ? [span(`${key} to manage`, "faint")] : [])
  ]
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
