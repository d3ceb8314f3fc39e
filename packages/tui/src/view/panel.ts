/** What stands in front of the composer: tasks, lists, help, output. Rows of each. Pure. */
import { contextTitles, keyText, shownKey, type Context } from "../keys.ts"
import { type Item, itemsOf } from "../state/lists.ts"
import { outputSize } from "../state/navigate.ts"
import { isFollowing, outputSeen } from "../state/output.ts"
import { innerWidth, lineSeen, missingProviders, taskHeight } from "../state/screen.ts"
import type { Overlay, State } from "../state/shape.ts"
import { isRunning, selectedTask, taskOf, tasksOf, type Task } from "../state/tasks.ts"
import { dotted, taskDetail, taskFacts, taskMark, taskTitle } from "./facts.ts"
import { size } from "../text/quantity.ts"
import {
  blank,
  clip,
  clipRow,
  highlighted,
  type Row,
  rowWidth,
  type Span,
  span,
  spread
} from "../text/row.ts"
import { oneLine } from "../text/visible.ts"
import { graphemes, widthOf } from "../text/width.ts"
import { wrap } from "../text/wrap.ts"
import type { Place } from "./composer.ts"

export interface Panel {
  readonly rows: ReadonlyArray<Row>
  /** Where text is typed; counts from the first of these rows, without the margin. */
  readonly cursor?: Place
}

/** `── Title ─────── right ──` */
const titled = (title: string, right: ReadonlyArray<Span>, width: number): Row => {
  const end = right.length === 0 ? [] : [span(" "), ...right, span(" ──", "rule")]
  const start = [
    span("── ", "rule"),
    span(clip(title, Math.max(4, width - rowWidth(end) - 5)), "title"),
    span(" ")
  ]
  const rest = width - rowWidth(start) - rowWidth(end)
  return clipRow([...start, span("─".repeat(Math.max(0, rest)), "rule"), ...end], width)
}

export const panelOf = (state: State, overlay: Overlay, height: number): Panel => {
  switch (overlay.type) {
    case "tasks":
      return { rows: tasksRows(state, height) }
    case "output":
      return { rows: outputRows(state, overlay, height) }
    case "help":
      return { rows: helpRows(state, overlay.top, height) }
    case "palette":
      return listPanel(state, overlay, "Commands", height, "No command is called so")
    case "sessions":
      return listPanel(
        state,
        overlay,
        "Sessions",
        height,
        loadedText(overlay.list, "No session is called so")
      )
    case "models":
      return modelsPanel(state, overlay, height)
    case "confirm":
      return { rows: [titled("Are you sure?", [], innerWidth(state))] }
  }
}

const loadedText = (list: { readonly type: string; readonly why?: string }, empty: string) =>
  list.type === "loading" ? "Loading…" : list.type === "failed" ? (list.why ?? "") : empty

/** The rows of a list around the one that is selected. */
const around = <A>(items: ReadonlyArray<A>, index: number, room: number) => {
  const first = Math.max(0, Math.min(index - Math.floor(room / 2), items.length - room))
  return { first, shown: items.slice(first, first + room) }
}

const tasksRows = (state: State, height: number): ReadonlyArray<Row> => {
  const width = innerWidth(state)
  const tasks = tasksOf(state.session)
  const running = tasks.filter(isRunning).length
  const counts = [span(`${running} running · ${tasks.length - running} ended`, "faint")]
  const title = titled("Background tasks", counts, width)
  if (tasks.length === 0) {
    return [title, [span("Nothing runs in the background. Ask for something to be watched.", "quiet")]]
  }
  const selected = selectedTask(state)
  const index = tasks.findIndex(({ id }) => id === selected?.id)
  const { shown } = around(tasks, index, Math.max(1, Math.floor((height - 2) / taskHeight(state))))
  const rows = shown.flatMap((task) => taskRows(state, task, task.id === selected?.id, width))
  const { bindings } = state
  const stop =
    selected !== undefined && isRunning(selected) ? `${keyText(bindings, "task.stop")} stops · ` : ""
  const hint = `${keyText(bindings, "tasks.output")} shows output · ${stop}${keyText(bindings, "task.copyID")} copies the id`
  return [title, ...rows, [span(clip(hint, width), "faint")]].slice(0, height)
}

const taskRows = (state: State, task: Task, isSelected: boolean, width: number): ReadonlyArray<Row> => {
  const stop = state.stops[task.id]
  const facts = taskFacts(task, stop, state.now)
  const front: Row = [span(isSelected ? "❯ " : "  ", "accent"), taskMark(task, stop), span(" ")]
  const title = span(taskTitle(task), isSelected ? "strong" : undefined)
  const detail = taskDetail(task, stop, keyText(state.bindings, "task.stop"))
  const wide = taskHeight(state) === 2
  const own = dotted(facts, wide ? Math.floor(width * 0.55) : width - 4, "quiet")
  const rows = wide
    ? [spread([...front, title], own, width), [span("    "), ...detail]]
    : [
        [...front, title],
        [span("    "), ...own],
        [span("    "), ...detail]
      ]
  return rows.map((row) => (isSelected ? highlighted(row, width) : clipRow(row, width)))
}

const outputRows = (
  state: State,
  { output }: Extract<Overlay, { type: "output" }>,
  height: number
): ReadonlyArray<Row> => {
  const width = innerWidth(state)
  const { height: room } = outputSize(state)
  const task = taskOf(state, output.id)
  const view = outputSeen(output, width, room)
  const title = task === undefined ? output.id : taskTitle(task)
  const facts =
    task === undefined
      ? []
      : dotted(taskFacts(task, state.stops[task.id], state.now).slice(0, 1), 40, "quiet")
  const narrow = width < 70
  const head = titled(title, narrow ? [] : facts, width)
  const body =
    output.lines.length === 0 || (output.lines.length === 1 && output.lines[0]?.raw === "")
      ? [[span(emptyText(output), output.why === undefined ? "quiet" : "bad")]]
      : view.rows
  const filledUp = [...body, ...Array.from({ length: Math.max(0, room - body.length) }, () => blank)]
  const { bindings } = state
  const ended = output.ended && output.to >= output.size
  const place =
    output.why !== undefined
      ? span(`Not read: ${oneLine(output.why)}`, "bad")
      : output.place !== undefined
        ? span(ended && view.atEnd ? "End" : "Held", "warn")
        : ended
          ? span("End", "quiet")
          : isFollowing(output)
            ? span("Following", "good")
            : span("Reading…", "quiet")
  const keys =
    output.place === undefined
      ? `${keyText(bindings, "output.start")} to the start`
      : `${keyText(bindings, "output.follow")} to the end`
  const foot = spread([place, span(` · ${size(output.size)}`, "faint")], [span(keys, "faint")], width)
  return [head, ...filledUp.slice(0, room), foot].slice(0, height)
}

const emptyText = ({ loading, why, ended }: Extract<Overlay, { type: "output" }>["output"]): string => {
  if (why !== undefined) return "The output can't be read"
  if (loading === "newest") return "Reading…"
  return ended ? "It printed nothing" : "Nothing was printed yet"
}

const listPanel = (
  state: State,
  overlay: Extract<Overlay, { filter: unknown }>,
  title: string,
  height: number,
  empty: string,
  below: ReadonlyArray<Row> = []
): Panel => {
  const width = innerWidth(state)
  const items = itemsOf(state, overlay)
  const { text, x } = lineSeen(overlay.filter, width - 4)
  const typed: Row = [
    span("❯ ", "accent"),
    ...(overlay.filter.text === "" ? [span("type to search", "faint")] : [span(text)])
  ]
  const index = Math.min(Math.max(0, overlay.index), items.length - 1)
  const room = Math.max(1, height - 2 - below.length)
  const { first, shown } = around(items, index, room)
  const rows =
    items.length === 0
      ? [[span(`  ${clip(empty, width - 2)}`, "quiet")]]
      : shown.map((item, at) => itemRow(item, first + at === index, width))
  const count = items.length === 0 ? [] : [span(`${index + 1} of ${items.length}`, "faint")]
  return {
    rows: [titled(title, count, width), typed, ...rows, ...below].slice(0, height),
    cursor: { x: 2 + x, y: 1 }
  }
}

const itemRow = ({ title, note, matched }: Item, isSelected: boolean, width: number): Row => {
  const room = width - 4 - (note === "" ? 0 : widthOf(note) + 2)
  const letters = graphemes(clip(title, Math.max(8, room)))
  let at = 0
  const spans = letters.map((letter) => {
    const tone = matched.has(at) ? "match" : undefined
    at += letter.length
    return span(letter, tone)
  })
  const front = span(isSelected ? "❯ " : "  ", "accent")
  const row = spread([front, ...spans], note === "" ? [] : [span(`${note} `, "faint")], width)
  return isSelected ? highlighted(row, width) : row
}

const modelsPanel = (state: State, overlay: Extract<Overlay, { type: "models" }>, height: number): Panel => {
  const width = innerWidth(state)
  const missing = missingProviders(state).map(({ provider, missing }): Row => [
    span(`  ${clip(oneLine(provider), 16)} `, "quiet"),
    span(clip(oneLine(missing), width - 20), "faint")
  ])
  const empty = loadedText(state.models, "Type provider/model, such as anthropic/claude-sonnet-4-5")
  return listPanel(state, overlay, "Models", height, empty, missing.slice(0, Math.max(0, height - 6)))
}

const helpRows = (state: State, top: number, height: number): ReadonlyArray<Row> => {
  const width = innerWidth(state)
  const all = allKeys(state, width)
  const room = Math.max(1, height - 1)
  const first = Math.min(top, Math.max(0, all.length - room))
  const rest = all.length - first - room
  const more = rest > 0 ? [span("↓ more", "faint")] : [span("vigil.json: keys", "faint")]
  return [titled("All keys", more, width), ...all.slice(first, first + room)]
}

const allKeys = ({ bindings }: State, width: number): ReadonlyArray<Row> => {
  const wide = Math.min(26, Math.floor(width * 0.4))
  return (Object.entries(contextTitles) as ReadonlyArray<[Context, string]>).flatMap(([context, title]) => {
    const rows = bindings.commands.flatMap((command): ReadonlyArray<Row> => {
      const keys = (command.keys[context] ?? []).slice(0, 2).map(shownKey).join("  ")
      if (keys === "") return []
      const name = clip(keys, wide - 1)
      const [first = [], ...others] = wrap(command.title, width - wide - 2)
      return [
        [span(`  ${name}${" ".repeat(wide - widthOf(name))}`, "accent"), ...first],
        ...others.map((row): Row => [span(" ".repeat(wide + 2)), ...row])
      ]
    })
    return rows.length === 0 ? [] : [[span(title, "strong")], ...rows, blank]
  })
}
