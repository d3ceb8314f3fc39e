/**
 * Keys that `vigil auth` keeps, in `vigil-auth.json` in the state directory: configuration folders are often shared or
 * kept in git, state is not.
 *
 * Only its user may read the file, or it is not used. It is read for each request, so that a changed key counts at
 * once, also in a server that runs.
 */
import { Database as Sqlite } from "bun:sqlite"
import { randomBytes } from "node:crypto"
import { constants, existsSync } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Context, Effect, Exit, Layer, Schema } from "effect"

const StoredKey = Schema.Struct({ key: Schema.NonEmptyString, addedAt: Schema.Int })
const AuthFile = Schema.Record(Schema.String, StoredKey)
export type AuthFile = typeof AuthFile.Type

/** The file can't be used, or the key or provider can't be stored. The message says how to mend it, and never a key. */
export class AuthUnusable extends Schema.TaggedError<AuthUnusable>()("AuthUnusable", {
  file: Schema.String,
  message: Schema.String
}) {}

/** Its name is told from every other file's: reading it is asked for, wherever it lies. */
export const authPath = (stateDir: string) => join(stateDir, "vigil-auth.json")

export class Auth extends Context.Service<
  Auth,
  {
    readonly file: string
    /** By provider; empty where nothing was stored. */
    readonly stored: Effect.Effect<AuthFile, AuthUnusable>
    /** The same for who asks a model: a file that can't be used has no keys, and says why. */
    readonly keys: Effect.Effect<{
      readonly keys: Readonly<Record<string, string>>
      readonly unusable?: string
    }>
    /** Takes the place of an earlier key. */
    login(provider: string, key: string): Effect.Effect<void, AuthUnusable>
    /** False where there was none. */
    logout(provider: string): Effect.Effect<boolean, AuthUnusable>
  }
>()("core/Auth") {
  static readonly layer = (stateDir: string) =>
    Layer.sync(Auth, () => {
      const file = authPath(stateDir)
      const unusable = (message: string) => new AuthUnusable({ file, message })
      const attempt = <A>(doing: string, work: () => Promise<A>) =>
        Effect.tryPromise({
          try: work,
          catch: (error) =>
            error instanceof AuthUnusable ? error : unusable(`${file} can't be ${doing}: ${sentence(error)}`)
        })

      const stored = Effect.gen(function* () {
        const text = yield* attempt("read", () => readPrivate(file, unusable))
        if (text === undefined) return {}
        const decoded = decode(text)
        if (Exit.isSuccess(decoded)) return decoded.value
        return yield* unusable(
          `${file} is damaged. Remove it, and store the keys again with vigil auth login.`
        )
      })

      const keys = Effect.match(stored, {
        onFailure: ({ message }) => ({ keys: {}, unusable: message }),
        onSuccess: (file) => ({
          keys: Object.fromEntries(Object.entries(file).map(([provider, { key }]) => [provider, key]))
        })
      })

      /** One after the other, whichever process it is. */
      const change = (edit: (before: AuthFile) => AuthFile | undefined) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* attempt("written", () => mkdir(stateDir, { recursive: true, mode: 0o700 }))
            yield* Effect.acquireRelease(
              Effect.suspend(() => {
                try {
                  return Effect.succeed(lock(stateDir))
                } catch (error) {
                  return Effect.fail(unusable(`${file} can't be written: ${sentence(error)}`))
                }
              }),
              (held) => Effect.sync(() => held.close())
            )
            const after = edit(yield* stored)
            if (after === undefined) return false
            yield* attempt("written", () => writePrivate(file, `${JSON.stringify(after, null, 2)}\n`))
            return true
          })
        )

      const login = Effect.fn("Auth.login")(function* (provider: string, given: string) {
        const key = given.trim()
        if (!providerName.test(provider)) {
          return yield* unusable(
            "A provider's name has letters, digits, dots, dashes and underscores, 64 at most."
          )
        }
        if (key === "") return yield* unusable("The key is empty.")
        if (key.length > maxKey || !/^[\x21-\x7e]+$/u.test(key)) {
          return yield* unusable(
            "This is no key: it has spaces or characters that no key has, or is too long."
          )
        }
        const addedAt = yield* Clock.currentTimeMillis
        const changed = yield* change((before) =>
          Object.keys(before).length >= maxProviders && !Object.hasOwn(before, provider)
            ? undefined
            : { ...before, [provider]: { key, addedAt } }
        )
        if (!changed)
          return yield* unusable(
            `${maxProviders} keys are stored already; take one out with vigil auth logout.`
          )
      })

      const logout = Effect.fn("Auth.logout")(function* (provider: string) {
        if (!Object.hasOwn(yield* stored, provider)) return false
        return yield* change((before) => {
          if (!Object.hasOwn(before, provider)) return undefined
          const { [provider]: _, ...rest } = before
          return rest
        })
      })

      return Auth.of({ file, stored, keys, login, logout })
    })
}

const providerName = /^[a-z0-9][a-z0-9._-]{0,63}$/iu
const maxKey = 4_096
const maxProviders = 100
const maxFileBytes = 1_048_576

/** Enough of a key to know it again, and too little to use it. */
export const maskedKey = (key: string): string => (key.length < 16 ? "…" : `…${key.slice(-4)}`)

const decode = Schema.decodeUnknownExit(Schema.fromJsonString(AuthFile))

const readPrivate = async (file: string, unusable: (message: string) => AuthUnusable) => {
  // Asked for each request, mostly of a file that never was: no other thread is needed to know.
  if (!existsSync(file)) return undefined
  // A pipe in its place must not be waited for.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > maxFileBytes) throw unusable(`${file} is no file of keys. Remove it.`)
    if (stat.uid !== process.getuid?.()) {
      throw unusable(`${file} belongs to another user, so its keys are not used. Remove it.`)
    }
    if ((stat.mode & 0o077) !== 0) {
      throw unusable(
        `${file} may be read by other users, so its keys are not used. Mend it with: chmod 600 '${file}'`
      )
    }
    return await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}

/** All of it or nothing, and never readable for others in between. */
const writePrivate = async (file: string, text: string) => {
  const draft = `${file}.${randomBytes(6).toString("hex")}`
  try {
    const handle = await open(draft, "wx", 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Dies with its process, so that nothing stale is left behind. */
const lock = (stateDir: string) => {
  const held = new Sqlite(join(stateDir, "auth.lock"), { create: true })
  try {
    held.run("PRAGMA busy_timeout = 5000")
    held.run("BEGIN EXCLUSIVE")
    return held
  } catch (error) {
    held.close()
    throw error
  }
}

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error))
