/** What is kept of a session's ended monitors and shells: the newest, and whatever has an unread notice. */
import type { SessionId } from "@vigil/schema/session"
import { Effect } from "effect"
import { Database } from "./database.ts"
import { Inbox } from "./inbox.ts"
import { StateDirectory } from "./state.ts"

export interface Ended {
  readonly id: string
  readonly endedAt: number
  /** Decides between those that ended in the same millisecond. */
  readonly order: number
}

export interface Retention {
  readonly sessionID: SessionId
  readonly ended: ReadonlyArray<Ended>
  readonly keep: number
  /** Removes the record and tells of it. */
  readonly forget: (id: string) => Effect.Effect<void>
}

/** Forgets, in the open transaction, what ended longest ago; its files go after the commit. */
export const retention = Effect.gen(function* () {
  const inbox = yield* Inbox
  const state = yield* StateDirectory
  const { afterCommit } = yield* Database
  return Effect.fnUntraced(function* ({ sessionID, ended, keep, forget }: Retention) {
    const waiting = new Set(
      (yield* inbox.pending(sessionID)).flatMap(({ payload }) =>
        "source" in payload ? [payload.source.id] : []
      )
    )
    const newestFirst = ended.toSorted((a, b) => b.endedAt - a.endedAt || b.order - a.order)
    for (const { id } of newestFirst.slice(keep)) {
      if (waiting.has(id)) continue
      yield* forget(id)
      yield* afterCommit(state.remove(sessionID, id))
    }
  })
})
