/** Opens the database of a state directory without owning it: nothing is written, whoever else uses it. */
import { Bus } from "@vigil/core/bus"
import { Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { Kv } from "@vigil/core/kv"
import { Permissions } from "@vigil/core/permission"
import { Sessions } from "@vigil/core/session"
import { StateDirectory } from "@vigil/core/state"
import { Trust } from "@vigil/core/trust"
import { Turns } from "@vigil/core/turn"
import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"

export const databaseFile = (stateDir: string) => join(stateDir, "vigil.db")

const layer = (stateDir: string) =>
  Layer.mergeAll(Sessions.layer, Permissions.layer, Turns.layer).pipe(
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Settings.layerTrusting()),
    Layer.provideMerge(Trust.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layer({ path: databaseFile(stateDir), readonly: true })),
    Layer.provideMerge(StateDirectory.layer(stateDir))
  )

export type Stored = Layer.Success<ReturnType<typeof layer>>

/** Where there is no database yet, there is nothing: `none`. */
export const readStored = <A, E, E2, R, R2>(
  stateDir: string,
  none: Effect.Effect<A, E2, R2>,
  read: Effect.Effect<A, E, R>
) =>
  Effect.suspend(
    (): Effect.Effect<A, E | E2 | Layer.Error<ReturnType<typeof layer>>, Exclude<R, Stored> | R2> =>
      existsSync(databaseFile(stateDir)) ? Effect.provide(read, layer(stateDir)) : none
  )
