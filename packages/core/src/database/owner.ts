/** The one process that may write to a state directory. */
import { Database as Sqlite } from "bun:sqlite"
import { Effect, Schema, type Scope } from "effect"
import { join } from "node:path"

export class StateDirectoryOwned extends Schema.TaggedError<StateDirectoryOwned>()("StateDirectoryOwned", {
  stateDir: Schema.String,
  message: Schema.String
}) {}

/**
 * Owns `stateDir` until the scope closes. The lock is an exclusive transaction: it dies with its process,
 * however that dies, so nothing stale is ever left behind.
 */
export const ownStateDirectory = (stateDir: string): Effect.Effect<void, StateDirectoryOwned, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const path = join(stateDir, "owner.db")
      let lock: Sqlite | undefined
      try {
        lock = new Sqlite(path, { create: true })
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
