/** Columns of text, and lines that fit. */
import { stringWidth } from "bun"

/** Left-aligned columns, as wide as their widest cell; the last one is not padded. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>, gap = 2): ReadonlyArray<string> => {
  const widths = rows.reduce<Array<number>>((widths, row) => {
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell))))
    return widths
  }, [])
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + " ".repeat(widths[column]! + gap - stringWidth(cell))
      )
      .join("")
      .trimEnd()
  )
}

/**
 * A table whose rows are at most `columns` wide, where those are given. The columns in `text` give way first, the
 * widest before the others, but none below its heading; what is still too long is cut at its end.
 */
export const fitted = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { text, columns }: { readonly text: ReadonlyArray<number>; readonly columns: number | undefined },
  gap = 2
): ReadonlyArray<string> => {
  if (columns === undefined) return table(rows, gap)
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? "")))
  )
  let over = widths.reduce((sum, width) => sum + width + gap, -gap) - columns
  for (; over > 0; over--) {
    const gives = text.filter((column) => widths[column]! > stringWidth(rows[0]![column]!))
    if (gives.length === 0) break
    const widest = gives.reduce((a, b) => (widths[b]! > widths[a]! ? b : a))
    widths[widest]!--
  }
  const cells = rows.map((row) => row.map((cell, column) => cut(cell, widths[column]!)))
  return table(cells, gap).map((line) => cut(line, columns))
}

/** One line of at most `max` columns; an ellipsis stands for what is cut. */
export const oneLine = (text: string, max: number): string => cut(text.replace(/\s+/gu, " ").trim(), max)

const cut = (line: string, max: number): string => {
  if (stringWidth(line) <= max) return line
  const kept: Array<string> = []
  let width = 1
  for (const character of line) {
    width += stringWidth(character)
    if (width > max) break
    kept.push(character)
  }
  return `${kept.join("").trimEnd()}…`
}

/** Broken between words, where a word fits at all. */
export const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && stringWidth(last) + 1 + stringWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
