/**
 * `LIVE_MODEL=provider/model node scripts/bun.mjs scripts/live.ts [story] [queue] [stop]`: does a real model do the main job?
 *
 * The model's key is in the environment, or where `vigil auth` keeps it. It is asked a few dozen times, in folders of
 * its own. Prints what it did; exits 1 where something that should have happened did not.
 */
import type { Event } from "@vigil/schema/event-manifest"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { firstLine } from "../view/fault.ts"
import { type Check, checks } from "../demo/facts.ts"
import type { PlayOptions } from "../demo/play.ts"
import { story } from "../demo/story.ts"
import { costOf } from "../demo/summary.ts"
import { survivorsOf } from "../demo/survivors.ts"
import { timeline } from "../demo/timeline.ts"
import { logFileLayer } from "../log-file.ts"
import { Screen } from "../screen.ts"
import { count, duration } from "../view/quantity.ts"
import { play } from "./play.ts"
import { scenes } from "./scenes.ts"

interface Act {
  readonly name: string
  readonly events: (options: PlayOptions) => Effect.Effect<ReadonlyArray<Event>, unknown>
  readonly checks: (events: ReadonlyArray<Event>, survivors: number) => ReadonlyArray<Check>
}

const acts: ReadonlyArray<Act> = [
  {
    name: "story",
    events: story,
    checks: (events, survivors) => checks({ events, survivors, scripted: false, requests: 0 })
  },
  ...scenes.map((scene) => ({
    name: scene.name,
    events: (options: PlayOptions) => play(scene, options),
    checks: scene.checks
  }))
]

const perform = Effect.fn("perform")(function* (act: Act, folder: string, model: string) {
  const { print, stdout } = yield* Screen
  const { paint } = stdout
  const startedAt = performance.now()
  const { lines } = timeline(paint)
  const events: Array<Event> = []
  yield* print(paint.bold(`\n${act.name}`))
  mkdirSync(folder)
  const exit = yield* Effect.exit(
    act.events({
      folder,
      model,
      env: process.env,
      home: homedir(),
      maxMs: 600_000,
      hear: (event) =>
        Effect.andThen(
          Effect.sync(() => events.push(event)),
          Effect.forEach(lines(event, performance.now() - startedAt), print, { discard: true })
        )
    })
  )
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
  if (Exit.isFailure(exit)) yield* print(paint.red(`failed: ${firstLine(Cause.squash(exit.cause))}`))
  // Looked at once everything is closed: by now nothing may be left.
  const found = act.checks(events, survivorsOf(events))
  for (const { what, ok } of found) yield* print(`${ok ? paint.green("✓") : paint.red("✗")} ${what}`)
  const { requests, inputTokens, outputTokens } = costOf(events, 0)
  yield* print(
    paint.dim(
      `${duration(performance.now() - startedAt)}, ${count(requests, "model request")}, ${count(inputTokens, "token")} in, ${count(outputTokens, "token")} out`
    )
  )
  return Exit.isSuccess(exit) && found.every(({ ok }) => ok)
})

const chosen = (names: ReadonlyArray<string>): ReadonlyArray<Act> => {
  const unknown = names.find((name) => !acts.some((act) => act.name === name))
  if (unknown !== undefined) refuse(`there is no ${unknown}`)
  return acts.filter(({ name }) => names.length === 0 || names.includes(name))
}

const refuse = (why: string): never => {
  console.error(`live: ${why}`)
  console.error(
    `Usage: LIVE_MODEL=provider/model node scripts/bun.mjs scripts/live.ts [${acts.map(({ name }) => name).join("] [")}]`
  )
  process.exit(2)
}

const model = process.env["LIVE_MODEL"] ?? refuse("LIVE_MODEL names no model")
const wanted = chosen(process.argv.slice(2))
const root = mkdtempSync(join(tmpdir(), "vigil-live-"))
const fiber = Effect.runFork(
  Effect.gen(function* () {
    const { print, flush } = yield* Screen
    yield* print(`The model is ${model}.`)
    const done: Array<boolean> = []
    for (const act of wanted) done.push(yield* perform(act, join(root, act.name), model))
    const missed = wanted.filter((_, index) => !done[index]).map(({ name }) => name)
    yield* print(
      missed.length === 0 ? "\nAll of it happened." : `\nNot all of it happened: ${missed.join(", ")}.`
    )
    yield* flush
    return missed.length === 0 ? 0 : 1
  }).pipe(Effect.provide(Layer.provideMerge(logFileLayer(root), Screen.layer)))
)
process.once("SIGINT", () => fiber.interruptUnsafe())
process.once("SIGTERM", () => fiber.interruptUnsafe())

const exit = await Effect.runPromise(Fiber.await(fiber))
rmSync(root, { recursive: true, force: true })
process.exit(Exit.isSuccess(exit) ? exit.value : Cause.hasInterruptsOnly(exit.cause) ? 130 : 1)
