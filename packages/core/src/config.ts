/**
 * `vigil.json`: defaults, then the user's file, then the one in the session's directory.
 *
 * Files are read when they are asked for and kept until they change, so that an edit counts at once. Who reads a
 * file that says something wrong gets all of it as one error, never half a configuration.
 */
import { constants, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { type Config, type ConfigFile, type ConfigInvalid } from "@vigil/schema/config"
import { Context, Effect, type Exit, Layer } from "effect"
import { configInvalid, maxFileLength, parseFile } from "./config/file.ts"
import { type Effective, type Ignored, merge } from "./config/merge.ts"
import { Trust } from "./trust.ts"

export interface SettingsOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  /** Whether the user trusts what a project's file says. Nothing is trusted by default. */
  readonly trusted?: (directory: string, content: string) => Effect.Effect<boolean>
}

/** A project's own file, as it was read once. */
export interface ProjectFile {
  readonly file: string
  readonly text: string
  readonly content: ConfigFile
  readonly trusted: boolean
  /** What of it counts only where it is trusted. */
  readonly loosens: ReadonlyArray<Ignored>
}

/** Any part of the configuration. */
export type ConfigOverrides = { readonly [Key in keyof Config]?: Partial<Config[Key]> }

export class Settings extends Context.Service<
  Settings,
  {
    /** What holds in a session of this directory. */
    for(directory: string): Effect.Effect<Config, ConfigInvalid>
    /** What holds outside any project. */
    readonly user: Effect.Effect<Config, ConfigInvalid>
    /** What holds in a directory, where each value comes from, and what of the project's file does not count. */
    effective(directory: string): Effect.Effect<Effective, ConfigInvalid>
    /** The file of a directory itself, if there is one. To trust it is to trust `text`, whatever becomes of the file. */
    project(directory: string): Effect.Effect<ProjectFile | undefined, ConfigInvalid>
    /** The user's own file, which may not be there. */
    readonly userFile: string
  }
>()("core/Settings") {
  static readonly layer = (options: SettingsOptions = {}) =>
    Layer.sync(Settings, () => {
      const { env = process.env, home = homedir(), trusted = () => Effect.succeed(false) } = options
      const read = reader()
      const userDirectory = join(configHome(env, home), "vigil")

      const user = Effect.gen(function* () {
        return merge(yield* read(userDirectory)).config
      })

      const both = Effect.fnUntraced(function* (directory: string) {
        const mine = yield* read(userDirectory)
        const found = directory === userDirectory ? undefined : yield* read(directory)
        return { mine, found: found && { ...found, trusted: yield* trusted(directory, found.text) } }
      })

      const effective = Effect.fn("Settings.effective")(function* (directory: string) {
        const { mine, found } = yield* both(directory)
        return merge(mine, found)
      })

      const project = Effect.fn("Settings.project")(function* (directory: string) {
        const { mine, found } = yield* both(directory)
        if (!found) return undefined
        const never = new Set(merge(mine, { ...found, trusted: true }).ignored.map(({ key }) => key))
        const { ignored } = merge(mine, { ...found, trusted: false })
        return { ...found, loosens: ignored.filter(({ key }) => !never.has(key)) }
      })

      return Settings.of({
        for: (directory) => Effect.map(effective(directory), ({ config }) => config),
        user,
        effective,
        project,
        userFile: join(userDirectory, names[0]!)
      })
    })

  /** With what the user trusted through `vigil trust`. */
  static readonly layerTrusting = (options: SettingsOptions = {}) =>
    Layer.unwrap(Effect.map(Trust, ({ trusted }) => Settings.layer({ trusted, ...options })))

  /** The defaults, changed by `overrides`, whatever the directory. */
  static readonly layerTest = (overrides: ConfigOverrides = {}) => {
    const config = merge({ file: "test", content: overrides as ConfigFile }).config
    return Layer.succeed(
      Settings,
      Settings.of({
        for: () => Effect.succeed(config),
        user: Effect.succeed(config),
        effective: () => Effect.succeed({ config, origins: {}, ignored: [] }),
        project: () => Effect.undefined,
        userFile: "test"
      })
    )
  }
}

/** Where a user's configuration lives, which is not a place that depends on where Vigil was started. */
const configHome = (env: Readonly<Record<string, string | undefined>>, home: string) => {
  const xdg = env["XDG_CONFIG_HOME"]
  return xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, ".config")
}

interface Read {
  readonly file: string
  readonly text: string
  readonly content: ConfigFile
}

const names = ["vigil.json", "vigil.jsonc"]
const maxCached = 256
const maxFileBytes = maxFileLength * 4

/** Reads the configuration file of a folder, if there is one, again only when it changed. */
const reader = () => {
  const cache = new Map<
    string,
    { readonly version: string; readonly text: string; readonly parsed: Parsed }
  >()

  const load = Effect.fnUntraced(function* (file: string) {
    const facts = yield* look(file)
    if (facts === undefined) return undefined
    const known = cache.get(file)
    if (known?.version === facts.version) return known
    const bytes = yield* Effect.tryPromise({
      try: () => head(file, maxFileBytes + 1),
      catch: (error) => unreadable(file, sentenceOf(error))
    })
    if (bytes === undefined) return yield* unreadable(file, "It can't be read: it is no regular file")
    if (bytes.length > maxFileBytes) return yield* unreadable(file, "The file is too large")
    const text = bytes.toString("utf8")
    const loaded = { version: facts.version, text, parsed: parseFile(file, text) }
    cache.delete(file)
    cache.set(file, loaded)
    if (cache.size > maxCached) cache.delete(cache.keys().next().value!)
    return loaded
  })

  return Effect.fnUntraced(function* (folder: string): Effect.fn.Return<Read | undefined, ConfigInvalid> {
    const found: Array<Read> = []
    for (const name of names) {
      const file = join(folder, name)
      const loaded = yield* load(file)
      if (loaded) found.push({ file, text: loaded.text, content: yield* loaded.parsed })
    }
    const [first, second] = found
    if (second) return yield* unreadable(second.file, `There is ${first!.file} as well; keep one of them`)
    return first
  })
}

/**
 * The first bytes of a file; undefined where it is none. A repository may hold a link to a pipe or device: nothing is
 * waited for, and no more is read than asked for.
 */
const head = async (file: string, bytes: number): Promise<Buffer | undefined> => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) return undefined
    const parts: Array<Buffer> = []
    for (let left = bytes; left > 0;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(left, 65_536)))
      if (bytesRead === 0) break
      parts.push(buffer.subarray(0, bytesRead))
      left -= bytesRead
    }
    return Buffer.concat(parts)
  } finally {
    await handle.close()
  }
}

type Parsed = Exit.Exit<ConfigFile, ConfigInvalid>

/**
 * What tells one version of a file from the next; undefined if there is none. Every step of a turn asks several times,
 * and a look takes 2 µs at once, but a fifth of a millisecond by way of another thread.
 */
const look = (file: string) =>
  Effect.try({
    try: () => {
      try {
        const found = statSync(file, { throwIfNoEntry: false })
        return found && { version: [found.size, found.mtimeMs, found.ctimeMs, found.ino].join(" ") }
      } catch (error) {
        if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined
        throw error
      }
    },
    catch: (error) => unreadable(file, sentenceOf(error))
  })

const unreadable = (file: string, message: string) =>
  configInvalid(file, [{ line: 1, column: 1, key: "", message }])

const sentenceOf = (error: unknown) =>
  `It can't be read: ${error instanceof Error ? error.message : String(error)}`
