/** Sessions: what is kept of them, what is said to them, and until when they are busy. */
import { Coordinator } from "@vigil/core/coordinator"
import { Database } from "@vigil/core/database"
import { Environments } from "@vigil/core/environment"
import { Sessions } from "@vigil/core/session"
import { Statuses } from "@vigil/core/status"
import { Api } from "@vigil/protocol/api"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { defaultLimit, pageOf } from "../page.ts"
import { reader } from "../reading.ts"

const defaultWaitMs = 30_000

export const sessionHandlers = HttpApiBuilder.group(
  Api,
  "session",
  Effect.fnUntraced(function* (handlers) {
    const { transaction } = yield* Database
    const sessions = yield* Sessions
    const statuses = yield* Statuses
    const coordinator = yield* Coordinator
    const environments = yield* Environments
    const reading = yield* reader

    return handlers.handleAll({
      list: ({ query: { after, limit = defaultLimit } }) =>
        reading(
          Effect.gen(function* () {
            const found = yield* sessions.page({ limit: limit + 1, ...(after !== undefined && { after }) })
            const page = pageOf(found, limit, ({ id }) => id)
            return { ...page, items: yield* Effect.forEach(page.items, statuses.info) }
          })
        ),
      create: ({ payload: { environment, ...draft } }) =>
        Effect.gen(function* () {
          const session = yield* sessions.create(draft)
          if (environment !== undefined) yield* environments.keep(session, environment)
          return yield* statuses.info(session)
        }).pipe(transaction),
      get: ({ params }) => reading(Effect.flatMap(sessions.get(params.sessionID), statuses.info)),
      update: Effect.fnUntraced(function* ({ params: { sessionID }, payload }) {
        const session = yield* sessions.update(sessionID, (before) => ({ ...before, ...payload }))
        // Events that wait for another model are looked at again.
        if (payload.model !== undefined) yield* coordinator.wake(sessionID)
        return yield* statuses.info(session)
      }),
      remove: ({ params }) => sessions.remove(params.sessionID),
      prompt: ({ params, payload }) => coordinator.prompt(params.sessionID, payload),
      interrupt: ({ params: { sessionID } }) =>
        Effect.andThen(sessions.get(sessionID), coordinator.interrupt(sessionID)),
      wait: Effect.fnUntraced(function* ({
        params: { sessionID },
        query: { until, timeoutMs = defaultWaitMs }
      }) {
        yield* sessions.get(sessionID)
        const reached = yield* Effect.timeoutOption(
          until === "idle" ? coordinator.awaitIdle(sessionID) : statuses.awaitQuiet(sessionID),
          timeoutMs
        )
        // It may have been deleted meanwhile.
        yield* sessions.get(sessionID)
        return { reached: Option.isSome(reached) }
      })
    })
  })
)
