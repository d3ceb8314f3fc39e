/** How the screen is shared out, which scrolling needs as much as drawing. Pure. */
import { blocksOf, transcript } from "../transcript.ts"
import { seen, type Place } from "../text/window.ts"
import { visible } from "../text/visible.ts"
import { cellsOf, graphemes } from "../text/width.ts"
import { chipText } from "./composer.ts"
import { type Item, itemsOf } from "./lists.ts"
import type { Composer, Overlay, State, Typed } from "./shape.ts"
import { tasksOf } from "./tasks.ts"
import { askRows } from "./asks.ts"
import type { Row } from "../text/row.ts"

export interface Layout {
  /** The header and the empty row below it. */
  readonly header: number
  readonly transcript: number
  /** An empty row below the chat. */
  readonly gap: number
  /** What is told between the chat and what is typed. */
  readonly waiting: number
  /** Rows of the panel in front, its rule included; 0 while the composer is seen. */
  readonly panel: number
  /** Rows of the ask, its rule included. */
  readonly ask: number
  /** Rows of text of the composer, without its rules. */
  readonly composer: number
}

const status = 1
const minTranscript = 3

/** Cells on each side of everything. */
export const margin = 1

export const innerWidth = ({ screen }: State): number => Math.max(10, screen.columns - 2 * margin)

export const layoutOf = (state: State): Layout => {
  const { rows } = state.screen
  const header = rows >= 16 ? 2 : 1
  const gap = rows >= 20 ? 1 : 0
  const room = Math.max(1, rows - header - status - gap)
  const top = state.overlays.at(-1)
  const overlay = top?.type === "confirm" ? (state.overlays.at(-2) ?? top) : top
  if (overlay !== undefined) {
    const wanted = panelRows(state, overlay) + 1
    if (overlay.type === "output") {
      return { header, transcript: 0, gap: 0, waiting: 0, panel: room + gap, ask: 0, composer: 0 }
    }
    const panel = Math.min(wanted, room < 14 ? room : Math.max(10, room - minTranscript))
    return { header, transcript: room - panel, gap, waiting: 0, panel, ask: 0, composer: 0 }
  }
  const typed = composerRows(state.composer, innerWidth(state) - 2).rows.length
  const composer = Math.min(typed, Math.max(1, Math.floor(room / 3)))
  const waiting = Math.min(waitingPrompts(state).length, 3)
  const left = room - composer - 2 - waiting
  const ask = Math.min(askRows(state).length, Math.max(0, left - (rows >= 16 ? minTranscript : 0)))
  return { header, transcript: Math.max(0, left - ask), gap, waiting, panel: 0, ask, composer }
}

const panelRows = (state: State, overlay: Overlay): number => {
  switch (overlay.type) {
    case "tasks":
      return Math.max(1, tasksOf(state.session).length * taskHeight(state)) + 1
    case "palette":
      return listRows(itemsOf(state, overlay))
    case "sessions":
      return listRows(itemsOf(state, overlay))
    case "models":
      return listRows(itemsOf(state, overlay)) + missingProviders(state).length
    case "confirm":
      return 1
    case "help":
    case "output":
      return 1_000
  }
}

const listRows = (items: ReadonlyArray<Item>) => 1 + Math.max(1, items.length)

/** Rows of one task: what it said last has its own where there is no room beside. */
export const taskHeight = (state: State): 2 | 3 => (innerWidth(state) >= 80 ? 2 : 3)

/** Providers that can't be asked, and what each lacks. */
export const missingProviders = ({
  models
}: State): ReadonlyArray<{ readonly provider: string; readonly missing: string }> =>
  models.type !== "loaded"
    ? []
    : models.value.providers.flatMap(({ provider, usable, missing, failed }) =>
        usable && failed === undefined ? [] : [{ provider, missing: failed ?? missing ?? "cannot be used" }]
      )

/** Prompts that the agent has not read yet, and those on their way. */
export const waitingPrompts = ({ session, sending }: State): ReadonlyArray<string> => {
  const waiting = (session?.inbox ?? []).flatMap(({ payload }) =>
    payload.type === "prompt" ? [payload.text] : []
  )
  return sending.length === 0 ? waiting : [...waiting, ...sending.filter((text) => !waiting.includes(text))]
}

/** The chat as it is seen. */
export const transcriptBlocks = (state: State) => {
  const blocks = blocksOf(state.session)
  return { blocks, laid: transcript(blocks, { width: innerWidth(state), details: state.details }) }
}

/** Where reading goes on, though blocks were added in front meanwhile. */
export const placeOf = (state: State, blocks: ReadonlyArray<{ readonly id: string }>): Place | undefined => {
  const { reading } = state
  if (reading === undefined) return undefined
  const index = blocks.findLastIndex(({ id }) => id === reading.block)
  return index === -1 ? { index: 0, row: 0 } : { index, row: reading.row }
}

export const transcriptSeen = (state: State) => {
  const { blocks, laid } = transcriptBlocks(state)
  return seen(laid, layoutOf(state).transcript, placeOf(state, blocks))
}

/** What is typed in rows, and where the cursor stands. */
export const composerRows = (
  composer: Composer,
  width: number
): { readonly rows: ReadonlyArray<Row>; readonly x: number; readonly y: number } => {
  const rows: Array<Array<{ text: string; tone?: "chip" | "faint" }>> = [[]]
  let used = 0
  let at = 0
  let cursor = { x: 0, y: 0 }
  const put = (text: string, tone?: "chip" | "faint") => {
    for (const piece of graphemes(text)) {
      const cells = cellsOf(piece)
      if (used + cells > width) {
        rows.push([])
        used = 0
      }
      const row = rows.at(-1)
      const last = row?.at(-1)
      if (last !== undefined && last.tone === tone) last.text += piece
      else row?.push(tone === undefined ? { text: piece } : { text: piece, tone })
      used += cells
    }
  }
  const mark = () => {
    if (at === composer.cursor)
      cursor = used >= width ? { x: 0, y: rows.length } : { x: used, y: rows.length - 1 }
  }
  for (const grapheme of graphemes(composer.text)) {
    mark()
    at += grapheme.length
    if (grapheme === "\n") {
      rows.push([])
      used = 0
      continue
    }
    const chip = chipText(composer, grapheme)
    const shown = grapheme === "\t" ? "    " : visible(grapheme)
    put(
      chip ?? shown,
      chip === undefined ? (shown === grapheme || grapheme === "\t" ? undefined : "faint") : "chip"
    )
  }
  mark()
  if (cursor.y === rows.length) rows.push([])
  return { rows, ...cursor }
}

/** One line that is typed, as far as it fits: its end where the cursor is. */
export const lineSeen = (
  { text, cursor }: Typed,
  width: number
): { readonly text: string; readonly x: number } => {
  let start = 0
  const cells = (from: number, to: number) => Bun.stringWidth(visible(text.slice(from, to)))
  for (const grapheme of graphemes(text)) {
    if (cells(start, cursor) < width) break
    start += grapheme.length
  }
  return { text: visible(text.slice(start)), x: cells(start, cursor) }
}
