/** What was said in a session, its turns, and what it has not read yet. */
import { Inbox } from "@vigil/core/inbox"
import { Sessions } from "@vigil/core/session"
import { Turns } from "@vigil/core/turn"
import { Api } from "@vigil/protocol/api"
import type { MessageWithParts } from "@vigil/schema/message"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { defaultLimit, pageBefore, pageOf } from "../page.ts"
import { reader } from "../reading.ts"

export const messageHandlers = HttpApiBuilder.group(
  Api,
  "message",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    const reading = yield* reader
    return handlers.handleAll({
      list: ({ params: { sessionID }, query: { after, before, limit = defaultLimit } }) =>
        reading(
          Effect.gen(function* () {
            yield* sessions.get(sessionID)
            const found = yield* sessions.messages(sessionID, {
              limit: limit + 1,
              ...(after !== undefined && { after }),
              ...(before !== undefined && { before })
            })
            return before === undefined ? pageOf(found, limit, placeOf) : pageBefore(found, limit, placeOf)
          })
        )
    })
  })
)

export const turnHandlers = HttpApiBuilder.group(
  Api,
  "turn",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    const turns = yield* Turns
    const reading = yield* reader
    return handlers.handleAll({
      list: ({ params: { sessionID }, query: { limit = defaultLimit } }) =>
        reading(
          Effect.andThen(
            sessions.get(sessionID),
            Effect.map(turns.list(sessionID, limit), (items) => ({ items }))
          )
        )
    })
  })
)

export const inboxHandlers = HttpApiBuilder.group(
  Api,
  "inbox",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    const inbox = yield* Inbox
    const reading = yield* reader
    return handlers.handleAll({
      list: ({ params: { sessionID } }) =>
        reading(
          Effect.andThen(
            sessions.get(sessionID),
            Effect.map(inbox.pending(sessionID), (items) => ({ items }))
          )
        ),
      withdraw: ({ params: { sessionID, inputID } }) =>
        Effect.andThen(sessions.get(sessionID), inbox.withdraw(sessionID, inputID))
    })
  })
)

const placeOf = ({ seq }: MessageWithParts) => String(seq)
