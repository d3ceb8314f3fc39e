/** Core's lower half by itself, on a database of its own, in this process. */
import { Bus } from "@vigil/core/bus"
import { type ConfigOverrides, Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { Inbox } from "@vigil/core/inbox"
import { Kv } from "@vigil/core/kv"
import { Sessions } from "@vigil/core/session"
import { StateDirectory } from "@vigil/core/state"
import { Feed } from "@vigil/server/feed"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** On the database of a server that does not run. */
export const lower = (stateDir: string, config: ConfigOverrides) =>
  Layer.mergeAll(Inbox.layer, Feed.layer).pipe(
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layer({ path: databaseIn(stateDir) })),
    Layer.provideMerge(Settings.layerTest(config)),
    Layer.provideMerge(StateDirectory.layer(stateDir))
  )

export type Lower = Layer.Success<ReturnType<typeof lower>>

export const databaseIn = (stateDir: string) => join(stateDir, "vigil.db")

/** In a folder that is removed behind it. */
export const withLower = <A>(
  work: (stateDir: string) => Effect.Effect<A, unknown, Lower>,
  config: ConfigOverrides = {}
): Promise<A> => {
  const stateDir = mkdtempSync(join(tmpdir(), "vigil-bench-"))
  return Effect.runPromise(
    Effect.suspend(() => work(stateDir)).pipe(Effect.orDie, Effect.provide(lower(stateDir, config)))
  ).finally(() => rmSync(stateDir, { recursive: true, force: true }))
}

/** Lets everything run that waits for no time. */
export const turn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))
