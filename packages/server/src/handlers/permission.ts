/** Asks that wait for a person, what was answered for good, and trusted projects. */
import { Permissions } from "@vigil/core/permission"
import { Trust } from "@vigil/core/trust"
import { Api } from "@vigil/protocol/api"
import { BadRequest } from "@vigil/schema/refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { reader } from "../reading.ts"

export const permissionHandlers = HttpApiBuilder.group(
  Api,
  "permission",
  Effect.fnUntraced(function* (handlers) {
    const permissions = yield* Permissions
    const reading = yield* reader
    const saved = (directory: string) => Effect.map(permissions.saved(directory), (items) => ({ items }))
    return handlers.handleAll({
      list: ({ query: { session } }) =>
        reading(Effect.map(permissions.pending(session), (items) => ({ items }))),
      reply: ({ params: { askID }, payload }) =>
        Effect.as(permissions.reply(askID, payload), { askID, answer: payload.reply }),
      saved: ({ query: { directory } }) => reading(saved(directory)),
      forget: Effect.fnUntraced(function* ({ query: { directory, action, pattern } }) {
        if (action !== undefined && pattern !== undefined) {
          yield* permissions.forget(directory, { action, pattern })
        } else if (action === undefined && pattern === undefined) {
          yield* permissions.forget(directory)
        } else {
          return yield* new BadRequest({
            field: action === undefined ? "query.action" : "query.pattern",
            expected: "action and pattern together, or neither of them"
          })
        }
        return yield* saved(directory)
      })
    })
  })
)

export const trustHandlers = HttpApiBuilder.group(
  Api,
  "trust",
  Effect.fnUntraced(function* (handlers) {
    const trust = yield* Trust
    const reading = yield* reader
    return handlers.handleAll({
      list: () => reading(Effect.map(trust.list, (items) => ({ items }))),
      add: ({ payload: { directory, text } }) => trust.trust(directory, text),
      revoke: ({ query: { directory } }) => Effect.map(trust.revoke(directory), (revoked) => ({ revoked }))
    })
  })
)
