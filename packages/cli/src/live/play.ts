/** A scene from its prompt to its last event: the real core, real processes, a real model. */
import { Bus } from "@vigil/core/bus"
import { Coordinator } from "@vigil/core/coordinator"
import { live } from "@vigil/core/live"
import { Sessions } from "@vigil/core/session"
import type { Event } from "@vigil/schema/event-manifest"
import { Deferred, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StoryOptions } from "../demo/story.ts"
import { awaitEnd } from "../run/background.ts"
import { followSession } from "../run/follow.ts"
import type { Scene } from "./scenes.ts"

/** Every event of the scene's session. Fails where a turn does, with its reason. */
export const play = Effect.fn("play")(function* ({ files, prompt }: Scene, options: StoryOptions) {
  const { folder, model, env, home, maxMs } = options
  const directory = join(folder, "project")
  mkdirSync(directory, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return yield* Effect.gen(function* () {
    const coordinator = yield* Coordinator
    const events: Array<Event> = []
    const failed = yield* Deferred.make<never, Error>()
    const after = yield* (yield* Bus).head
    const rules = [{ action: "*", pattern: "*", effect: "allow" }] as const
    const session = yield* (yield* Sessions).create({ directory, model, rules, unattended: true })
    const hear = Effect.fnUntraced(function* (event: Event) {
      events.push(event)
      yield* options.hear(event)
      if (event.type !== "turn.ended" || event.data.turn.outcome === "completed") return
      yield* Deferred.fail(failed, new Error(event.data.turn.error ?? "The turn ended without an answer."))
    })
    const { caughtUp } = yield* followSession({ after, sessionID: session.id, hear })
    yield* coordinator.prompt(session.id, { text: prompt })
    yield* awaitEnd(session.id).pipe(Effect.raceFirst(Deferred.await(failed)), Effect.timeoutOption(maxMs))
    yield* caughtUp
    return events
  }).pipe(Effect.scoped, Effect.provide(live({ stateDir: join(folder, "state"), env, home })))
})
