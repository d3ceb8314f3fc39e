/** Writes to a state directory: through its owner, else as the owner that this process is for that moment. */
import { Bus } from "@vigil/core/bus"
import { Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { ownStateDirectory } from "@vigil/core/database/owner"
import { Kv } from "@vigil/core/kv"
import { Permissions } from "@vigil/core/permission"
import { Trust } from "@vigil/core/trust"
import type { Client } from "@vigil/sdk/client"
import { Effect, Layer, Option } from "effect"
import { inStateDirectory } from "./contained.ts"
import { findOwner } from "./owner.ts"
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

export interface Writing<A, E, R, E2, R2> {
  readonly through: (client: Client) => Effect.Effect<A, E, R>
  /** The same without a server, which would be much for a small record. */
  readonly here: Effect.Effect<A, E2, R2>
}

export const asOwner = <A, E, R, E2, R2>({ through, here }: Writing<A, E, R, E2, R2>) =>
  inStateDirectory((stateDir) =>
    Effect.gen(function* () {
      const owner = yield* findOwner(stateDir)
      if (Option.isSome(owner)) return yield* through(owner.value.client)
      yield* makeStateDirectory(stateDir)
      return yield* Effect.provide(here, layer(stateDir))
    })
  )
