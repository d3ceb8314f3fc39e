/** The whole of Vigil on a scripted model: real processes, real SQLite, real wire formats. */
import { startSimulation } from "@vigil/simulation/server"
import type { Script } from "@vigil/simulation/script"
import { Rule } from "@vigil/schema/permission"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ConfigOverrides } from "../../src/config.ts"
import { live, type LiveOptions } from "../../src/live.ts"
import { Sessions } from "../../src/session.ts"
import { allowAll } from "./rules.ts"

export type Format = "anthropic" | "openai"

export interface WorldOptions {
  readonly format?: Format
  readonly config?: ConfigOverrides
  /** What the model refuses as too long, in tokens. */
  readonly contextWindow?: number
  readonly before?: LiveOptions["before"]
}

/** A temporary home, a project in it, a model, and servers that are started and ended on the same state. */
export const makeWorld = (
  script: Script,
  { format = "anthropic", config = {}, contextWindow, before }: WorldOptions = {}
) =>
  Effect.gen(function* () {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-world-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
    )
    const directory = join(home, "project")
    const configDir = join(home, ".config", "vigil")
    for (const folder of [directory, configDir])
      yield* Effect.promise(() => Bun.$`mkdir -p ${folder}`.quiet())
    const model = yield* Effect.acquireRelease(
      Effect.promise(async () =>
        startSimulation({ script, key: "test-key", ...(contextWindow && { contextWindow }) })
      ),
      (model) => Effect.promise(() => Promise.resolve(model.stop()))
    )
    const env = {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: model.url,
      OPENAI_API_KEY: "test-key",
      OPENAI_BASE_URL: `${model.url}/v1`
    }
    const name = format === "anthropic" ? "anthropic/scripted" : "openai/scripted"
    writeFileSync(join(configDir, "vigil.json"), JSON.stringify({ model: name, ...config }))
    const stateDir = join(home, "state")
    const server = (options: Partial<LiveOptions> = {}) =>
      live({ stateDir, env, home, ...(before && { before }), ...options })
    return { home, directory, stateDir, model, server, name, env }
  })

export { allowAll }

/** A session in the world's project that nobody is asked in. */
export const newSession = (directory: string, rules: ReadonlyArray<Rule> = allowAll) =>
  Sessions.use((sessions) => Effect.orDie(sessions.create({ directory, rules })))

export const local = <A, E, R, ROut, E2>(effect: Effect.Effect<A, E, R>, layer: Layer.Layer<ROut, E2>) =>
  Effect.provide(effect, layer, { local: true })
