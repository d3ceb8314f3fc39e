/** Work of a command that needs an owner: whoever owns the state directory, or this process while the work takes. */
import type { Client } from "@vigil/sdk/client"
import { Cause, Effect, Exit } from "effect"
import { inStateDirectory } from "./contained.ts"
import { joinOrEmbed } from "./owner.ts"
import { Screen } from "./screen.ts"
import { makeStateDirectory } from "./state-directory.ts"

/** Where this process is the owner, it stays for the clients that have joined it meanwhile. */
export const asClient = <A, E, R>(use: (client: Client) => Effect.Effect<A, E, R>) =>
  inStateDirectory((stateDir) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* makeStateDirectory(stateDir)
        const { client, waitForOthers } = yield* joinOrEmbed(stateDir)
        const exit = yield* Effect.exit(use(client))
        if (Exit.isSuccess(exit) || !Cause.hasInterrupts(exit.cause)) yield* staying(waitForOthers)
        return yield* exit
      })
    )
  )

/** A client that leaves just now is not spoken of. */
const unsaidMs = 500

const staying = Effect.fnUntraced(function* (waitForOthers: Effect.Effect<void>) {
  const { tell } = yield* Screen
  const said = Effect.andThen(
    Effect.sleep(unsaidMs),
    tell("vigil: this is done, and stays for others that have joined it; Ctrl-C ends it, and them")
  )
  yield* Effect.raceFirst(waitForOthers, Effect.andThen(said, Effect.never))
})
