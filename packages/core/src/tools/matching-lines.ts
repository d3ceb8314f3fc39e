/** The lines of a text that match, found in portions, so that whoever asks can do other things in between. */
import { type Cursor, newCursor } from "./regex/automaton.ts"

/** Looks for something within a line; see `Automaton`. */
export interface Finder {
  readonly work: number
  /** A text without this holds no match. */
  readonly required: string | undefined
  advance(
    text: string,
    cursor: Cursor,
    to: number,
    until: number,
    budget: number
  ): "found" | "absent" | "paused"
}

/** Looks for a text as it stands. */
export const literalFinder = (literal: string): Finder => ({
  work: 0,
  required: literal,
  advance: (text, cursor, to) => {
    const at = text.slice(cursor.at, to).indexOf(literal)
    if (at === -1) return "absent"
    cursor.at += at + literal.length
    return "found"
  }
})

export interface MatchingLine {
  /** From 1. */
  readonly line: number
  readonly text: string
  /** About where in the line the match ends. */
  readonly end: number
}

/** Time to let others work. */
export const pause = "pause"

/** Characters read, and work on states, until a pause: some milliseconds. */
const sliceCharacters = 256 * 1024
const sliceWork = 50_000

/** Lines end in LF or CRLF; what ends them belongs to no line. `firstLine` is the number of the first. */
export function* matchingLines(
  text: string,
  finder: Finder,
  firstLine = 1
): Generator<MatchingLine | typeof pause, number> {
  let line = firstLine
  let until = sliceCharacters
  let work = finder.work
  for (let start = 0; start < text.length; line++) {
    const feed = text.indexOf("\n", start)
    const end = feed === -1 ? text.length : feed
    const to = end > start && text.charCodeAt(end - 1) === 13 ? end - 1 : end
    const cursor = newCursor(start)
    let outcome = finder.advance(text, cursor, to, until, sliceWork - (finder.work - work))
    while (outcome === "paused") {
      yield pause
      until = cursor.at + sliceCharacters
      work = finder.work
      outcome = finder.advance(text, cursor, to, until, sliceWork)
    }
    if (outcome === "found") yield { line, text: text.slice(start, to), end: cursor.at - start }
    start = end + 1
  }
  return line
}
