/**
 * A process's output on disk: bounded, whatever is printed, and read by absolute byte cursors.
 *
 * It is kept as segments of a quarter of `maxBytes`; whole ones are dropped, oldest first. So at most `maxBytes` lie
 * on disk, and at least the newest three quarters of it can be read. Appending is synchronous, and it never throws.
 */
import type { LogState } from "@vigil/schema/output"
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { listSegments, type Segment, segmentPath } from "./segments.ts"

export { interleave, type Interleaved } from "./interleave.ts"
export { type LogBytes, type LogPage, type PageOptions, readBytes, readPage } from "./page.ts"

export interface LogOptions {
  readonly directory: string
  /** On disk, at most. At least 4. */
  readonly maxBytes: number
  /** What is known to have been printed before, when it is more than the files hold. Cursors never go back. */
  readonly size?: number
}

export interface Log {
  /** Ignored after `close`. */
  append(bytes: Uint8Array): void
  /** `error` is the newest reason why something was not kept. Sizes count what was printed all the same. */
  readonly state: LogState
  /** Deletes the segments that end at or before `cursor`; the one being written stays. */
  dropBefore(cursor: number): void
  close(): void
  /** Closes it and deletes all of it. */
  discard(): void
}

const parts = 4
// Segments cut short by a disk that fills and empties again must not grow in number without bound.
const maxSegments = 32

/** Goes on at the end of what is there. */
export const openLog = (options: LogOptions): Log => new SegmentedLog(options)

class SegmentedLog implements Log {
  private readonly directory: string
  private readonly segmentBytes: number
  private readonly segments: Array<{ start: number; end: number }>
  private size: number
  private error: string | undefined
  private fd: number | undefined
  private closed = false

  constructor(options: LogOptions) {
    this.directory = options.directory
    this.segmentBytes = Math.max(1, Math.floor(options.maxBytes / parts))
    this.attempt(() => mkdirSync(this.directory, { recursive: true, mode: 0o700 }))
    this.segments = listSegments(this.directory)
    this.size = Math.max(options.size ?? 0, this.segments.at(-1)?.end ?? 0)
    this.dropOld()
  }

  get state(): LogState {
    return {
      start: this.segments[0]?.start ?? this.size,
      size: this.size,
      ...(this.error === undefined ? {} : { error: this.error })
    }
  }

  append(bytes: Uint8Array) {
    if (this.closed) return
    // What would be dropped at once is not written at all.
    const skipped = Math.max(0, bytes.length - this.segmentBytes * parts)
    this.size += skipped
    let offset = skipped
    while (offset < bytes.length) {
      const part = bytes.subarray(offset, offset + this.room())
      this.write(part)
      this.size += part.length
      offset += part.length
    }
  }

  dropBefore(cursor: number) {
    this.drop((segment) => segment.end <= cursor)
  }

  close() {
    this.closed = true
    this.closeSegment()
  }

  discard() {
    this.close()
    this.attempt(() => rmSync(this.directory, { recursive: true, force: true }))
  }

  /** How many bytes the next write may have. */
  private room() {
    const current = this.current()
    return current ? current.start + this.segmentBytes - current.end : this.segmentBytes
  }

  /** The segment that ends where the next byte belongs and has room for it. */
  private current() {
    const last = this.segments.at(-1)
    return last && last.end === this.size && last.end - last.start < this.segmentBytes ? last : undefined
  }

  private write(bytes: Uint8Array) {
    this.attempt(() => {
      const segment = this.current() ?? this.nextSegment()
      this.fd ??= openSync(segmentPath(this.directory, segment.start), "a", 0o600)
      let written = 0
      try {
        while (written < bytes.length) {
          const count = writeSync(this.fd, bytes, written)
          written += count
          segment.end += count
        }
      } catch (error) {
        // The rest is lost, and the next byte begins a segment behind the gap.
        this.closeSegment()
        if (segment.end === segment.start) this.forget(segment)
        throw error
      }
    })
  }

  private nextSegment() {
    this.closeSegment()
    const segment = { start: this.size, end: this.size }
    this.fd = openSync(segmentPath(this.directory, segment.start), "a", 0o600)
    this.segments.push(segment)
    this.dropOld()
    return segment
  }

  /** Leaves room for one full segment. */
  private dropOld() {
    const stored = () => this.segments.slice(0, -1).reduce((sum, { start, end }) => sum + end - start, 0)
    const tooMuch = () => stored() > this.segmentBytes * (parts - 1) || this.segments.length > maxSegments
    while (this.segments.length > 1 && tooMuch()) this.forget(this.segments[0]!)
  }

  private drop(isOld: (segment: Segment) => boolean) {
    const last = this.segments.at(-1)
    for (const segment of this.segments.filter((segment) => segment !== last && isOld(segment)))
      this.forget(segment)
  }

  private forget(segment: { start: number; end: number }) {
    this.segments.splice(this.segments.indexOf(segment), 1)
    this.attempt(() => rmSync(segmentPath(this.directory, segment.start), { force: true }))
  }

  private closeSegment() {
    const fd = this.fd
    this.fd = undefined
    if (fd !== undefined) this.attempt(() => closeSync(fd))
  }

  private attempt(write: () => void) {
    try {
      write()
    } catch (error) {
      this.error = sentenceFor(error)
    }
  }
}

const causes: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "writing is not permitted",
  EPERM: "writing is not permitted",
  ENOENT: "its directory is gone",
  ENOTDIR: "its directory is gone",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "the disk fails"
}

const sentenceFor = (error: unknown) => {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error"
  return `Some of the output was not kept: ${causes[code] ?? `writing failed with ${code}`}`
}
