/** The one process that may write to a state directory. */
import { Database as Sqlite } from "bun:sqlite"
import { Effect, Schema, type Scope } from "effect"
import { closeSync, existsSync, openSync } from "node:fs"
import { join } from "node:path"

export class StateDirectoryOwned extends Schema.TaggedError<StateDirectoryOwned>()("StateDirectoryOwned", {
  stateDir: Schema.String,
  message: Schema.String
}) {}

const lockFile = (stateDir: string) => join(stateDir, "owner.db")

/** Longer than a look takes, and far shorter than anybody owns. */
const lookMs = 1_000

/**
 * Owns `stateDir` until the scope closes. The lock is an exclusive transaction: it dies with its process,
 * however that dies, so nothing stale is ever left behind.
 */
export const ownStateDirectory = (stateDir: string): Effect.Effect<void, StateDirectoryOwned, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const path = lockFile(stateDir)
      let lock: Sqlite | undefined
      try {
        // For its user alone. One that is there must not be opened besides: closing it would give back its lock.
        if (!existsSync(path)) closeSync(openSync(path, "a", 0o600))
        lock = new Sqlite(path, { create: true })
        // Who only looks whether somebody owns it holds a shared lock for a moment.
        lock.run(`PRAGMA busy_timeout = ${lookMs}`)
        lock.run("BEGIN EXCLUSIVE")
        return Effect.succeed(lock)
      } catch (cause) {
        lock?.close()
        return isBusy(cause)
          ? Effect.fail(owned(stateDir))
          : Effect.die(new Error(`The lock ${path} can't be used`, { cause }))
      }
    }),
    (lock) => Effect.sync(() => lock.close())
  ).pipe(Effect.asVoid)

/** Whether a process owns `stateDir` now. Takes nothing and makes nothing. */
export const isOwned = (stateDir: string): Effect.Effect<boolean> =>
  Effect.sync(() => {
    const path = lockFile(stateDir)
    if (!existsSync(path)) return false
    let look: Sqlite | undefined
    try {
      look = new Sqlite(path, { readonly: true })
      look.query("SELECT 1 FROM sqlite_master").all()
      return false
    } catch (cause) {
      if (isBusy(cause)) return true
      throw new Error(`The lock ${path} can't be looked at`, { cause })
    } finally {
      look?.close()
    }
  })

const owned = (stateDir: string) =>
  new StateDirectoryOwned({
    stateDir,
    message: `Another vigil process uses ${stateDir}. Wait until it has ended, or name another directory with --state-dir.`
  })

const isBusy = (cause: unknown) =>
  typeof cause === "object" &&
  cause !== null &&
  "code" in cause &&
  String(cause.code).startsWith("SQLITE_BUSY")
