/** An edge over the whole of Vigil: real SQLite, real processes, a scripted model, and no port. */
import { live } from "@vigil/core/live"
import { Sessions } from "@vigil/core/session"
import type { Rule } from "@vigil/schema/permission"
import type { SessionId } from "@vigil/schema/session"
import type { Script } from "@vigil/simulation/script"
import { startSimulation } from "@vigil/simulation/server"
import { test } from "bun:test"
import { Context, Effect, Layer, Logger } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Edge, makeEdge } from "../../src/app.ts"
import { Feed } from "../../src/feed.ts"
import type { Services } from "../../src/routes.ts"

export const token = "correct-horse-battery"
export const origin = "http://vigil.test"
export const providerKey = "test-key-of-the-provider"

export interface EdgeWorld {
  readonly edge: Edge
  readonly stateDir: string
  readonly configFile: string
  /** A project, where sessions may be. */
  readonly directory: string
  readonly requests: () => number
  /** Lines of the log so far. */
  readonly logged: ReadonlyArray<string>
  /** As a client that knows the token. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
  /** Its body, where it went well. */
  readonly read: (path: string, init?: RequestInit) => Promise<any>
  readonly send: (method: string, path: string, body?: unknown) => Promise<Response>
  /** A session in the project. */
  readonly session: (rules?: ReadonlyArray<Rule>) => Promise<SessionId>
  /** With the services that the edge has. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
}

export interface EdgeWorldOptions {
  readonly script?: Script
  readonly config?: object
  /** Around the services. */
  readonly services?: (real: Layer.Layer<Services, unknown>) => Layer.Layer<Services, unknown>
}

export const allowAll: ReadonlyArray<Rule> = [{ action: "*", pattern: "*", effect: "allow" }]

export const makeEdgeWorld = Effect.fn("makeEdgeWorld")(function* (options: EdgeWorldOptions = {}) {
  const { script = () => "Done.", config = {}, services: around = (real) => real } = options
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-edge-"))),
    (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
  )
  const directory = join(home, "project")
  const configDir = join(home, ".config", "vigil")
  for (const folder of [directory, configDir]) mkdirSync(folder, { recursive: true })
  const model = yield* Effect.acquireRelease(
    Effect.sync(() => startSimulation({ script, key: providerKey })),
    (model) => Effect.promise(() => model.stop())
  )
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: providerKey, ANTHROPIC_BASE_URL: model.url }
  const configFile = join(configDir, "vigil.json")
  writeFileSync(
    configFile,
    JSON.stringify({ model: "anthropic/scripted", monitor: { killGraceMs: 50 }, ...config })
  )
  const stateDir = join(home, "state")
  const logged: Array<string> = []
  const logger = Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))
  let context: Context.Context<Services> | undefined
  const services = around(live({ stateDir, env, home, audience: Feed.layer })).pipe(
    Layer.tap((built) => Effect.sync(() => (context = built)))
  )
  const edge = yield* makeEdge(services, { token, hosts: [], origins: [origin], version: "1.2.3", env }).pipe(
    Effect.provide(Logger.layer([logger]))
  )
  const ask: EdgeWorld["ask"] = (path, { headers, ...init } = {}) =>
    edge.fetch(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(headers as Record<string, string>) }
      })
    )
  const run: EdgeWorld["run"] = Effect.runPromiseWith(context!)
  const world: EdgeWorld = {
    edge,
    stateDir,
    configFile,
    directory,
    requests: () => model.requests.length,
    logged,
    ask,
    read: async (path, init) => {
      const response = await ask(path, init)
      if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
      return response.json()
    },
    send: (method, path, body) =>
      ask(path, {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" }
        })
      }),
    session: (rules = allowAll) =>
      run(Sessions.use((sessions) => Effect.map(sessions.create({ directory, rules }), ({ id }) => id))),
    run
  }
  return world
})

/** One of the services in the place of the real one. */
export const changed =
  <Id extends Services, Shape>(service: Context.Service<Id, Shape>, change: (real: Shape) => Shape) =>
  (real: Layer.Layer<Services, unknown>) =>
    Layer.effectContext(
      Effect.contextWith((context: Context.Context<Services>) =>
        Effect.succeed(
          Context.add(context, service, change(Context.get(context as Context.Context<Id>, service)))
        )
      )
    ).pipe(Layer.provide(real))

/** A test with a world of its own. */
export const it = {
  edge: (name: string, body: (world: EdgeWorld) => Promise<void>, options?: EdgeWorldOptions) =>
    test(name, () =>
      Effect.runPromise(
        Effect.scoped(Effect.flatMap(makeEdgeWorld(options), (world) => Effect.promise(() => body(world))))
      )
    )
}
