/** The one process that may write to a state directory. */
import { Database as Sqlite } from "bun:sqlite"
import { Effect, Schema } from "effect"
import { join } from "node:path"

export class StateDirectoryOwned extends Schema.TaggedError<StateDirectoryOwned>()("StateDirectoryOwned", {
  stateDir: Schema.String,
  message: Schema.String
}) {}

/**
 * Owns `stateDir` until the scope closes. The lock is an exclusive transaction: it dies with its process,
 * however that dies, so nothing stale is ever left behind.
 */
export const ownStateDirectory = (stateDir: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const lock = new Sqlite(join(stateDir, "owner.db"), { create: true })
        try {
          lock.run("BEGIN EXCLUSIVE")
          return lock
        } catch (cause) {
          lock.close()
          throw cause
        }
      },
      catch: (cause) => cause
    }).pipe(
      Effect.catch((cause) =>
        isBusy(cause)
          ? Effect.fail(
              new StateDirectoryOwned({
                stateDir,
                message: `Another vigil process uses ${stateDir}. Wait until it has ended, or name another directory with --state-dir.`
              })
            )
          : Effect.die(cause)
      )
    ),
    (lock) => Effect.sync(() => lock.close())
  )

const isBusy = (cause: unknown) =>
  typeof cause === "object" &&
  cause !== null &&
  "code" in cause &&
  String(cause.code).startsWith("SQLITE_BUSY")
