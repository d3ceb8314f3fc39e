/** Text as it is shown to a model or a person: what is too much is cut, and said. */
import { defang } from "../monitor/defang.ts"

/** What some readers take for a line's end although the file has none there. */
const hiddenBreak = /[\r\v\f\u0085\u2028\u2029]/u

/**
 * A file's line as it stands, so that edit can quote it: it comes behind its number, where it passes for nothing
 * else. What a break within it would put at the beginning of a line is defanged.
 */
export const fileLine = (line: string): string => {
  const at = line.search(hiddenBreak)
  return at === -1 ? line : line.slice(0, at) + defang(line.slice(at))
}

/** At most `max` UTF-16 units of `text` from `from` on, never half a character, with `…` where something is missing. */
export const cutText = (text: string, max: number, from = 0): string => {
  if (from === 0 && text.length <= max) return text
  const start = from > 0 && isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from
  let end = Math.min(text.length, start + max)
  if (end < text.length && isLowSurrogate(text.charCodeAt(end))) end -= 1
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

const encoder = new TextEncoder()

/** Length as it goes over the wire, in bytes of UTF-8. */
export const byteLength = (text: string): number => encoder.encode(text).length

/** Collects lines until they would pass `maxBytes`; `add` says whether there was room. */
export const boundedLines = (maxBytes: number) => {
  const lines: Array<string> = []
  let bytes = 0
  return {
    lines,
    add: (line: string): boolean => {
      const size = byteLength(line) + 1
      if (bytes + size > maxBytes) return false
      bytes += size
      lines.push(line)
      return true
    }
  }
}

/** `3 lines`, `1 line`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`

/** A size for people: `512 bytes`, `3.4 MiB`. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1024) return counted(bytes, "byte")
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
