/** Monitors, as the user starts and stops them. Nothing is mapped: what core fails with is what the wire carries. */
import { Monitors } from "@vigil/core/monitor"
import { Sessions } from "@vigil/core/session"
import { Api } from "@vigil/protocol/api"
import { MonitorNotFound } from "@vigil/schema/monitor"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { reader } from "../reading.ts"

export const monitorHandlers = HttpApiBuilder.group(
  Api,
  "monitor",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    const monitors = yield* Monitors
    const reading = yield* reader
    return handlers.handleAll({
      all: ({ query: { status } }) =>
        reading(
          Effect.map(monitors.all, (all) => ({
            items: all.filter((monitor) => status === undefined || monitor.status === status)
          }))
        ),
      find: ({ params }) => reading(monitors.find(params.monitorID)),
      list: ({ params: { sessionID } }) =>
        reading(
          Effect.andThen(
            sessions.get(sessionID),
            Effect.map(monitors.list(sessionID), (items) => ({ items }))
          )
        ),
      start: ({ params, payload }) =>
        monitors
          .start(params.sessionID, { ...payload, startedBy: "user" })
          // Nobody is asked about what the user does.
          .pipe(Effect.catchTag("TurnRejected", Effect.die)),
      stopAll: ({ params: { sessionID } }) =>
        Effect.andThen(
          sessions.get(sessionID),
          Effect.map(monitors.stopAll(sessionID, "user"), (stopped) => ({
            items: stopped.flatMap(({ monitor }) => monitor ?? [])
          }))
        ),
      get: ({ params: { sessionID, monitorID } }) => reading(monitors.get(sessionID, monitorID)),
      stop: Effect.fnUntraced(function* ({ params: { sessionID, monitorID } }) {
        const { monitor } = yield* monitors.stop(sessionID, monitorID, "user")
        return monitor ?? (yield* new MonitorNotFound({ monitorID }))
      }),
      output: ({ params: { sessionID, monitorID }, query }) =>
        reading(monitors.output(sessionID, monitorID, query))
    })
  })
)
