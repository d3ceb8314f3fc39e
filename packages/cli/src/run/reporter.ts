/** Shows one session's events: as JSON lines, or as progress for people. */
import type { Event } from "@vigil/schema/event-manifest"
import type { Client } from "@vigil/sdk/client"
import { Deferred, Effect } from "effect"
import type { OwnerGone, Refused } from "../asked.ts"
import { Screen } from "../screen.ts"
import { noteText } from "../view/transcript.ts"
import { followSession } from "./follow.ts"
import { begin, type Progress, statusText, step } from "./progress.ts"

export interface Reporter {
  readonly progress: Effect.Effect<Progress>
  /** Until a turn has failed: its events wait for another prompt, so that nothing more will be read. */
  readonly failed: Effect.Effect<void>
  /** Until everything that has been stored so far was shown. */
  readonly caughtUp: Effect.Effect<void, OwnerGone | Refused>
}

export interface ReporterOptions {
  /** Events behind this place. */
  readonly after: number
  readonly sessionID: string
  readonly json: boolean
  /** Whether the run goes on while something is watched. */
  readonly waits: boolean
}

/** Reports while the scope is open. */
export const report = Effect.fn("report")(function* (
  client: Client,
  { after, sessionID, json, waits }: ReporterOptions
) {
  const screen = yield* Screen
  const failed = yield* Deferred.make<void>()
  let progress = begin

  const hear = Effect.fnUntraced(function* (event: Event) {
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

  const { caughtUp } = yield* followSession(client, { after, sessionID, hear })
  return {
    progress: Effect.sync(() => progress),
    failed: Deferred.await(failed),
    caughtUp
  } satisfies Reporter
})
