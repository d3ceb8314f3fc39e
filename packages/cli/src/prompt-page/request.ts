/** The sample's request as a provider receives it: rendered, encoded and sent by the code that does so for every session. */
import { live } from "@vigil/core/live"
import { renderPrompt } from "@vigil/core/prompt"
import { Provider } from "@vigil/core/provider"
import { Shell } from "@vigil/core/shell"
import { Tools } from "@vigil/core/tool"
import { startSimulation } from "@vigil/simulation/server"
import { Effect, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Format } from "./page.ts"
import { sample } from "./sample.ts"

const key = "no-key-needed"

/** The body of the request, parsed. */
export const sampleRequest = Effect.fn("sampleRequest")(function* (format: Format) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-prompt-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const simulation = yield* Effect.acquireRelease(
    Effect.sync(() => startSimulation({ script: () => "Seen.", key })),
    (simulation) => Effect.promise(() => simulation.stop())
  )
  const env = {
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: simulation.url,
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${simulation.url}/v1`
  }
  yield* Effect.gen(function* () {
    const { tools } = yield* (yield* Tools).snapshot
    const { name } = yield* Shell
    // The page is the same wherever it is written.
    const offered = [...tools.values()].map((tool) => ({
      ...tool,
      description: tool.description.replaceAll(`\`${name} -c\``, "`bash -c`")
    }))
    const model = `${format}/sample`
    const prompt = renderPrompt({ ...sample, model })
    yield* Stream.runDrain((yield* Provider).step({ model, prompt, tools: offered }))
  }).pipe(Effect.provide(live({ stateDir: join(home, "state"), env, home })))
  return simulation.requests[0]!.body
}, Effect.scoped)
