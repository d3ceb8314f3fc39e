/** The demo from its prompt to its last event: the real core, real processes, a model that is scripted or real. */
import { Bus } from "@vigil/core/bus"
import { Coordinator } from "@vigil/core/coordinator"
import { live } from "@vigil/core/live"
import { Sessions } from "@vigil/core/session"
import type { Event } from "@vigil/schema/event-manifest"
import { Deferred, Effect } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { awaitEnd } from "../run/background.ts"
import { followSession } from "../run/follow.ts"
import { play, prepare, prompt } from "./ci.ts"

export interface StoryOptions {
  /** An empty folder for everything. */
  readonly folder: string
  readonly model: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Past it the story is over as it stands. */
  readonly maxMs: number
  /** Whose vigil.json counts. */
  readonly home: string
  /** With each event as it happens. */
  readonly hear: (event: Event) => Effect.Effect<void>
}

/** The CI run begins when the agent has ended its turn, or after so long if it does not. */
const patienceMs = 20_000

/** Every event of the demo's session. Fails where a turn does, with its reason. */
export const story = Effect.fn("story")(function* (options: StoryOptions) {
  const { folder, model, env, home } = options
  const project = join(folder, "project")
  mkdirSync(project)
  prepare(project)
  return yield* Effect.gen(function* () {
    const bus = yield* Bus
    const coordinator = yield* Coordinator
    const events: Array<Event> = []
    const watched = yield* Deferred.make<void>()
    const idle = yield* Deferred.make<void>()
    const failed = yield* Deferred.make<never, Error>()
    const after = yield* bus.head
    const rules = [{ action: "*", pattern: "*", effect: "allow" }] as const
    const session = yield* (yield* Sessions).create({ directory: project, model, rules, unattended: true })

    const hear = Effect.fnUntraced(function* (event: Event) {
      events.push(event)
      yield* options.hear(event)
      if (event.type === "monitor.started") yield* Deferred.succeed(watched, undefined)
      if (event.type !== "turn.ended") return
      const { outcome, error = "The turn ended without an answer." } = event.data.turn
      if (outcome !== "completed") yield* Deferred.fail(failed, new Error(error))
      if (yield* Deferred.isDone(watched)) yield* Deferred.succeed(idle, undefined)
    })
    const { caughtUp } = yield* followSession({ after, sessionID: session.id, hear })
    const ci = Effect.gen(function* () {
      yield* Deferred.await(watched)
      yield* Effect.timeoutOption(Deferred.await(idle), patienceMs)
      yield* play(project)
    })
    yield* Effect.forkScoped(ci)

    yield* coordinator.prompt(session.id, { text: prompt })
    yield* awaitEnd(session.id).pipe(
      Effect.raceFirst(Deferred.await(failed)),
      Effect.timeoutOption(options.maxMs)
    )
    yield* caughtUp
    return events
  }).pipe(Effect.scoped, Effect.provide(live({ stateDir: join(folder, "state"), env, home })))
})
