/**
 * The main job, to be watched: an agent writes a CI watcher, sleeps, is woken, and reports.
 *
 *   npm run demo                                    a scripted model; no key, about ten seconds
 *   npm run demo -- --model anthropic/claude-…      a real one, with its key in the environment
 *
 * Exits 1 and says what did not happen, if anything did not.
 */
import { demoScript } from "@vigil/simulation/demo"
import { type Simulation, startSimulation } from "@vigil/simulation/server"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { firstLine } from "../view/fault.ts"
import { logFileLayer } from "../log-file.ts"
import { Screen } from "../screen.ts"
import { wrapped } from "../view/table.ts"
import { checks } from "./facts.ts"
import { story } from "./story.ts"
import { costOf, summaryText } from "./summary.ts"
import { survivorsOf } from "./survivors.ts"
import { columnsAtMost, timeline } from "./timeline.ts"

const demo = Effect.fn("demo")(function* (folder: string, model: string | undefined) {
  const screen = yield* Screen
  const { paint } = screen.stdout
  const columns = Math.min(columnsAtMost, screen.stdout.columns ?? columnsAtMost)
  const simulation = model === undefined ? yield* scripted : undefined
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const { lines } = timeline(paint, columns)
  const print = (all: ReadonlyArray<string>) =>
    Effect.forEach(all, (line) => screen.print(line), { discard: true })

  yield* print([
    ...wrapped(
      simulation
        ? "The model is scripted; the agent, its tools and its processes are real."
        : `The model is ${model}.`,
      columns
    ).map(paint.dim),
    ""
  ])
  const events = yield* story({
    folder,
    hear: (event) => print(lines(event, elapsed())),
    ...(simulation
      ? { model: "anthropic/scripted", env: environment(simulation), home: folder, maxMs: 45_000 }
      : { model: model!, env: process.env, home: homedir(), maxMs: 600_000 })
  })
  const took = elapsed()
  // Looked at once everything is closed: by now nothing may be left.
  const survivors = survivorsOf(events)
  const found = checks({
    events,
    survivors,
    scripted: simulation !== undefined,
    requests: simulation?.requests.length ?? 0
  })
  yield* print(["", ...summaryText(costOf(events, took), found, paint, columns)])
  const missing = found.filter(({ ok }) => !ok)
  for (const { what } of missing) {
    yield* screen.tell(screen.stderr.paint.red(`demo: this did not happen: ${what}`))
  }
  return missing.length === 0 ? 0 : 1
})

const scripted = Effect.acquireRelease(
  Effect.sync(() => startSimulation({ script: demoScript, key: "no-key-needed" })),
  (simulation) => Effect.promise(() => simulation.stop())
)

/** The scripted model stands in for the provider; the user's own settings do not count. */
const environment = ({ url }: Simulation) => ({
  ...process.env,
  XDG_CONFIG_HOME: undefined,
  ANTHROPIC_API_KEY: "no-key-needed",
  ANTHROPIC_BASE_URL: url
})

const modelOf = (args: ReadonlyArray<string>): string | undefined => {
  try {
    const { values } = parseArgs({ args: [...args], options: { model: { type: "string" } } })
    return values.model
  } catch (error) {
    console.error(`demo: ${(error as Error).message}`)
    console.error("Usage: npm run demo [-- --model provider/model]")
    process.exit(2)
  }
}

const model = modelOf(process.argv.slice(2))
const folder = mkdtempSync(join(tmpdir(), "vigil-demo-"))
const fiber = Effect.runFork(
  Effect.gen(function* () {
    const screen = yield* Screen
    const exit = yield* Effect.exit(Effect.scoped(demo(folder, model)))
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      yield* screen.tell(screen.stderr.paint.red(`demo: ${firstLine(Cause.squash(exit.cause))}`))
    }
    yield* screen.flush
    return Exit.isSuccess(exit) ? exit.value : 1
  }).pipe(Effect.provide(Layer.provideMerge(logFileLayer(folder), Screen.layer)))
)
let signalled: number | undefined
const stop = (code: number) => () => {
  if (signalled !== undefined) process.exit(code)
  signalled = code
  fiber.interruptUnsafe()
}
process.on("SIGINT", stop(130))
process.on("SIGTERM", stop(143))

const exit = await Effect.runPromise(Fiber.await(fiber))
rmSync(folder, { recursive: true, force: true })
process.exit(signalled ?? (Exit.isSuccess(exit) ? exit.value : 1))
