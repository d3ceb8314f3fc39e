/**
 * Where a path really leads, and what has to be permitted to go there.
 *
 * Symbolic links are followed before anything is decided, so neither `..` nor a link leads out of
 * the session's directory unseen. Tools work on the resolved path that was permitted, never on the one given.
 */
import { lstat, readlink, realpath } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import type { Subject } from "@vigil/schema/permission"
import { Effect } from "effect"
import type { Permissions } from "../permission.ts"
import { directorySubject, literal } from "../permission/rule.ts"
import { visiblePath } from "../prompt/path.ts"
import { ToolFailed, type ToolCall } from "../tool.ts"
import { errorCode, onFiles } from "./file-error.ts"
import { notRegular } from "./text-file.ts"

export interface Located {
  /** Absolute, without symbolic links. */
  readonly real: string
  /** Relative to the session's directory (`.` for itself), absolute outside of it. As it is held against rules. */
  readonly name: string
  /** `name` with hidden characters spelled out. */
  readonly shown: string
  readonly outside: boolean
  readonly kind: "file" | "directory" | "special" | "missing"
}

/** Follows `path`, seen from `directory`, through every symbolic link, also to what does not exist yet. */
export const locate = Effect.fnUntraced(function* (directory: string, path: string) {
  if (path.includes("\0"))
    return yield* new ToolFailed({ message: "The path holds a NUL character; no file has such a name." })
  return yield* onFiles(visiblePath(path), async (): Promise<Located> => {
    const root = await realpath(directory)
    const real = await follow(resolve(root, path), 0)
    const name = relative(root, real)
    const outside = name === ".." || name.startsWith("../") || isAbsolute(name)
    const held = outside ? real : name === "" ? "." : name
    return { real, name: held, shown: visiblePath(held), outside, kind: await kindOf(real) }
  })
})

const maxLinks = 40

const follow = async (path: string, links: number): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error
    const target = await readlink(path).catch(() => undefined)
    const parent = dirname(path)
    if (target !== undefined) {
      if (links >= maxLinks) throw error
      return follow(resolve(await follow(parent, links + 1), target), links + 1)
    }
    return parent === path ? path : join(await follow(parent, links), basename(path))
  }
}

const kindOf = async (real: string): Promise<Located["kind"]> => {
  try {
    const stat = await lstat(real)
    return stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "special"
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing"
    throw error
  }
}

/** What must be permitted: the action on the path itself, and outside of the session's directory that place as well. */
export const subjectsOf = (action: "read" | "edit", located: Located): ReadonlyArray<Subject> => {
  const { name, outside, real, kind } = located
  const parent = dirname(name)
  // A person who allows edits for good means the folder, as the pattern shows; at the top only that file.
  const folder = action === "edit" && parent !== "." && parent !== "/"
  const pattern = folder ? `${literal(parent)}/*` : literal(name)
  const subject: Subject = { action, value: name, pattern }
  return outside ? [subject, directorySubject(kind === "directory" ? real : dirname(real))] : [subject]
}

/** Locates a path and has the work on it permitted. What was asked for is what is returned; pipes and devices are refused. */
export const permitted = Effect.fnUntraced(function* (
  permissions: Permissions["Service"],
  call: ToolCall,
  request: {
    readonly tool: string
    readonly verb: string
    readonly action: "read" | "edit"
    readonly path: string
  }
) {
  const { directory } = call.session
  const located = yield* locate(directory, request.path)
  yield* permissions
    .require({
      session: call.session,
      tool: request.tool,
      callID: call.callID,
      title: `${request.verb} ${located.shown}`,
      subjects: [...subjectsOf(request.action, located)]
    })
    .pipe(
      Effect.catchTag("PermissionDenied", (denied) =>
        Effect.fail(new ToolFailed({ message: denied.message }))
      )
    )
  // An answer may take hours; a link that was turned meanwhile is not what was allowed.
  const now = yield* locate(directory, request.path)
  if (now.real !== located.real)
    return yield* new ToolFailed({
      message: `${located.shown} leads elsewhere since it was asked for; try again.`
    })
  // Not even opened: a pipe would wait for a writer, a device may do something.
  if (now.kind === "special") return yield* notRegular(now.shown)
  return now
})
