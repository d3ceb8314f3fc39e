/** The first rows: which session this is, and where. Pure. */
import { modelOf, sessionTitle } from "../state/lists.ts"
import { innerWidth } from "../state/screen.ts"
import type { State } from "../state/shape.ts"
import { clip, clipStart, type Row, span, spread, blank } from "../text/row.ts"
import { oneLine } from "../text/visible.ts"

export const headerRows = (state: State, height: number): ReadonlyArray<Row> => {
  const width = innerWidth(state)
  const { session } = state
  const title = session === undefined ? (state.opening ? "…" : "New session") : titleOf(session)
  const model = modelOf(state)
  const directory = oneLine(session?.session.directory ?? state.directory)
  const narrow = width < 70
  const right = narrow
    ? [span(clipStart(directory, Math.floor(width / 3)), "faint")]
    : [
        span(clipStart(directory, Math.floor(width / 3)), "faint"),
        ...(model === undefined
          ? []
          : [span(" · ", "faint"), span(clip(oneLine(model), Math.floor(width / 3)), "quiet")])
      ]
  const row = spread([span("vigil ", "title"), span(title, "quiet")], right, width)
  return height > 1 ? [row, blank] : [row]
}

/** One without a title is known by what was asked first. */
const titleOf = ({ session, messages }: NonNullable<State["session"]>) => {
  const first = messages.find(({ message }) => message.role === "user")?.message
  if (session.title !== undefined) return sessionTitle(session)
  return first?.role === "user" ? oneLine(first.payload.text) : `session ${session.id.slice(-6)}`
}
