/**
 * What people read of a process: both streams in arrival order, told apart by line.
 *
 * stdout stands as it is, lines of stderr begin `[stderr] `, and where the streams change in mid-line a newline is put
 * in. A character split over reads is held back until it is whole, so that the other stream can't get into it.
 */
import { brokenTail } from "./page.ts"

export interface Interleaved {
  stdout(bytes: Uint8Array): void
  stderr(bytes: Uint8Array): void
  /** Writes what is held back of a character that never became whole. */
  end(): void
}

const newline = 10
const lineEnd = new Uint8Array([newline])
const label = new TextEncoder().encode("[stderr] ")
const nothing = new Uint8Array(0)

type Stream = "stdout" | "stderr"

/** `write` gets one piece for each read. At most three bytes a stream are held. */
export const interleave = (write: (bytes: Uint8Array) => void): Interleaved => {
  const held: Record<Stream, Uint8Array> = { stdout: nothing, stderr: nothing }
  let openLine: Stream | undefined

  const put = (stream: Stream, bytes: Uint8Array) => {
    if (bytes.length === 0) return
    const pieces: Array<Uint8Array> = []
    if (openLine !== undefined && openLine !== stream) {
      pieces.push(lineEnd)
      openLine = undefined
    }
    if (stream === "stdout") pieces.push(bytes)
    else pieces.push(...labelled(bytes, openLine === undefined))
    openLine = bytes.at(-1) === newline ? undefined : stream
    write(Buffer.concat(pieces))
  }

  const receive = (stream: Stream) => (bytes: Uint8Array) => {
    const all = held[stream].length === 0 ? bytes : Buffer.concat([held[stream], bytes])
    const whole = all.length - brokenTail(all)
    held[stream] = all.slice(whole)
    put(stream, all.subarray(0, whole))
  }

  return {
    stdout: receive("stdout"),
    stderr: receive("stderr"),
    end: () => {
      for (const stream of ["stdout", "stderr"] as const) {
        put(stream, held[stream])
        held[stream] = nothing
      }
    }
  }
}

const labelled = (bytes: Uint8Array, atLineStart: boolean) => {
  const pieces: Array<Uint8Array> = []
  for (let from = 0; from < bytes.length;) {
    if (from > 0 || atLineStart) pieces.push(label)
    const found = bytes.indexOf(newline, from)
    const to = found < 0 ? bytes.length : found + 1
    pieces.push(bytes.subarray(from, to))
    from = to
  }
  return pieces
}
