/** The demo from its prompt to its last event, with a CI run that begins when the agent sleeps. */
import type { Event } from "@vigil/schema/event-manifest"
import { Deferred, Effect } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { play, prepare, prompt } from "./ci.ts"
import { type PlayOptions, playPrompt } from "./play.ts"

/** The CI run begins when the agent has ended its turn, or after so long if it does not. */
const patienceMs = 20_000

/** Every event of the demo's session. Fails where a turn does, with its reason. */
export const story = Effect.fn("story")(function* (options: PlayOptions) {
  const directory = join(options.folder, "project")
  mkdirSync(directory)
  prepare(directory)
  const watched = yield* Deferred.make<void>()
  const idle = yield* Deferred.make<void>()
  const hear = Effect.fnUntraced(function* (event: Event) {
    yield* options.hear(event)
    if (event.type === "monitor.started") yield* Deferred.succeed(watched, undefined)
    if (event.type === "turn.ended" && (yield* Deferred.isDone(watched))) {
      yield* Deferred.succeed(idle, undefined)
    }
  })
  const ci = Effect.gen(function* () {
    yield* Deferred.await(watched)
    yield* Effect.timeoutOption(Deferred.await(idle), patienceMs)
    yield* play(directory)
  })
  yield* Effect.forkScoped(ci)
  return yield* playPrompt({ ...options, hear, directory, prompt })
}, Effect.scoped)
