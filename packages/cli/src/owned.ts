/** Writes to a state directory as its owner, without a server: no other vigil may run there meanwhile. */
import { Bus } from "@vigil/core/bus"
import { Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { ownStateDirectory } from "@vigil/core/database/owner"
import { Kv } from "@vigil/core/kv"
import { Permissions } from "@vigil/core/permission"
import { Trust } from "@vigil/core/trust"
import { Effect, Layer } from "effect"
import { inStateDirectory } from "./contained.ts"
import { makeStateDirectory } from "./state-directory.ts"
import { databaseFile } from "./stored.ts"

const layer = (stateDir: string) =>
  Permissions.layer.pipe(
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Settings.layerTrusting()),
    Layer.provideMerge(Trust.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layer({ path: databaseFile(stateDir) })),
    Layer.provideMerge(Layer.effectDiscard(ownStateDirectory(stateDir)))
  )

/** Fails at once where another process owns it. */
export const asOwner = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  inStateDirectory((stateDir) =>
    Effect.andThen(makeStateDirectory(stateDir), Effect.provide(use, layer(stateDir)))
  )
