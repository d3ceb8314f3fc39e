/**
 * The look at a database that nobody owns. Nothing runs there: what says that it does ended with its server, as the
 * next start will write.
 */
import { shellRecords } from "@vigil/core/background/ledger"
import { monitorRecords } from "@vigil/core/monitor/record"
import { Permissions } from "@vigil/core/permission"
import { Sessions } from "@vigil/core/session"
import { readPage } from "@vigil/core/shell/page"
import { logFolder } from "@vigil/core/shell/recorded"
import { StateDirectory } from "@vigil/core/state"
import { Trust } from "@vigil/core/trust"
import { keptTurns, Turns } from "@vigil/core/turn"
import type { Monitor } from "@vigil/schema/monitor"
import type { Session } from "@vigil/schema/session"
import type { SessionInfo } from "@vigil/schema/session-info"
import type { Shell } from "@vigil/schema/shell"
import type { Turn } from "@vigil/schema/turn"
import { Effect, Option } from "effect"
import { type Look, sessionAbsent, taskAbsent } from "../look.ts"
import { readStored } from "../stored.ts"
import { isShell } from "./owner.ts"

/** Reads what is stored in a state directory; where nothing is yet, there is nothing to be seen. */
export const lookAtStored = <A, E, R>(stateDir: string, read: (look: Look) => Effect.Effect<A, E, R>) =>
  readStored(
    stateDir,
    Effect.suspend(() => read(empty)),
    Effect.flatMap(look, read)
  )

const look = Effect.gen(function* () {
  const sessions = yield* Sessions
  const permissions = yield* Permissions
  const trust = yield* Trust
  const state = yield* StateDirectory
  const turns = yield* Turns
  const monitors = yield* monitorRecords
  const shells = yield* shellRecords

  const info = Effect.fnUntraced(function* (session: Session) {
    const turn = Option.getOrUndefined(yield* turns.newest(session.id))
    const told: SessionInfo = { ...session, status: "idle", ...(turn && { turn: endedTurn(turn) }) }
    return told
  })
  const found = (sessionID: string) =>
    Effect.mapError(sessions.get(sessionID), () => sessionAbsent(sessionID))

  const monitorsOf = Effect.fnUntraced(function* (sessionID: string | undefined) {
    const records =
      sessionID === undefined
        ? (yield* monitors.all).flatMap(({ record }) => Option.toArray(record))
        : yield* monitors.list(sessionID)
    return records.toSorted((a, b) => b.order - a.order).map(({ monitor }) => endedTask(monitor))
  })

  const stored: Look = {
    sessions: Effect.flatMap(sessions.list, (all) => Effect.forEach(all, info)),
    session: (sessionID) => Effect.flatMap(found(sessionID), info),
    messages: (sessionID) => Effect.andThen(found(sessionID), sessions.messages(sessionID)),
    turns: Effect.fnUntraced(function* (sessionID) {
      const { id } = yield* found(sessionID)
      return (yield* turns.list(id, keptTurns)).toReversed().map(endedTurn)
    }),
    monitors: Effect.fnUntraced(function* (sessionID) {
      const kept = yield* monitorsOf(sessionID)
      // Those of a session that is no more are seen as long as they are there.
      if (sessionID !== undefined && kept.length === 0) yield* found(sessionID)
      return kept
    }),
    task: Effect.fnUntraced(function* (id) {
      const tasks = isShell(id)
        ? (yield* shells.all)
            .flatMap(({ record }) => Option.toArray(record))
            .map(({ shell }) => endedTask(shell))
        : yield* monitorsOf(undefined)
      return tasks.find((task) => task.id === id) ?? (yield* taskAbsent(id))
    }),
    output: ({ id, sessionID }, query) =>
      Effect.sync(() => ({ ...readPage(logFolder(state.folder(sessionID, id)), query), ended: true })),
    asks: Effect.succeed([]),
    saved: permissions.saved,
    trusted: trust.list
  }
  return stored
})

const endedTurn = (turn: Turn): Turn =>
  turn.outcome === undefined ? { ...turn, outcome: "server_stopped" } : turn

const endedTask = <A extends Monitor | Shell>(task: A): A =>
  task.status === "ended" ? task : { ...task, status: "ended", reason: "server_restarted" }

const noSession = (sessionID: string) => Effect.fail(sessionAbsent(sessionID))

const empty: Look = {
  sessions: Effect.succeed([]),
  session: noSession,
  messages: noSession,
  turns: noSession,
  monitors: (sessionID) => (sessionID === undefined ? Effect.succeed([]) : noSession(sessionID)),
  task: (id) => Effect.fail(taskAbsent(id)),
  output: ({ id }) => Effect.fail(taskAbsent(id)),
  asks: Effect.succeed([]),
  saved: () => Effect.succeed([]),
  trusted: Effect.succeed([])
}
