/** A row of the screen: pieces of text, each in one tone. */
import type { Tone } from "../theme.ts"
import { cellsOf, graphemes, widthOf } from "./width.ts"

export interface Span {
  readonly text: string
  readonly tone?: Tone
  /** On the background of what is selected. */
  readonly selected?: true
}

export type Row = ReadonlyArray<Span>

export const span = (text: string, tone?: Tone): Span => (tone === undefined ? { text } : { text, tone })

export const blank: Row = []

export const rowWidth = (row: Row): number => row.reduce((width, { text }) => width + widthOf(text), 0)

export const rowText = (row: Row): string => row.map(({ text }) => text).join("")

/** As much of the text as fits; `…` stands for the rest. */
export const clip = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  if (width <= 0) return ""
  let out = ""
  let used = 1
  for (const grapheme of graphemes(text)) {
    used += cellsOf(grapheme)
    if (used > width) break
    out += grapheme
  }
  return `${out}…`
}

/** The same for what is told apart by its end, such as a path. */
export const clipStart = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  if (width <= 0) return ""
  let out = ""
  let used = 1
  for (const grapheme of graphemes(text).toReversed()) {
    used += cellsOf(grapheme)
    if (used > width) break
    out = grapheme + out
  }
  return `…${out}`
}

export const clipRow = (row: Row, width: number): Row => {
  if (rowWidth(row) <= width) return row
  const out: Array<Span> = []
  let left = width
  for (const piece of row) {
    const cells = widthOf(piece.text)
    if (cells >= left) {
      // The last one tells, by its mark, that there is more.
      out.push({ ...piece, text: clip(cells === left ? `${piece.text} ` : piece.text, left) })
      break
    }
    out.push(piece)
    left -= cells
  }
  return out
}

/** `left … right` in exactly `width` cells; `left` gives way first, and `right` is left out where it takes more than its share. */
export const spread = (left: Row, right: Row, width: number): Row => {
  const room = width - rowWidth(right)
  if (rowWidth(right) === 0 || room < 1) return clipRow(left, width)
  const kept = clipRow(left, room - 1)
  return [...kept, span(" ".repeat(room - rowWidth(kept))), ...right]
}

/** Marked as selected in its whole width. */
export const highlighted = (row: Row, width: number): Row => {
  const kept = clipRow(row, width)
  const rest = width - rowWidth(kept)
  const whole = rest > 0 ? [...kept, span(" ".repeat(rest))] : kept
  return whole.map((piece) => ({ ...piece, selected: true }))
}
