/** Shell commands of sessions, in the background and in the foreground. */
import { BackgroundShells } from "@vigil/core/background"
import { Sessions } from "@vigil/core/session"
import { Api } from "@vigil/protocol/api"
import { ShellNotFound } from "@vigil/schema/shell"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { reader } from "../reading.ts"

export const shellHandlers = HttpApiBuilder.group(
  Api,
  "shell",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    const shells = yield* BackgroundShells
    const reading = yield* reader
    return handlers.handleAll({
      all: ({ query: { status } }) =>
        reading(
          Effect.map(shells.all, (all) => ({
            items: all.filter((shell) => status === undefined || shell.status === status)
          }))
        ),
      find: ({ params }) => reading(shells.find(params.shellID)),
      list: ({ params: { sessionID } }) =>
        reading(
          Effect.andThen(
            sessions.get(sessionID),
            Effect.map(shells.list(sessionID), (items) => ({ items }))
          )
        ),
      get: ({ params: { sessionID, shellID } }) => reading(shells.get(sessionID, shellID)),
      stop: Effect.fnUntraced(function* ({ params: { sessionID, shellID } }) {
        const { shell } = yield* shells.stop(sessionID, shellID, "user")
        return shell ?? (yield* new ShellNotFound({ shellID }))
      }),
      background: ({ params: { sessionID, shellID } }) => shells.moveToBackground(sessionID, shellID),
      output: ({ params: { sessionID, shellID }, query }) => reading(shells.output(sessionID, shellID, query))
    })
  })
)
