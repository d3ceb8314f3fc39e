/** A range of a file's lines, read no further than needed. */
import type { FileHandle } from "node:fs/promises"
import { ToolFailed } from "../tool.ts"
import type { Located } from "./path.ts"
import { type Stamp, stampOf } from "./reading.ts"
import { binaryReason, maxWholeBytes, notText, readBytes, withFile } from "./text-file.ts"
import { boundedLines, counted, cutText, fileLine, sizeText } from "./visible.ts"

export interface LineRange {
  /** The first line, from 1. */
  readonly from: number
  readonly limit: number
  /** Lines were asked for by number: the file may be huge. */
  readonly ranged: boolean
}

export interface LinePage {
  /** Numbered. */
  readonly lines: ReadonlyArray<string>
  /** What the reader should know besides. */
  readonly remarks: ReadonlyArray<string>
  readonly from: number
  /** The last line shown; `from - 1` if none is. */
  readonly to: number
  readonly more: boolean
  readonly stamp: Stamp
}

/** Text of one page, in bytes: code is read in larger pieces than search results. */
export const maxPageBytes = 32 * 1024
/** Characters of one line. */
export const maxLineLength = 2_000
/** Bytes of a line that are kept to show it: enough for `maxLineLength` characters. */
const maxLineBytes = 4 * maxLineLength
/** How far into a file a range may lie. */
const maxScannedBytes = 2 * 1024 * 1024 * 1024
const chunkBytes = 256 * 1024

export const readLines = (located: Located, range: LineRange, signal: AbortSignal): Promise<LinePage> =>
  withFile(located.real, located.shown, async (file, stat) => {
    const size = Number(stat.size)
    if (size > maxWholeBytes && !range.ranged)
      throw new ToolFailed({
        message: `${located.shown} has ${sizeText(size)}, too much to read from start to end. Name the lines with offset and limit, or search it with grep's path.`
      })
    const reason = binaryReason(await readBytes(file, Math.min(size, 8_192)))
    if (reason) throw notText(located.shown, reason, size)
    const page = newPage(range)
    let scanned = 0
    for await (const batch of linesOf(file, range.from - 1, signal)) {
      scanned = batch.end
      page.skip(batch.skipped)
      const wanted = batch.lines.filter(page.take).length === batch.lines.length
      if (!wanted && size > maxWholeBytes) break
      if (scanned > maxScannedBytes && !page.started())
        throw new ToolFailed({
          message: `Line ${range.from} lies more than ${sizeText(maxScannedBytes)} into ${located.shown}. Use shell, for example sed -n or tail.`
        })
    }
    return page.done(located.shown, stampOf(stat), scanned >= size)
  })

interface RawLine {
  /** Its first `maxLineBytes` bytes, without the line's end. */
  readonly bytes: Uint8Array
  /** Of the whole line. */
  readonly length: number
}

/** What one chunk of the file completes. */
interface Batch {
  readonly skipped: number
  readonly lines: ReadonlyArray<RawLine>
  /** How far the file is read. */
  readonly end: number
}

/** The lines behind the first `skip`, which are only counted. */
async function* linesOf(file: FileHandle, skip: number, signal: AbortSignal): AsyncGenerator<Batch> {
  let kept: Array<Uint8Array> = []
  let keptBytes = 0
  let length = 0
  let position = 0
  let toSkip = skip
  const keep = (piece: Uint8Array) => {
    length += piece.length
    const part = piece.subarray(0, maxLineBytes - keptBytes)
    if (part.length === 0) return
    kept.push(part)
    keptBytes += part.length
  }
  const finish = (): RawLine => {
    const line = { bytes: kept.length === 1 ? kept[0]! : Buffer.concat(kept), length }
    kept = []
    keptBytes = length = 0
    return line
  }
  while (true) {
    signal.throwIfAborted()
    const chunk = await readBytes(file, chunkBytes, position)
    if (chunk.length === 0) break
    position += chunk.length
    let from = 0
    let skipped = 0
    const lines: Array<RawLine> = []
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, at))
      from = at + 1
      const line = finish()
      if (skipped < toSkip) skipped += 1
      else lines.push(line)
    }
    toSkip -= skipped
    keep(chunk.subarray(from))
    yield { skipped, lines, end: position }
  }
  if (length === 0) return
  yield toSkip > 0
    ? { skipped: 1, lines: [], end: position }
    : { skipped: 0, lines: [finish()], end: position }
}

const newPage = ({ from, limit }: LineRange) => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const shown = boundedLines(maxPageBytes)
  let total = 0
  let full = false
  let cut = 0
  let invalid = 0

  const decode = (line: RawLine): string => {
    // A line that is cut may end within a character: that is no fault of the file.
    if (line.length > line.bytes.length) return new TextDecoder().decode(line.bytes)
    try {
      return decoder.decode(line.bytes)
    } catch {
      invalid += 1
      return new TextDecoder().decode(line.bytes)
    }
  }

  return {
    started: () => shown.lines.length > 0,
    skip: (lines: number) => {
      total += lines
    },
    /** False once nothing more is wanted. */
    take: (line: RawLine): boolean => {
      total += 1
      if (full) return false
      const text = decode(line).replace(/\r$/u, "")
      const long = text.length > maxLineLength || line.length > line.bytes.length
      const end = long ? ` (cut; the line has ${sizeText(line.length)})` : ""
      const visible = fileLine(long ? cutText(text, maxLineLength) : text)
      full = total >= from + limit || !shown.add(`${String(total).padStart(5)}\t${visible}${end}`)
      if (long && !full) cut += 1
      return !full
    },
    done: (path: string, stamp: Stamp, ended: boolean): LinePage => {
      const to = from + shown.lines.length - 1
      if (shown.lines.length === 0 && from > 1)
        throw new ToolFailed({
          message: `${path} ends before line ${from}: it has ${counted(total, "line")}.`
        })
      const more = full
      const whole = ended ? ` of ${counted(total, "line")}` : ""
      const remarks = [
        ...(total === 0 ? ["the file is empty"] : []),
        ...(more ? [`lines ${from} to ${to}${whole}; go on with offset ${to + 1}`] : []),
        ...(cut > 0 ? [`${counted(cut, "line")} cut at ${maxLineLength} characters`] : []),
        ...(invalid > 0
          ? [
              `${counted(invalid, "line")} with bytes that are no UTF-8, shown as \ufffd; edit refuses such a file`
            ]
          : [])
      ]
      return { lines: shown.lines, remarks, from, to, more, stamp }
    }
  }
}
