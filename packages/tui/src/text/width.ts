/** How many cells text takes in a terminal. Pure. */

const plain = /^[\x20-\x7e]*$/

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" })

/** What a reader takes for one character each. */
export const graphemes = (text: string): ReadonlyArray<string> =>
  plain.test(text) ? text.split("") : Array.from(segmenter.segment(text), ({ segment }) => segment)

const known = new Map<string, number>()
const maxKnown = 10_000

/** 0, 1 or 2 cells. */
export const cellsOf = (grapheme: string): number => {
  if (grapheme.length === 1 && plain.test(grapheme)) return 1
  const cells = known.get(grapheme)
  if (cells !== undefined) return cells
  if (known.size >= maxKnown) known.clear()
  const measured = Math.min(2, Bun.stringWidth(grapheme))
  known.set(grapheme, measured)
  return measured
}

/** Text without controls: what `visible` returns. */
export const widthOf = (text: string): number => {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += cellsOf(segment)
  return width
}
