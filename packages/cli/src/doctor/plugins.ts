/** The plugins that the user's file names: each is tried in a process of its own, as a server would before it starts. */
import { Settings } from "@vigil/core/config"
import { tryPlugin } from "@vigil/core/plugin/trial"
import { Effect } from "effect"
import { dirname } from "node:path"
import { type Check, ok, wrong } from "./check.ts"

const atOnce = 2

export const plugins = Effect.gen(function* () {
  const { userFile, user } = yield* Settings
  const config = yield* user
  return yield* Effect.forEach(
    config.plugins,
    (source) =>
      tryPlugin({ source, from: dirname(userFile), setupMs: config.plugin.setupMs }).pipe(
        Effect.match({
          onFailure: ({ message }) =>
            wrong("plugin", `${source}: ${message}`, `Mend it, or take it out of ${userFile}`),
          onSuccess: ({ name, file }) => ok("plugin", `${name} (${file})`)
        })
      ),
    { concurrency: atOnce }
  )
}).pipe(
  // The file that is wrong has its own line.
  Effect.catchTag("ConfigInvalid", () => Effect.succeed<ReadonlyArray<Check>>([]))
)
