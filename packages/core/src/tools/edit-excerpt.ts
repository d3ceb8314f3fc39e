/** An edit as a reader of diffs expects it: what went, what came, and what stands around it. Pure. */
import { counted, cutText, fileLine } from "./visible.ts"

const contextLines = 2
const maxHunks = 3
const maxSideLines = 12
const maxLineLength = 200

/** A line with its number, as `read` shows it, behind a sign. */
export const numbered = (sign: string, number: number, line: string) =>
  `${sign}${String(number).padStart(5)}\t${fileLine(cutText(line, maxLineLength))}`

/**
 * The first hunks of replacing `oldText` at `places` (ascending, not overlapping) of `text`. Numbers are the new
 * text's; those of lines that went are the old one's.
 */
export const excerptOf = (
  text: string,
  oldText: string,
  newText: string,
  places: ReadonlyArray<number>
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const oldLines = text.split("\n")
  const hunks = hunksOf(text, oldText.length, places)
  let grown = 0
  for (const [index, hunk] of hunks.slice(0, maxHunks).entries()) {
    const region = text.slice(hunk.start, hunk.end)
    let from = 0
    let after = ""
    for (const place of hunk.places) {
      after += region.slice(from, place - hunk.start) + newText
      from = place - hunk.start + oldText.length
    }
    after += region.slice(from)
    const { removed, added, same } = differing(region.split("\n"), after.split("\n"))
    const first = hunk.line + same
    const behind = first + removed.length
    const shown = (sign: string, number: number) => numbered(sign, number + grown, oldLines[number - 1]!)
    if (index > 0) lines.push("…")
    for (let number = Math.max(1, first - contextLines); number < first; number++)
      lines.push(shown(" ", number))
    lines.push(...side("-", first, removed), ...side("+", first + grown, added))
    grown += added.length - removed.length
    for (let number = behind; number < behind + contextLines; number++)
      if (number < oldLines.length || (number === oldLines.length && oldLines[number - 1] !== ""))
        lines.push(shown(" ", number))
  }
  if (hunks.length > maxHunks) lines.push(`… and ${counted(hunks.length - maxHunks, "more place")}`)
  return lines
}

interface Hunk {
  /** Of whole lines: from the start of the first to the end of the last. */
  readonly start: number
  readonly end: number
  /** The first one's number. */
  readonly line: number
  readonly places: ReadonlyArray<number>
}

/** Replacements that share a line belong together. */
const hunksOf = (text: string, length: number, places: ReadonlyArray<number>): ReadonlyArray<Hunk> => {
  const hunks: Array<{ start: number; end: number; line: number; places: Array<number> }> = []
  let line = 1
  let counted = 0
  for (const place of places) {
    const start = place === 0 ? 0 : text.lastIndexOf("\n", place - 1) + 1
    const feed = text.indexOf("\n", place + length)
    const end = feed === -1 ? text.length : feed
    const last = hunks.at(-1)
    if (last && start <= last.end) {
      last.end = end
      last.places.push(place)
      continue
    }
    for (let at = text.indexOf("\n", counted); at !== -1 && at < start; at = text.indexOf("\n", counted)) {
      line += 1
      counted = at + 1
    }
    hunks.push({ start, end, line, places: [place] })
  }
  return hunks
}

/** What differs of two texts, without the lines that both begin and end with. */
const differing = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same += 1
  let behind = 0
  while (behind < shorter - same && before.at(-1 - behind) === after.at(-1 - behind)) behind += 1
  return {
    same,
    removed: before.slice(same, before.length - behind),
    added: after.slice(same, after.length - behind)
  }
}

const side = (sign: string, first: number, lines: ReadonlyArray<string>): Array<string> => {
  const shown = lines.slice(0, maxSideLines).map((line, index) => numbered(sign, first + index, line))
  return lines.length > maxSideLines
    ? [...shown, `${sign}     \t… ${counted(lines.length - maxSideLines, "more line")}`]
    : shown
}
