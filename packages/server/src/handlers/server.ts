/** The server itself: that it is there, and tickets to its feed. */
import { Bus } from "@vigil/core/bus"
import { Api } from "@vigil/protocol/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Tickets } from "../tickets.ts"

export interface ServerHandlersOptions {
  readonly version: string
  readonly startedAt: number
  readonly tickets: Tickets
}

export const serverHandlers = ({ version, startedAt, tickets }: ServerHandlersOptions) =>
  HttpApiBuilder.group(
    Api,
    "server",
    Effect.fnUntraced(function* (handlers) {
      const { storeID } = yield* Bus
      return handlers.handleAll({
        health: () => Effect.succeed({ version, startedAt, storeID }),
        ticket: () => tickets.issue
      })
    })
  )
