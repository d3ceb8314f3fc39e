/** What a session is doing, in one word: from what is stored, so that it is of one moment with all else that is read. */
import type { Session, SessionId, SessionStatus } from "@vigil/schema/session"
import type { SessionInfo } from "@vigil/schema/session-info"
import { Context, Effect, Layer, Option } from "effect"
import { BackgroundShells } from "./background.ts"
import { Coordinator } from "./coordinator.ts"
import { Jobs } from "./job.ts"
import { Monitors } from "./monitor.ts"
import { Permissions } from "./permission.ts"
import { Turns } from "./turn.ts"

export class Statuses extends Context.Service<
  Statuses,
  {
    /** A person's answer is what matters most, then a turn, then what may wake it. */
    of(sessionID: SessionId): Effect.Effect<SessionStatus>
    /** A session as it is told. */
    info(session: Session): Effect.Effect<SessionInfo>
    /** Until it is idle, and nothing is active that could wake it. */
    awaitQuiet(sessionID: SessionId): Effect.Effect<void>
  }
>()("core/Statuses") {
  static readonly layer = Layer.effect(
    Statuses,
    Effect.gen(function* () {
      const permissions = yield* Permissions
      const turns = yield* Turns
      const monitors = yield* Monitors
      const shells = yield* BackgroundShells
      const coordinator = yield* Coordinator
      const jobs = yield* Jobs

      const of = Effect.fn("Statuses.of")(function* (sessionID: SessionId): Effect.fn.Return<SessionStatus> {
        if ((yield* permissions.pending(sessionID)).length > 0) return "asking"
        if (Option.isSome(yield* turns.open(sessionID))) return "running"
        const active = [...(yield* monitors.active(sessionID)), ...(yield* shells.active(sessionID))]
        return active.length > 0 ? "watching" : "idle"
      })

      const info = Effect.fn("Statuses.info")(function* (session: Session) {
        const turn = Option.getOrUndefined(yield* turns.newest(session.id))
        return { ...session, status: yield* of(session.id), ...(turn && { turn }) }
      })

      const awaitQuiet = Effect.fn("Statuses.awaitQuiet")(function* (sessionID: SessionId) {
        do {
          yield* coordinator.awaitIdle(sessionID)
          yield* jobs.awaitQuiet(sessionID)
          // A job wakes the session before it leaves, and a turn that was woken may have begun another.
        } while (!(yield* coordinator.isIdle(sessionID)) || (yield* jobs.active(sessionID)).length > 0)
      })

      return Statuses.of({ of, info, awaitQuiet })
    })
  )
}
