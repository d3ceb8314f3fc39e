/** Everything that `vigil doctor` looks at, in the order in which it would be mended. */
import { Auth } from "@vigil/core/auth"
import { Effect, Layer } from "effect"
import { settingsLayer } from "../configured.ts"
import type { Check } from "./check.ts"
import * as Machine from "./machine.ts"
import { plugins } from "./plugins.ts"
import * as Settings from "./settings.ts"
import * as State from "./state.ts"

export interface Examination {
  readonly stateDir: string
  readonly directory: string
  /** Whether providers are asked. */
  readonly online: boolean
}

export const examine = Effect.fn("doctor.examine")(function* (examination: Examination) {
  const { stateDir, directory, online } = examination
  const machine = [...Machine.versions(), Machine.shell(), Machine.parser(), yield* Machine.watchdog]
  const database = yield* State.database(stateDir)
  const state = [State.directory(stateDir), database, State.disk(stateDir)]
  // What is trusted stands in the database; without one nothing is.
  const place = database.status === "ok" ? stateDir : "/nowhere"
  const settings = yield* Effect.gen(function* () {
    return [
      ...(yield* Settings.files(directory)),
      yield* Settings.keys,
      ...(yield* Settings.models(directory, online)),
      ...(yield* plugins)
    ]
  }).pipe(Effect.provide(Layer.merge(settingsLayer(place), Auth.layer(stateDir))))
  return [...machine, ...state, ...settings] as ReadonlyArray<Check>
}, Effect.provide(Machine.shellLayer))
