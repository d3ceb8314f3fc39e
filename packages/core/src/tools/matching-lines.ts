/** The lines of a text that match, found in portions, so that whoever asks can do other things in between. */
import type { Finder } from "./finder.ts"

export interface MatchingLine {
  /** From 1. */
  readonly line: number
  readonly text: string
  /** About where in the line the match ends. */
  readonly end: number
}

/** Time to let others work. */
export const pause = "pause"

/** Characters that were looked through since the last pause, also in other texts; who pauses sets it back. */
export interface Pace {
  characters: number
}

const maxPace = 256 * 1024
/** Finding out where a match ends costs this many times as much as finding out that there is one. */
const endCost = 10

/**
 * Lines end in LF or CRLF; what ends them belongs to no line. `firstLine` is the number of the first. A line longer
 * than the finder's reach is tried in growing parts first; where the reach does not grow with them, overlapping pieces
 * are searched as if each were the line.
 */
export function* matchingLines(
  text: string,
  finder: Finder,
  pace: Pace,
  firstLine = 1
): Generator<MatchingLine | typeof pause, number> {
  let line = firstLine
  for (let start = 0; start < text.length; line++) {
    const feed = text.indexOf("\n", start)
    const next = feed === -1 ? text.length : feed
    const to = next > start && text.charCodeAt(next - 1) === 13 ? next - 1 : next
    let { reach } = finder
    for (let before = 0; before < reach && reach < to - start; reach = finder.reach) {
      if (isDue(finder, pace)) yield pause
      finder.holds(text.slice(start, start + reach))
      pace.characters += reach
      before = reach
    }
    const step = Math.ceil(reach * 0.75)
    for (let at = start; at === start || at + reach - step < to; at += step) {
      if (isDue(finder, pace)) yield pause
      const piece = text.slice(at, Math.min(to, at + reach))
      pace.characters += 1 + piece.length
      if (!finder.holds(piece)) continue
      const end = finder.endIn(piece)
      pace.characters += end * endCost
      yield { line, text: text.slice(start, to), end: at - start + end }
      break
    }
    start = next + 1
  }
  return line
}

const isDue = (finder: Finder, pace: Pace) => pace.characters >= Math.min(finder.reach, maxPace)
