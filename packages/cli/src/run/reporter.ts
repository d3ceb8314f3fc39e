/** Follows one session's events and shows them: as JSON lines, or as progress for people. */
import { Bus } from "@vigil/core/bus"
import type { Event } from "@vigil/schema/event-manifest"
import { Deferred, Effect, Stream, SubscriptionRef } from "effect"
import { Screen } from "../screen.ts"
import { noteText } from "../view/transcript.ts"
import { begin, type Progress, statusText, step } from "./progress.ts"

export interface Reporter {
  readonly progress: Effect.Effect<Progress>
  /** Until a turn has failed: its events wait for another prompt, so that nothing more will be read. */
  readonly failed: Effect.Effect<void>
  /** Until everything that has been stored so far was shown. */
  readonly caughtUp: Effect.Effect<void>
}

export interface ReporterOptions {
  /** Events behind this place. */
  readonly after: number
  readonly isOwn: (event: Event) => boolean
  readonly json: boolean
  /** Whether the run goes on while something is watched. */
  readonly waits: boolean
}

/** Reports while the scope is open. */
export const report = Effect.fn("report")(function* ({ after, isOwn, json, waits }: ReporterOptions) {
  const bus = yield* Bus
  const screen = yield* Screen
  const seen = yield* SubscriptionRef.make(after)
  const failed = yield* Deferred.make<void>()
  let progress = begin

  const show = Effect.fnUntraced(function* (event: Event) {
    const stepped = step(progress, event, waits)
    progress = stepped.progress
    if (json) yield* screen.print(JSON.stringify(event))
    else {
      for (const note of stepped.notes) yield* screen.tell(noteText(note, screen.stderr.paint))
      yield* screen.status(statusText(progress))
    }
    if (event.type === "turn.ended" && event.data.turn.outcome === "failed") {
      yield* Deferred.succeed(failed, undefined)
    }
  })

  yield* bus.follow(after).pipe(
    Stream.runForEach((event) =>
      Effect.andThen(isOwn(event) ? show(event) : Effect.void, SubscriptionRef.set(seen, event.seq))
    ),
    Effect.orDie,
    Effect.forkScoped
  )

  const caughtUp = Effect.gen(function* () {
    const head = yield* bus.head
    yield* SubscriptionRef.changes(seen).pipe(
      Stream.takeUntil((seq) => seq >= head),
      Stream.runDrain
    )
  })

  return {
    progress: Effect.sync(() => progress),
    failed: Deferred.await(failed),
    caughtUp
  } satisfies Reporter
})
