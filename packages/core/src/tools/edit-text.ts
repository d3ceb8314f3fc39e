/**
 * Replaces one piece of a text by another; pure.
 *
 * Models write lines that end in LF. Files may end theirs in CRLF, or in both. So texts are compared with LF
 * throughout, and what is put in takes the ending of what it replaces; all other bytes stay as they are.
 */
import { excerptOf, numbered } from "./edit-excerpt.ts"

export type Edited =
  | {
      readonly ok: true
      readonly text: string
      readonly replacements: number
      readonly excerpt: ReadonlyArray<string>
    }
  | { readonly ok: false; readonly reason: string }

const maxNamedLines = 20

/** `name` is what the text is called in reasons. */
export const editText = (
  name: string,
  original: string,
  edit: { readonly oldText: string; readonly newText: string; readonly replaceAll: boolean }
): Edited => {
  const oldText = withLf(edit.oldText)
  const newText = withLf(edit.newText)
  if (oldText === "")
    return { ok: false, reason: "oldText is empty. Quote the lines to change, or create a file with write." }
  if (oldText === newText)
    return { ok: false, reason: "oldText and newText are equal; there is nothing to change." }

  const text = withLf(original)
  // Where it stands twice overlapping, either may be meant; replaced everywhere, each character goes once.
  const places = occurrences(text, oldText, edit.replaceAll ? oldText.length : 1)
  if (places.length === 0)
    return { ok: false, reason: `oldText is not in ${name}. ${nearestRegion(text, oldText)}` }
  if (places.length > 1 && !edit.replaceAll) {
    const lines = places.slice(0, maxNamedLines).map(lineNumbers(text))
    const rest = places.length > lines.length ? " and more" : ""
    return {
      ok: false,
      reason: `oldText is in ${name} ${places.length.toLocaleString("en-US")} times, at lines ${lines.join(", ")}${rest}. Quote more of what surrounds the right one, or set replaceAll.`
    }
  }

  const originalAt = offsets(original)
  const usual = original.includes("\r\n") ? "\r\n" : "\n"
  const pieces: Array<string> = []
  let from = 0
  for (const place of places) {
    const start = originalAt(place)
    const end = originalAt(place + oldText.length)
    const replaced = original.slice(start, end)
    const ending = replaced.includes("\n") ? (replaced.includes("\r\n") ? "\r\n" : "\n") : usual
    pieces.push(original.slice(from, start), ending === "\n" ? newText : newText.replaceAll("\n", ending))
    from = end
  }
  pieces.push(original.slice(from))
  return {
    ok: true,
    text: pieces.join(""),
    replacements: places.length,
    excerpt: excerptOf(text, oldText, newText, places)
  }
}

const withLf = (text: string) => text.replaceAll("\r\n", "\n")

const occurrences = (text: string, part: string, step: number): Array<number> => {
  const places: Array<number> = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + step)) places.push(at)
  return places
}

/** From a place in the text with LF to the same in the original. For places that do not go backwards. */
const offsets = (original: string) => {
  let place = 0
  let at = 0
  return (wanted: number): number => {
    while (place < wanted) {
      const next = original.indexOf("\r\n", at)
      if (next === -1 || place + (next - at) >= wanted) {
        at += wanted - place
        place = wanted
      } else {
        place += next - at + 1
        at = next + 2
      }
    }
    return at
  }
}

/** The number of the line that holds a place. For places that do not go backwards. */
const lineNumbers = (text: string) => {
  let line = 1
  let at = 0
  return (place: number): number => {
    for (let next = text.indexOf("\n", at); next !== -1 && next < place; next = text.indexOf("\n", at)) {
      line += 1
      at = next + 1
    }
    return line
  }
}

const maxRegionLines = 12
const maxCompared = 200_000

/** The region that looks most like what was not found, so that the next try can quote it. */
const nearestRegion = (text: string, oldText: string): string => {
  const lines = text.split("\n")
  const wanted = oldText.replace(/\n$/u, "").split("\n").slice(0, maxRegionLines)
  const keys = wanted.map(words)
  let best = { at: -1, score: 0 }
  const places = Math.min(lines.length, Math.floor(maxCompared / wanted.length))
  const lineKeys = lines.slice(0, places + wanted.length).map(words)
  for (let at = 0; at < places; at++) {
    let score = 0
    for (const [index, key] of keys.entries()) score += likeness(key, lineKeys[at + index])
    if (score > best.score) best = { at, score }
  }
  // Less than a third in common is no likeness.
  if (best.at === -1 || best.score < keys.filter((key) => key.size > 0).length / 3)
    return "Nothing there is like it; read the file."
  const region = lines.slice(best.at, best.at + wanted.length)
  const onlySpaces = region.map(squeezed).join("\n") === wanted.map(squeezed).join("\n")
  const shown = region.map((line, index) => numbered("", best.at + index + 1, line))
  return `${onlySpaces ? "Only white space differs from" : "Most like it is"}:\n${shown.join("\n")}`
}

const squeezed = (line: string) => line.replace(/\s+/gu, "")

/** A line's words and signs. */
const words = (line: string): ReadonlySet<string> => new Set(line.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu))

/** What two lines share, from 0 to 1. */
const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string> | undefined): number => {
  if (b === undefined || a.size === 0 || b.size === 0) return 0
  let common = 0
  for (const word of a) if (b.has(word)) common += 1
  return common / (a.size + b.size - common)
}
