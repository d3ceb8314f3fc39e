/** A prompt played to its last event on a server of its own: the real core, real processes, and a model. */
import type { Event } from "@vigil/schema/event-manifest"
import { newId } from "@vigil/schema/id"
import type { SessionInfo } from "@vigil/schema/session-info"
import { createClient } from "@vigil/sdk/client"
import { serve } from "@vigil/server/serve"
import { Deferred, Effect } from "effect"
import { join } from "node:path"
import { asked, askedRead } from "../asked.ts"
import { ownEnvironment } from "../environment.ts"
import { awaitStatus } from "../feed.ts"
import { followSession } from "../run/follow.ts"

export interface PlayOptions {
  /** An empty folder for everything. */
  readonly folder: string
  readonly model: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Past it the story is over as it stands. */
  readonly maxMs: number
  /** Whose vigil.json counts. */
  readonly home: string
  /** With each event as it happens. */
  readonly hear: (event: Event) => Effect.Effect<void>
}

export interface Prompted extends PlayOptions {
  readonly directory: string
  readonly prompt: string
}

/** Every event of its session, which may do all. Fails where a turn does, with its reason. */
export const playPrompt = Effect.fn("playPrompt")(function* (options: Prompted) {
  const { folder, model, env, home, maxMs, directory, prompt } = options
  const { url, token, edge } = yield* serve({ stateDir: join(folder, "state"), env, home })
  const client = createClient({ baseUrl: url, token, fetch: edge.fetch })
  const events: Array<Event> = []
  const failed = yield* Deferred.make<never, Error>()
  const { seq: after } = yield* askedRead<unknown>((signal) =>
    client.session.list({ query: { limit: 1 }, signal })
  )
  const { id: sessionID } = yield* asked<SessionInfo>((signal) =>
    client.session.create({
      body: {
        directory,
        model,
        rules: [{ action: "*", pattern: "*", effect: "allow" }],
        unattended: true,
        environment: ownEnvironment(env)
      },
      signal
    })
  )
  const hear = Effect.fnUntraced(function* (event: Event) {
    events.push(event)
    yield* options.hear(event)
    if (event.type !== "turn.ended" || event.data.turn.outcome === "completed") return
    yield* Deferred.fail(failed, new Error(event.data.turn.error ?? "The turn ended without an answer."))
  })
  const { caughtUp } = yield* followSession(client, { after, sessionID, hear })
  yield* asked<unknown>((signal) =>
    client.session.prompt({ path: { sessionID }, body: { id: newId("inp"), text: prompt }, signal })
  )
  yield* awaitStatus(client, sessionID, "quiet").pipe(
    Effect.raceFirst(Deferred.await(failed)),
    Effect.timeoutOption(maxMs)
  )
  yield* caughtUp
  // It may be quiet before its end was heard.
  if (yield* Deferred.isDone(failed)) return yield* Deferred.await(failed)
  return events
}, Effect.scoped)
