/** The feed: what stands in front of the stream. */
import { EventGroup } from "@vigil/protocol/server"
import { Refusals } from "@vigil/protocol/refusals"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import type { Attendance } from "../attendance.ts"
import { Feed } from "../feed.ts"

/** Apart from the handled groups, since its answer is bytes that were made once for all clients. */
export const Following = HttpApi.make("vigil")
  .add(EventGroup)
  .middleware(Refusals)
  .prefix("/api")
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})

export const eventHandlers = (attendance: Attendance) =>
  HttpApiBuilder.group(
    Following,
    "event",
    Effect.fnUntraced(function* (handlers) {
      const feed = yield* Feed
      return handlers.handleAll({
        follow: Effect.fnUntraced(function* ({ headers: { "last-event-id": last }, query }) {
          const after = last ?? query.after
          const stream = yield* feed.open({
            ...(after !== undefined && { after }),
            ...(query.store !== undefined && { storeID: query.store }),
            ...(query.session !== undefined && { sessionID: query.session }),
            left: attendance.enter()
          })
          // Asked by HEAD, it is cancelled at once.
          return HttpServerResponse.raw(stream, { headers: feedHeaders })
        })
      })
    })
  )

const feedHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no"
}
