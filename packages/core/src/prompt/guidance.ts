/**
 * `AGENTS.md`: what a user and a project say about how work is done.
 *
 * A project may be hostile, so its files are read within bounds, never from outside of its repository, and never
 * waited for; and they are put where a model sees whose words they are.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Effect } from "effect"
import { defang } from "../monitor/defang.ts"
import { cleanText } from "../monitor/lines.ts"
import { neutralDescription } from "../monitor/notice.ts"
import { fill } from "./fill.ts"
import label from "./guidance.txt" with { type: "text" }

export interface Guidance {
  readonly from: "user" | "project"
  /** As a project's is seen from the session's directory. */
  readonly file: string
  /** As it came; empty where it was not read. */
  readonly text: string
  /** What a reader should know of it: that it was cut, or why it was not read. */
  readonly remark?: string
}

/** In bytes, of one file and of all together: more is no guidance but reading matter. */
export const maxFileBytes = 32 * 1024
export const maxTotalBytes = 64 * 1024
/** Folders that are looked at, the nearest ones. */
const maxFolders = 32
const name = "AGENTS.md"

/**
 * The user's file, then those from the root of the repository down to the session's directory. In no repository it is
 * that directory's own file alone: what lies above may be anybody's. Where there are too many, the farthest go.
 */
export const readGuidance = Effect.fn("readGuidance")(function* (options: {
  readonly directory: string
  /** Where the user's settings lie. */
  readonly userDirectory: string | undefined
}) {
  const { directory, userDirectory } = options
  const found = readAll(directory, userDirectory)
  for (const { file, remark } of found)
    if (remark !== undefined)
      yield* Effect.logWarning(`${neutralDescription(file)} in ${directory}: ${remark}`)
  return found
})

/** The part of a system prompt that holds these files. */
export const guidanceText = (files: ReadonlyArray<Guidance>): string =>
  fill(label, { files: files.map(fileText).join("\n\n") })

const fileText = ({ from, file, text, remark }: Guidance): string =>
  [
    `<vigil-guidance from="${from}" file="${neutralDescription(file)}">`,
    ...(text === "" ? [] : [defang(cleanText(text)).trimEnd()]),
    ...(remark === undefined ? [] : [`(${remark})`]),
    "</vigil-guidance>"
  ].join("\n")

interface Place {
  readonly from: Guidance["from"]
  readonly path: string
  readonly file: string
  /** The directory that it may not lead out of. */
  readonly within?: string
}

/** A few small files once in a session's life, and none is waited for: not worth a turn that can be cut in between. */
const readAll = (directory: string, userDirectory: string | undefined): ReadonlyArray<Guidance> => {
  const folders = foldersOf(directory)
  const own: ReadonlyArray<Place> =
    userDirectory === undefined
      ? []
      : [{ from: "user", path: join(userDirectory, name), file: join(userDirectory, name) }]
  const projects = folders.slice(0, maxFolders).map((folder): Place => {
    const path = join(folder, name)
    return { from: "project", path, file: relative(folders[0]!, path), within: folders.at(-1)! }
  })
  let room = maxTotalBytes
  const seen = new Set<string>()
  const found: Array<Guidance> = []
  // Room goes to the user's file and to the nearest first.
  for (const place of [...own, ...projects]) {
    const guidance = readOne(place, Math.min(maxFileBytes, room), seen)
    if (guidance === undefined) continue
    room -= Buffer.byteLength(guidance.text)
    found.push(guidance)
  }
  const isUser = ({ from }: Guidance) => from === "user"
  return [...found.filter(isUser), ...found.filter((guidance) => !isUser(guidance)).toReversed()]
}

/** From the directory up to the root of its repository, as long as they are one owner's. None where it is gone. */
const foldersOf = (directory: string): ReadonlyArray<string> => {
  try {
    const start = realpathSync(directory)
    const { uid } = lstatSync(start)
    const folders = [start]
    for (let folder = start; !exists(join(folder, ".git")); folders.push(folder)) {
      const parent = dirname(folder)
      if (parent === folder || lstatSync(parent).uid !== uid) return [start]
      folder = parent
    }
    return folders
  } catch {
    return []
  }
}

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const readOne = (
  { from, path, file, within }: Place,
  room: number,
  seen: Set<string>
): Guidance | undefined => {
  const unread = (why: string): Guidance => ({ from, file, text: "", remark: `not read: ${why}` })
  try {
    const real = realpathSync(path)
    if (seen.has(real)) return undefined
    seen.add(real)
    if (within !== undefined && !isInside(within, real))
      return unread("it is a link that leaves the repository")
    // Not even opened: a device may do something.
    if (!lstatSync(real).isFile()) return unread("it is no regular file")
    if (room === 0) return unread(`these files have more than ${maxTotalBytes / 1024} KiB together`)
    const { bytes, size } = readHead(real, room)
    const cut = size > bytes.length
    const text = decode(bytes, cut)
    if (text === undefined) return unread("it is no UTF-8 text")
    if (text.trim() === "") return undefined
    const remark = cut ? `cut: ${bytes.length} of ${size} bytes stand here` : undefined
    return { from, file, text, ...(remark && { remark }) }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error"
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : unread(`the system refuses it (${code})`)
  }
}

const isInside = (directory: string, path: string) => directory === "/" || path.startsWith(`${directory}/`)

/** Neither follows a link nor waits for a pipe, also if it was put there a moment ago. */
const readHead = (real: string, maxBytes: number) => {
  const file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const buffer = new Uint8Array(maxBytes)
    const bytesRead = readSync(file, buffer, 0, maxBytes, 0)
    return { bytes: buffer.subarray(0, bytesRead), size: fstatSync(file).size }
  } finally {
    closeSync(file)
  }
}

/** A cut may fall within a character, which is no fault of the file. */
const decode = (bytes: Uint8Array, cut: boolean): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut })
  } catch {
    return undefined
  }
}
