/**
 * A command's stdout or stderr.
 *
 * What Bun and Node call pipes are sockets: `echo x >/dev/stderr` fails in the command with ENXIO. So real ones are
 * made where libc can be called, and sockets serve elsewhere.
 */
import { dlopen, ptr } from "bun:ffi"
import { closeSync } from "node:fs"
import type { Readable } from "node:stream"
import { isLinux } from "./proc.ts"

/** Our end. */
export interface Output {
  /** Reads on and on. The bytes are the receiver's own; `onEnd` comes once. `onBytes` must not throw. */
  start(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): void
  /** Closes our end, whoever holds the other. */
  abandon(): void
}

export interface Pipe {
  readonly read: number
  readonly write: number
}

const closeOnExec = 0o2000000

const libraries = [
  "libc.so.6",
  `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
  "libc.so"
]

const openPipe2 = () => {
  if (!isLinux) return undefined
  for (const library of libraries) {
    try {
      return dlopen(library, { pipe2: { args: ["ptr", "i32"], returns: "i32" } }).symbols.pipe2
    } catch {
      // Another libc.
    }
  }
  return undefined
}

let pipe2: ReturnType<typeof openPipe2> | null = null

/** Both ends, closed in every child. Undefined where none can be made. */
export const makePipe = (): Pipe | undefined => {
  if (pipe2 === null) pipe2 = openPipe2()
  const ends = new Int32Array(2)
  if (!pipe2 || pipe2(ptr(ends), closeOnExec) !== 0) return undefined
  return { read: ends[0]!, write: ends[1]! }
}

export const closePipe = (pipe: Pipe) => {
  closeSync(pipe.read)
  closeSync(pipe.write)
}

export const pipeOutput = (fd: number): Output => {
  const reader = Bun.file(fd).stream().getReader()
  const readAll = async (onBytes: (bytes: Uint8Array) => void) => {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        onBytes(value)
      }
    } catch {
      // A broken pipe has ended.
    } finally {
      // Bun closes no number that it did not open.
      closeSync(fd)
    }
  }
  return {
    start: (onBytes, onEnd) => void readAll(onBytes).then(onEnd, onEnd),
    abandon: () => void reader.cancel().catch(() => {})
  }
}

export const socketOutput = (stream: Readable): Output => ({
  start: (onBytes, onEnd) => {
    stream.on("data", onBytes)
    stream.on("error", () => {})
    stream.once("close", onEnd)
  },
  abandon: () => void stream.destroy()
})
