/**
 * Bytes a command prints → clean lines.
 *
 * A newline ends everything, also an escape sequence that nobody closed, so a line is a function of its own bytes:
 * whole lines are decoded together, and only the unfinished one has state between reads, never more than the cap.
 */

import { Cleaner, special, tidy, toLine, visible, type Line } from "./clean.ts"

/** Mutable for speed, but the same bytes give the same lines however they are cut into reads. */
export interface LineReader {
  /** The lines that `bytes` complete. `bytes` is not kept. */
  readonly read: (bytes: Uint8Array) => ReadonlyArray<Line>
  /** The last line, if it had no newline. Nothing is to be read afterwards. */
  readonly flush: () => ReadonlyArray<Line>
  /** Raw bytes seen, from the first one ever printed. */
  readonly offset: number
  /** Where the unfinished line begins. Read again from here, it comes out the same. */
  readonly unfinished: number
}

const newline = 0x0a
const decoderOptions = { ignoreBOM: true } as const

/**
 * Splits and cleans a stream of bytes. `offset` is where it begins, for output that is read a second time.
 * A line over `maxLineBytes` is clipped, with its marker, to at most that.
 */
export const lineReader = (options: {
  readonly maxLineBytes: number
  readonly offset?: number
}): LineReader => {
  const { maxLineBytes } = options
  const whole = new TextDecoder("utf-8", decoderOptions)
  const cleaner = new Cleaner(maxLineBytes)
  // For the line that the reads have not finished.
  const streaming = new TextDecoder("utf-8", decoderOptions)
  const rest = new Cleaner(maxLineBytes)
  let offset = options.offset ?? 0
  let unfinished = offset

  const finishRest = (end: number, lines: Array<Line>) => {
    rest.push(streaming.decode())
    const line = rest.finish(end)
    if (line !== undefined) lines.push(line)
    unfinished = end
  }

  /** `bytes` are whole lines, the last newline included; `begin` is their offset. */
  const readWhole = (bytes: Uint8Array, begin: number, lines: Array<Line>) => {
    const raw = whole.decode(bytes)
    // Every other character is decoded from more bytes than it has code units, or from an invalid one.
    const ascii = raw.length === bytes.length && !raw.includes("\ufffd")
    const clean = special.test(raw) ? tidy(raw) : raw
    const text = clean ?? raw
    const untouched = ascii && text.length === raw.length
    let at = 0
    let end = 0
    while (at < text.length) {
      const from = at
      const stop = text.indexOf("\n", from)
      at = stop + 1
      end = untouched ? at : bytes.indexOf(newline, end) + 1
      let line = text.slice(from, stop)
      if (clean === undefined && special.test(line)) {
        const tidied = tidy(line)
        if (tidied === undefined) {
          cleaner.push(line)
          const cleaned = cleaner.finish(begin + end)
          if (cleaned !== undefined) lines.push(cleaned)
          continue
        }
        line = tidied
      }
      const first = line.charCodeAt(0)
      if (!(first > 0x20 && first < 0x7f) && !visible.test(line)) continue
      const size = ascii ? line.length : Buffer.byteLength(line)
      lines.push(
        size <= maxLineBytes
          ? { text: line, bytes: size, clippedBytes: 0, end: begin + end }
          : toLine(line, size, maxLineBytes, begin + end)
      )
    }
  }

  return {
    read: (bytes) => {
      const lines: Array<Line> = []
      const begin = offset
      offset += bytes.length
      let from = 0
      if (unfinished < begin) {
        const first = bytes.indexOf(newline)
        rest.push(streaming.decode(first === -1 ? bytes : bytes.subarray(0, first), { stream: true }))
        if (first === -1) return lines
        from = first + 1
        finishRest(begin + from, lines)
      }
      const last = bytes.lastIndexOf(newline) + 1
      if (last > from) {
        readWhole(bytes.subarray(from, last), begin + from, lines)
        from = last
        unfinished = begin + last
      }
      if (from < bytes.length) rest.push(streaming.decode(bytes.subarray(from), { stream: true }))
      return lines
    },
    flush: () => {
      const lines: Array<Line> = []
      if (unfinished < offset) finishRest(offset, lines)
      return lines
    },
    get offset() {
      return offset
    },
    get unfinished() {
      return unfinished
    }
  }
}

/** Text of several lines, cleaned as lines are but neither clipped nor rid of blank ones: quotes and log pages. */
export const cleanText = (text: string): string => {
  if (!special.test(text)) return text
  const cleaner = new Cleaner(Number.POSITIVE_INFINITY)
  return text
    .split("\n")
    .map((line) => {
      if (!special.test(line)) return line
      cleaner.push(line)
      return cleaner.finish(0)?.text ?? ""
    })
    .join("\n")
}
