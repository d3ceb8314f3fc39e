/**
 * Looks at what is kept and what runs: through the owner where there is one, else at the database alone, of which
 * nothing is written and nothing reconciled.
 */
import { Effect, Option } from "effect"
import { OwnerGone } from "../asked.ts"
import { inStateDirectory } from "../contained.ts"
import type { Look } from "../look.ts"
import { findOwner } from "../owner.ts"
import { lookThrough } from "./owner.ts"
import { lookAtStored } from "./stored.ts"

/** `read` shows nothing yet: where the owner ends in the middle, it is begun anew on what is stored. */
export const looking = <A, E, R>(read: (look: Look) => Effect.Effect<A, E, R>) =>
  inStateDirectory((stateDir) =>
    Effect.gen(function* () {
      const owner = yield* findOwner(stateDir)
      const stored = lookAtStored(stateDir, read)
      if (Option.isNone(owner)) return yield* stored
      const seen = read(lookThrough(owner.value.client))
      return yield* Effect.catchIf(
        seen,
        (error) => error instanceof OwnerGone,
        () => stored
      )
    })
  )
