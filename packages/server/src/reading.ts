/** Reads that say which place of the feed they reflect. */
import { Bus } from "@vigil/core/bus"
import { Database } from "@vigil/core/database"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** Makes what a handler reads one state of the database, and its answer carry that state's place in the feed. */
export const reader = Effect.gen(function* () {
  const { snapshot } = yield* Database
  const { head } = yield* Bus
  return <A, E, R>(read: Effect.Effect<A, E, R>) =>
    snapshot(Effect.all([read, head])).pipe(
      Effect.map(([body, seq]) => HttpApiSchema.withHeaders({ body, headers: { "vigil-seq": seq } }))
    )
})
