/** Where this server keeps what is not in its database: one folder a session, and in it one a monitor or shell. */
import { Context, Effect, Layer } from "effect"
import { mkdirSync, readdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"

export class StateDirectory extends Context.Service<
  StateDirectory,
  {
    readonly path: string
    /** A folder of a session's monitor or shell. Ids are letters and digits: they stay inside. */
    folder(sessionID: string, id: string): string
    remove(sessionID: string, id: string): Effect.Effect<void>
    removeSession(sessionID: string): Effect.Effect<void>
    /** Sessions that have a folder. */
    readonly sessions: Effect.Effect<ReadonlyArray<string>>
  }
>()("core/StateDirectory") {
  /** Makes the directory, for its user alone. */
  static readonly layer = (path: string) =>
    Layer.sync(StateDirectory, () => {
      const root = join(path, "sessions")
      mkdirSync(root, { recursive: true, mode: 0o700 })
      const gone = (folder: string) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
      return StateDirectory.of({
        path,
        folder: (sessionID, id) => join(root, sessionID, id),
        remove: (sessionID, id) => gone(join(root, sessionID, id)),
        removeSession: (sessionID) => gone(join(root, sessionID)),
        sessions: Effect.sync(() => readdirSync(root))
      })
    })
}
