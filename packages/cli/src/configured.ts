/** What holds in a directory, and the keys there are: looked at without owning anything, and nothing is made. */
import { Auth } from "@vigil/core/auth"
import { Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { Kv } from "@vigil/core/kv"
import { Trust } from "@vigil/core/trust"
import { Effect, Layer } from "effect"
import { Flag } from "effect/cli"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { inStateDirectory } from "./contained.ts"
import { Failed } from "./failed.ts"
import { exitCodes } from "./signals.ts"
import { databaseFile } from "./stored.ts"

/** Whose settings are meant, else those of the current directory. */
export const dirFlag = Flag.String("dir").pipe(
  Flag.withAlias("C"),
  Flag.withMetavar("DIR"),
  Flag.withDescription("The directory; else the current one"),
  Flag.withDefault(".")
)

/** Absolute, and a directory. */
export const existingDirectory = (given: string) =>
  Effect.suspend(() => {
    const directory = resolve(given)
    return statSync(directory, { throwIfNoEntry: false })?.isDirectory()
      ? Effect.succeed(directory)
      : Effect.fail(new Failed({ code: exitCodes.failed, message: `There is no directory ${directory}` }))
  })

/** Before there is a database, nothing is trusted. */
export const settingsLayer = (stateDir: string) => {
  const path = databaseFile(stateDir)
  return existsSync(path)
    ? Settings.layerTrusting().pipe(
        Layer.provide(Trust.layer),
        Layer.provide(Kv.layer),
        Layer.provide(Database.layer({ path, readonly: true }))
      )
    : Settings.layer()
}

export const withSettings = <A, E, R>(use: (stateDir: string) => Effect.Effect<A, E, R>) =>
  inStateDirectory((stateDir) =>
    Effect.provide(
      Effect.suspend(() => use(stateDir)),
      Layer.merge(
        Layer.suspend(() => settingsLayer(stateDir)),
        Auth.layer(stateDir)
      )
    )
  )
