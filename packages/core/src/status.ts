/** What a session is doing, in one word. */
import type { SessionId, SessionStatus } from "@vigil/schema/session"
import { Context, Effect, Layer } from "effect"
import { BackgroundShells } from "./background.ts"
import { Coordinator } from "./coordinator.ts"
import { Monitors } from "./monitor.ts"
import { Permissions } from "./permission.ts"

export class Statuses extends Context.Service<
  Statuses,
  {
    /** A person's answer is what matters most, then a turn, then what may wake it. */
    of(sessionID: SessionId): Effect.Effect<SessionStatus>
  }
>()("core/Statuses") {
  static readonly layer = Layer.effect(
    Statuses,
    Effect.gen(function* () {
      const permissions = yield* Permissions
      const coordinator = yield* Coordinator
      const monitors = yield* Monitors
      const shells = yield* BackgroundShells
      return Statuses.of({
        of: Effect.fn("Statuses.of")(function* (sessionID: SessionId) {
          if ((yield* permissions.pending(sessionID)).length > 0) return "asking"
          if (yield* coordinator.running(sessionID)) return "running"
          const active = [...(yield* monitors.active(sessionID)), ...(yield* shells.active(sessionID))]
          return active.length > 0 ? "watching" : "idle"
        })
      })
    })
  )
}
