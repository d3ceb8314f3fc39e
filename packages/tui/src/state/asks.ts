/** What is asked, shown whole, and the answers to choose from. Pure. */
import type { Ask } from "@vigil/sdk/wire"
import { clock } from "../text/quantity.ts"
import { clip, type Row, span, spread } from "../text/row.ts"
import { oneLine, visible } from "../text/visible.ts"
import { wrap } from "../text/wrap.ts"
import { focusOf, openAsks } from "./focus.ts"
import type { AskChoice, State } from "./shape.ts"

export const choices: ReadonlyArray<AskChoice> = ["once", "always", "reject"]

/** Rows of the command that are seen at once; the rest is scrolled to. */
const maxTitleRows = (state: State) => Math.max(2, state.screen.rows - 14)

export const titleRows = (state: State, ask: Ask): ReadonlyArray<Row> =>
  wrap(visible(ask.title), Math.max(10, state.screen.columns - 6), "strong")

export const maxTop = (state: State): number => {
  const ask = openAsks(state)[0]
  return ask === undefined ? 0 : Math.max(0, titleRows(state, ask).length - maxTitleRows(state))
}

const labels: Readonly<Record<AskChoice, string>> = {
  once: "Allow once",
  always: "Allow always",
  reject: "Reject"
}

/** What "always" would allow from then on. */
const always = ({ subjects }: Ask) =>
  subjects
    .map(({ action, pattern, exact }) => `${action} ${exact === true ? `exactly ${pattern}` : pattern}`)
    .join(", ")

/** The whole of the ask in front; nothing where there is none. */
export const askRows = (state: State): ReadonlyArray<Row> => {
  const asks = openAsks(state)
  const ask = asks[0]
  if (ask === undefined) return []
  const width = Math.max(10, state.screen.columns - 2)
  const focus = focusOf(state)
  const since = `since ${clock(ask.createdAt)}`
  const more = asks.length > 1 ? `${asks.length - 1} more · ${since}` : since
  const head = spread(
    [span("▍ ", "warn"), span(`May ${oneLine(ask.tool)} do this?`, "warn")],
    [span(more, "faint")],
    width
  )
  const all = titleRows(state, ask)
  const top = Math.min(state.ask.top, maxTop(state))
  const seen = all.slice(top, top + maxTitleRows(state))
  const hidden = all.length - seen.length
  const bar = span("▍ ", "warn")
  return [
    head,
    ...seen.map((row) => [bar, span("  "), ...row]),
    ...(hidden > 0
      ? [[bar, span(`  rows ${top + 1}–${top + seen.length} of ${all.length} · page down, page up`, "faint")]]
      : []),
    [bar],
    ...answers(state, ask, focus === "ask", width).map((row) => [bar, ...row])
  ]
}

const answers = (state: State, ask: Ask, isFocused: boolean, width: number): ReadonlyArray<Row> => {
  const chosen = choices.flatMap((choice): Row => {
    const isChosen = isFocused && state.ask.choice === choice
    return isChosen
      ? [{ text: `❯ ${labels[choice]} `, selected: true }]
      : [span(`  ${labels[choice]} `, isFocused ? undefined : "quiet")]
  })
  if (state.ask.reason !== undefined) return [[span("  Reject, because: ", "quiet")]]
  const hint = !isFocused
    ? "tab to answer"
    : state.ask.choice === "always"
      ? `from now on: ${oneLine(visible(always(ask)))}`
      : state.ask.choice === "reject"
        ? "a reason can be given"
        : "←→ and enter"
  const used = chosen.reduce((sum, { text }) => sum + text.length, 0)
  return width - used - 6 > 20
    ? [[...chosen, span(`  ${clip(hint, width - used - 6)}`, "faint")]]
    : [chosen, [span(`  ${clip(hint, width - 4)}`, "faint")]]
}
