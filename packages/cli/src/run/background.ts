/** What runs in the background of a session, as a run waits for it and ends it. */
import { BackgroundShells } from "@vigil/core/background"
import { Coordinator } from "@vigil/core/coordinator"
import { Jobs } from "@vigil/core/job"
import { Monitors } from "@vigil/core/monitor"
import type { Monitor } from "@vigil/schema/monitor"
import type { SessionId } from "@vigil/schema/session"
import type { Shell } from "@vigil/schema/shell"
import { Effect } from "effect"

export interface Ended {
  readonly monitors: ReadonlyArray<Monitor>
  readonly shells: ReadonlyArray<Shell>
}

/** Until nothing is active and every turn of its notices has ended. */
export const awaitEnd = Effect.fn("awaitEnd")(function* (sessionID: SessionId) {
  const coordinator = yield* Coordinator
  const jobs = yield* Jobs
  yield* coordinator.awaitIdle(sessionID)
  while ((yield* jobs.active(sessionID)).length > 0) {
    yield* jobs.awaitQuiet(sessionID)
    yield* coordinator.awaitIdle(sessionID)
  }
})

/** Stops, as the user, what is active, and what commands left running. Their notices wake nobody. */
export const stopBackground = Effect.fn("stopBackground")(function* (sessionID: SessionId) {
  const monitors = yield* Monitors
  const shells = yield* BackgroundShells
  const living = (yield* shells.list(sessionID)).filter(
    ({ status, background, survivors }) => (status === "running" && background) || survivors !== undefined
  )
  const [stopped] = yield* Effect.all(
    [
      monitors.stopAll(sessionID, "user"),
      Effect.forEach(living, ({ id }) => Effect.ignore(shells.stop(sessionID, id, "user")), {
        concurrency: "unbounded"
      })
    ],
    { concurrency: "unbounded" }
  )
  return {
    monitors: stopped.flatMap(({ monitor }) => monitor ?? []),
    shells: living.toReversed()
  } satisfies Ended
})

/** Stops until nothing is left: a turn that an event had woken meanwhile may have started more. */
export const endBackground = Effect.fn("endBackground")(function* (sessionID: SessionId) {
  const coordinator = yield* Coordinator
  const jobs = yield* Jobs
  const monitors = new Map<string, Monitor>()
  const shells = new Map<string, Shell>()
  do {
    const ended = yield* stopBackground(sessionID)
    for (const monitor of ended.monitors) monitors.set(monitor.id, monitor)
    for (const shell of ended.shells) shells.set(shell.id, shell)
    yield* coordinator.awaitIdle(sessionID)
  } while ((yield* jobs.active(sessionID)).length > 0)
  return { monitors: [...monitors.values()], shells: [...shells.values()] } satisfies Ended
})
