/** The little Markdown that a model's prose has: headings, lists as they are, emphasis, code. Pure. */
import type { Tone } from "../theme.ts"
import { type Row, type Span, span } from "./row.ts"
import { wrapSpans } from "./wrap.ts"

/** Laid out up to a line's end, so that text that grows is laid out from there on only. */
export interface LaidOut {
  readonly text: string
  readonly rows: ReadonlyArray<Row>
  readonly inFence: boolean
}

const nothing: LaidOut = { text: "", rows: [], inFence: false }

const inline = /(`+)(.+?)\1|\*\*(?=\S)(.+?)\*\*|(?<![\p{L}\p{N}*])\*(?=[^\s*])(.+?)\*(?![\p{L}\p{N}*])/gu

const emphasised = (line: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let at = 0
  for (const found of line.matchAll(inline)) {
    const [whole, , code, strong, italic] = found
    if (found.index > at) spans.push(span(line.slice(at, found.index)))
    const tone: Tone = code !== undefined ? "code" : strong !== undefined ? "strong" : "italic"
    spans.push(span(code ?? strong ?? italic ?? whole, tone))
    at = found.index + whole.length
  }
  if (at < line.length || spans.length === 0) spans.push(span(line.slice(at)))
  return spans
}

const indented = (rows: ReadonlyArray<Row>, by: string): ReadonlyArray<Row> =>
  rows.map((row, index) => (index === 0 ? row : [span(by), ...row]))

const lineRows = (line: string, width: number, inFence: boolean): ReadonlyArray<Row> => {
  if (inFence) return wrapSpans([span(line, "code")], width)
  const heading = /^#{1,6}\s+(.*)$/u.exec(line)?.[1]
  if (heading !== undefined) return wrapSpans([span(heading, "title")], width)
  const [mark = ""] = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/u.exec(line) ?? []
  if (mark === "" || mark.length > width / 2) return wrapSpans(emphasised(line), width)
  const bullet = mark.replace(/[-*+]/u, "•")
  const rows = wrapSpans(emphasised(line.slice(mark.length)), width - mark.length)
  return indented(
    rows.map((row, index) => (index === 0 ? [span(bullet, "quiet"), ...row] : row)),
    " ".repeat(mark.length)
  )
}

/** Text that `visible` returned. `before`: the same text when it was shorter, which is not laid out again. */
export const markdown = (
  text: string,
  width: number,
  before: LaidOut = nothing
): { readonly rows: ReadonlyArray<Row>; readonly upTo: LaidOut } => {
  const known = text.startsWith(before.text) ? before : nothing
  const rows = [...known.rows]
  let { inFence } = known
  const lines = text.slice(known.text.length).split("\n")
  const last = lines.pop() ?? ""
  const add = (line: string) => {
    const isFence = /^\s*(?:```|~~~)/u.test(line)
    if (isFence) inFence = !inFence
    else rows.push(...lineRows(line, width, inFence))
  }
  for (const line of lines) add(line)
  const upTo = { text: text.slice(0, text.length - last.length), rows: [...rows], inFence }
  if (last !== "") add(last)
  return { rows, upTo }
}
