/** Reading a log from its files alone, whether its process runs, has ended, or was another server's. */
import type { OutputPage } from "@vigil/schema/output"
import { listSegments, readSegment, type Segment } from "./segments.ts"

export type LogPage = Omit<OutputPage, "ended">

export interface PageOptions {
  /** Absolute; the newest page without it. Before what is kept: the page begins where the log does. */
  readonly cursor?: number
  /** Bytes of the log, at least 4 so that a character fits. The text has more only where bytes are no UTF-8. */
  readonly limit: number
}

/**
 * A page cut between characters. `truncated`: what was asked for is no longer kept, or, for the newest page, what
 * lay before all that is kept. Behind the end it is empty, with the end as its cursor.
 */
export const readPage = (directory: string, { cursor, limit }: PageOptions): LogPage => {
  const { start, size } = extent(listSegments(directory))
  const wanted = cursor ?? Math.max(start, size - limit)
  const read = readBytes(directory, wanted, Math.max(4, limit))
  const skipped = read.from === cursor ? 0 : brokenHead(read.bytes)
  const bytes = read.bytes.subarray(skipped)
  const end = read.from + skipped + bytes.length
  // A character still being written waits for the next page, unless nothing else is there.
  const broken = brokenTail(bytes)
  const held = broken < bytes.length ? broken : 0
  return {
    output: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, bytes.length - held)),
    cursor: end - held,
    start: read.start,
    size: read.size,
    truncated: cursor === undefined ? read.start > 0 : read.from > cursor
  }
}

export interface LogBytes {
  readonly bytes: Uint8Array
  /** The offset of the first of them: later than asked for when that is no longer kept, or the end behind it. */
  readonly from: number
  readonly start: number
  readonly size: number
}

/** Raw bytes from an absolute cursor on, as far as they are without a gap. */
export const readBytes = (directory: string, from: number, maxBytes: number): LogBytes => {
  const segments = listSegments(directory)
  const { start, size } = extent(segments)
  const first = segments.find((segment) => segment.end > from && segment.end > segment.start)
  if (!first) return { bytes: new Uint8Array(0), from: size, start, size }
  const begin = Math.max(from, first.start)
  const parts: Array<Uint8Array> = []
  let at = begin
  for (const segment of segments.slice(segments.indexOf(first))) {
    const to = Math.min(segment.end, begin + maxBytes)
    if (segment.start > at || to <= at) break
    const part = readSegment(directory, segment, at, to)
    parts.push(part)
    at += part.length
    if (at < to) break
  }
  // Dropped while we read: what follows is still there.
  if (at === begin && maxBytes > 0) return readBytes(directory, first.end, maxBytes)
  return { bytes: Buffer.concat(parts), from: begin, start, size }
}

const extent = (segments: ReadonlyArray<Segment>) => {
  const size = segments.at(-1)?.end ?? 0
  return { start: segments.find((segment) => segment.end > segment.start)?.start ?? size, size }
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80

/** Bytes at the beginning that belong to a character before it. */
const brokenHead = (bytes: Uint8Array) => {
  let count = 0
  while (count < 3 && count < bytes.length && isContinuation(bytes[count]!)) count++
  return count
}

/** Bytes at the end that begin a character and do not finish it: 0 to 3. */
export const brokenTail = (bytes: Uint8Array) => {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count]!
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return byte < 0xf8 && length > count ? count : 0
  }
  return 0
}
