/** A session of a whole server with a scripted model, real processes and a real wire format. */
import type { Rule } from "@vigil/schema/permission"
import type { Session } from "@vigil/schema/session"
import type { Script } from "@vigil/simulation/script"
import type { Simulation } from "@vigil/simulation/server"
import { expect } from "bun:test"
import { Effect, type Layer, type Scope } from "effect"
import type { live } from "../../src/live.ts"
import { Sessions } from "../../src/session.ts"
import { allowAll } from "./rules.ts"
import { local, makeWorld, type WorldOptions } from "./world.ts"

export interface Life {
  readonly session: Session
  readonly directory: string
  readonly model: Simulation
}

type Server = Layer.Success<ReturnType<typeof live<never>>>
export type Living = (life: Life) => Effect.Effect<void, unknown, Server | Scope.Scope>

export interface LifeOptions extends WorldOptions {
  /** Everything is allowed where none are given. */
  readonly rules?: ReadonlyArray<Rule>
  readonly unattended?: boolean
}

/** Lives it; then no request may have been one that a provider refuses. */
export const lived = (
  script: Script,
  { rules = allowAll, unattended = false, ...options }: LifeOptions,
  live: Living
) =>
  Effect.gen(function* () {
    const { directory, model, server } = yield* makeWorld(script, options)
    yield* local(
      Effect.gen(function* () {
        const session = yield* (yield* Sessions).create({ directory, rules, unattended })
        yield* live({ session, directory, model })
      }),
      server()
    )
    expect(model.requests.filter(({ status }) => status === 400).map(({ refusal }) => refusal)).toEqual([])
  })
