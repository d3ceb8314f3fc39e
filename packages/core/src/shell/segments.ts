/** A log's files: each is named after the absolute offset of its first byte, so that the names alone are the index. */
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { join } from "node:path"

export interface Segment {
  readonly start: number
  /** The offset behind its last byte. */
  readonly end: number
}

const digits = 16
const pattern = /^\d{16}\.log$/

export const segmentPath = (directory: string, start: number) =>
  join(directory, `${String(start).padStart(digits, "0")}.log`)

/** Oldest first. Empty where there is no such directory. */
export const listSegments = (directory: string): Array<Segment> =>
  names(directory).flatMap((name) => {
    const start = Number(name.slice(0, digits))
    try {
      return [{ start, end: start + statSync(join(directory, name)).size }]
    } catch {
      // Dropped while we looked.
      return []
    }
  })

/** The bytes of one segment, as far as it is still there; `from` and `to` are absolute. */
export const readSegment = (directory: string, segment: Segment, from: number, to: number): Uint8Array => {
  const bytes = new Uint8Array(to - from)
  let fd: number
  try {
    fd = openSync(segmentPath(directory, segment.start), "r")
  } catch {
    return bytes.subarray(0, 0)
  }
  try {
    let filled = 0
    while (filled < bytes.length) {
      const read = readSync(fd, bytes, filled, bytes.length - filled, from - segment.start + filled)
      if (read === 0) break
      filled += read
    }
    return bytes.subarray(0, filled)
  } finally {
    closeSync(fd)
  }
}

const names = (directory: string) => {
  try {
    return readdirSync(directory)
      .filter((name) => pattern.test(name))
      .toSorted()
  } catch {
    return []
  }
}
