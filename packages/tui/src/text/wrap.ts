/** Text in rows of a width. Nothing is lost but the spaces where a row breaks. Pure. */
import type { Row, Span } from "./row.ts"
import { cellsOf, graphemes, widthOf } from "./width.ts"

interface Piece extends Span {
  readonly width: number
}

/** Pieces that stay together, or the space between such. */
interface Word {
  readonly pieces: ReadonlyArray<Piece>
  readonly width: number
  readonly space: boolean
}

/** Scripts without spaces may break between any two characters, which are two cells wide. */
const parts = /\s+|[^\s\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]+|\S/gu

const wordsOf = (spans: ReadonlyArray<Span>): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  let open: Array<Piece> = []
  const close = () => {
    if (open.length > 0) {
      words.push({ pieces: open, width: open.reduce((sum, { width }) => sum + width, 0), space: false })
    }
    open = []
  }
  for (const piece of spans) {
    for (const [text] of piece.text.matchAll(parts)) {
      const width = widthOf(text)
      const space = /^\s/u.test(text)
      const alone = space || (width === 2 && graphemes(text).length === 1)
      if (alone) close()
      if (space) words.push({ pieces: [{ ...piece, text, width }], width, space })
      else open.push({ ...piece, text, width })
      if (alone) close()
    }
  }
  close()
  return words
}

/** One line, without newlines, in at least one row of at most `width` cells. */
export const wrapSpans = (line: ReadonlyArray<Span>, width: number): ReadonlyArray<Row> => {
  const room = Math.max(2, width)
  const rows: Array<Row> = []
  let row: Array<Span> = []
  let used = 0
  const end = (breaks = true) => {
    rows.push(joined(breaks ? trimmed(row) : row))
    row = []
    used = 0
  }
  for (const word of wordsOf(line)) {
    if (used + word.width <= room) {
      row.push(...word.pieces)
      used += word.width
      continue
    }
    // A space where a row breaks is the break; one that begins the line is its indent.
    if (word.space && used > 0) {
      end()
      continue
    }
    if (word.width <= room) {
      if (used > 0) end()
      row.push(...word.pieces)
      used = word.width
      continue
    }
    for (const piece of word.pieces) {
      let text = ""
      for (const grapheme of graphemes(piece.text)) {
        const cells = cellsOf(grapheme)
        if (used + cells > room) {
          row.push({ ...piece, text })
          text = ""
          end()
        }
        text += grapheme
        used += cells
      }
      row.push({ ...piece, text })
    }
  }
  if (row.length > 0 || rows.length === 0) end(false)
  return rows
}

/** Without the space that a row breaks at; what is all space is an indent. */
const trimmed = (row: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const last = row.findLastIndex(({ text }) => /\S/u.test(text))
  return last === -1 ? row : row.slice(0, last + 1)
}

/** Neighbours in one tone become one span, which is what a row costs to draw. */
const joined = (row: ReadonlyArray<Span>): Row => {
  const out: Array<Span> = []
  for (const { text, tone } of row) {
    const last = out.at(-1)
    if (text === "") continue
    if (last !== undefined && last.tone === tone) out[out.length - 1] = { ...last, text: last.text + text }
    else out.push(tone === undefined ? { text } : { text, tone })
  }
  return out
}

/** Text of several lines in one tone. */
export const wrap = (text: string, width: number, tone?: Span["tone"]): ReadonlyArray<Row> =>
  text
    .split("\n")
    .flatMap((line) => wrapSpans([tone === undefined ? { text: line } : { text: line, tone }], width))
