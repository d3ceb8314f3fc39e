/** Text files: opened without surprises, read whole within a bound, written so that no half of one is ever seen. */
import { type BigIntStats, closeSync, constants, fstatSync, open as openFile, readSync } from "node:fs"
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"
import { newId } from "@vigil/schema/id"
import { ToolFailed } from "../tool.ts"
import { errorCode } from "./file-error.ts"
import { type Stamp, stampOf } from "./reading.ts"
import { sizeText } from "./visible.ts"

/** As git does: bytes in which a NUL makes a file binary. */
const headBytes = 8_000

/** What is held in memory at once. */
export const maxWholeBytes = 10 * 1024 * 1024

/** No link is followed and no pipe waited for. */
const safely = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Opens a file by its resolved path and closes it when `use` is done. What turns out to be no regular file is refused;
 * no pipe is waited for and no link followed, also if it was put there a moment ago.
 */
export const withFile = async <A>(
  real: string,
  shown: string,
  use: (file: FileHandle, stat: BigIntStats) => Promise<A>
): Promise<A> => {
  const file = await open(real, safely)
  try {
    const stat = await file.stat({ bigint: true })
    if (stat.isDirectory()) throw new ToolFailed({ message: `${shown} is a directory.` })
    if (!stat.isFile()) throw notRegular(shown)
    return await use(file, stat)
  } finally {
    await file.close()
  }
}

const openDescriptor = promisify<string, number, number>(openFile)

/**
 * At most `maxBytes` of a file from `position` on, and the size of all. Only opening it leaves the thread: each further
 * hop would cost more than reading a small file, which is what a search does a hundred thousand times.
 */
export const readChunk = async (real: string, shown: string, position: number, maxBytes: number) => {
  const file = await openDescriptor(real, safely)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw notRegular(shown)
    const buffer = new Uint8Array(Math.min(maxBytes, Math.max(0, stat.size - position)))
    let filled = 0
    while (filled < buffer.length) {
      const bytesRead = readSync(file, buffer, filled, buffer.length - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return { size: stat.size, bytes: buffer.subarray(0, filled) }
  } finally {
    closeSync(file)
  }
}

export const notRegular = (shown: string) =>
  new ToolFailed({
    message: `${shown} is no regular file but a pipe, socket or device; only files can be used.`
  })

/** Why bytes from the start of a file are no UTF-8 text; `undefined` if they may be. */
export const binaryReason = (head: Uint8Array): string | undefined => {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
    return "is encoded in UTF-16"
  return head.subarray(0, headBytes).includes(0) ? "is binary" : undefined
}

/** What to do with a file that is no text. */
export const notText = (shown: string, reason: string, bytes: number | bigint) =>
  new ToolFailed({
    message: `${shown} ${reason} (${sizeText(Number(bytes))}). Use shell with a program that understands it, for example file, xxd or iconv.`
  })

/** Fills as much of a new buffer as there is, up to `bytes` from `position`. */
export const readBytes = async (file: FileHandle, bytes: number, position = 0): Promise<Uint8Array> => {
  const buffer = new Uint8Array(bytes)
  let filled = 0
  while (filled < bytes) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

export interface TextFile {
  /** Without byte order mark. */
  readonly text: string
  readonly mark: boolean
  readonly stamp: Stamp
}

/** A whole file of valid UTF-8, at most `maxWholeBytes`. */
export const readText = (real: string, shown: string): Promise<TextFile> =>
  withFile(real, shown, async (file, stat) => {
    if (stat.size > BigInt(maxWholeBytes))
      throw new ToolFailed({
        message: `${shown} has ${sizeText(Number(stat.size))}; files over ${sizeText(maxWholeBytes)} are not edited whole. Use shell, for example sed -i.`
      })
    const bytes = await readBytes(file, Number(stat.size))
    const reason = binaryReason(bytes)
    if (reason) throw notText(shown, reason, stat.size)
    const text = decodeStrictly(bytes)
    if (text === undefined) throw notText(shown, "is not valid UTF-8", stat.size)
    const mark = text.startsWith("\ufeff")
    return { text: mark ? text.slice(1) : text, mark, stamp: stampOf(stat) }
  })

const decodeStrictly = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The state of a file now; `undefined` if there is none. */
export const currentStamp = async (real: string): Promise<Stamp | undefined> => {
  try {
    return stampOf(await lstat(real, { bigint: true }))
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined
    throw error
  }
}

/**
 * Replaces a file in one moment: readers see the old content or the new, also after a crash. Mode and owner stay.
 * `expected` is the state that is replaced, `undefined` where there should be none; another one is left alone.
 */
export const replaceFile = async (
  real: string,
  shown: string,
  content: string,
  expected: Stamp | undefined,
  signal: AbortSignal
): Promise<Stamp> => {
  const before = expected === undefined ? undefined : await lstat(real)
  const temporary = join(dirname(real), temporaryName(basename(real)))
  const file = await open(temporary, "wx", 0o666)
  try {
    try {
      await file.writeFile(content, { signal })
      if (before) {
        await keepOwner(file, before)
        await file.chmod(before.mode & 0o7777)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    signal.throwIfAborted()
    if ((await currentStamp(real)) !== expected) throw changedMeanwhile(shown)
    await rename(temporary, real)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return stampOf(await lstat(real, { bigint: true }))
}

/** Short enough beside the longest name that a file may have. */
const temporaryName = (name: string) => `.${name.slice(0, 40)}.${newId("sh").slice(3)}.tmp`

const keepOwner = async (file: FileHandle, before: { readonly uid: number; readonly gid: number }) => {
  const { uid, gid } = await file.stat()
  if (uid === before.uid && gid === before.gid) return
  try {
    await file.chown(before.uid, before.gid)
  } catch (error) {
    // Only root gives files away; the content matters more than whose it is.
    if (errorCode(error) !== "EPERM") throw error
  }
}

/** The file is not what the session knows. */
export const changedMeanwhile = (shown: string) =>
  new ToolFailed({ message: `${shown} changed since this session read it. Read it again, then repeat.` })
