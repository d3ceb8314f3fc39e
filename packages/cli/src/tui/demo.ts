/**
 * The demo model, on a server of its own with everything that it makes: all of it ends with the scope.
 *
 * A CI run begins anew for each session, once the agent has set up its watch and sleeps.
 */
import type { Event } from "@vigil/schema/event-manifest"
import { createClient } from "@vigil/sdk/client"
import type { Demo } from "@vigil/tui/tui"
import { Effect, FiberHandle } from "effect"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { askedRead } from "../asked.ts"
import { play, prepare } from "../demo/ci.ts"
import { followFeed } from "../feed.ts"

const key = "no-key-needed"
const hint = "Ask, for example: Watch CI run 42, and tell me what fails"

export const startDemo = Effect.fn("startDemo")(function* () {
  const { serve, startSimulation, demoScript } = yield* Effect.promise(load)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-demo-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const directory = join(folder, "project")
  mkdirSync(directory)
  const simulation = yield* Effect.acquireRelease(
    Effect.sync(() => startSimulation({ script: demoScript, key, models: ["scripted"] })),
    (running) => Effect.promise(() => running.stop())
  )
  const { url, token, edge } = yield* serve({
    stateDir: join(folder, "state"),
    // The scripted model stands in for the provider; the user's own settings do not count.
    env: {
      ...process.env,
      XDG_CONFIG_HOME: undefined,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: simulation.url
    },
    home: folder
  })
  const client = createClient({ baseUrl: url, token, fetch: edge.fetch })
  yield* Effect.forkScoped(Effect.ignore(runs(client, directory)))
  const demo: Demo = { client, model: "anthropic/scripted", directory, hint }
  return demo
})

/** Loaded where it is wanted. */
const load = async () => {
  const [{ serve }, { startSimulation }, { demoScript }] = await Promise.all([
    import("@vigil/server/serve"),
    import("@vigil/simulation/server"),
    import("@vigil/simulation/demo")
  ])
  return { serve, startSimulation, demoScript }
}

const runs = Effect.fnUntraced(function* (client: NonNullable<Demo["client"]>, directory: string) {
  const run = yield* FiberHandle.make()
  const { seq: after } = yield* askedRead<unknown>((signal) =>
    client.session.list({ query: { limit: 1 }, signal })
  )
  let isWatched = false
  const hear = Effect.fnUntraced(function* ({ type }: { readonly type: Event["type"] | "resync" }) {
    if (type === "session.created") {
      isWatched = false
      yield* FiberHandle.clear(run)
      rmSync(join(directory, "ci"), { recursive: true, force: true })
      prepare(directory)
    }
    if (type === "monitor.started") isWatched = true
    if (type === "turn.ended" && isWatched) {
      isWatched = false
      yield* FiberHandle.run(run, play(directory))
    }
  })
  yield* followFeed(client, { after, hear })
}, Effect.scoped)
