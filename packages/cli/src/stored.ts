/** Looks at a state directory without owning it: nothing is written, nothing reconciled, whoever else uses it. */
import { Bus } from "@vigil/core/bus"
import { Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { Kv } from "@vigil/core/kv"
import { Permissions } from "@vigil/core/permission"
import { monitorRecords } from "@vigil/core/monitor/record"
import { shellRecords } from "@vigil/core/background/ledger"
import { Sessions } from "@vigil/core/session"
import { StateDirectory } from "@vigil/core/state"
import { Trust } from "@vigil/core/trust"
import { SessionNotFound } from "@vigil/schema/session"
import { Turn } from "@vigil/schema/turn"
import { Effect, Layer, Option, Schema } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { inStateDirectory } from "./contained.ts"

export const databaseFile = (stateDir: string) => join(stateDir, "vigil.db")

const layer = (stateDir: string) =>
  Layer.merge(Sessions.layer, Permissions.layer).pipe(
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Settings.layerTrusting()),
    Layer.provideMerge(Trust.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layer({ path: databaseFile(stateDir), readonly: true })),
    Layer.provideMerge(StateDirectory.layer(stateDir))
  )

export type Stored = Layer.Success<ReturnType<typeof layer>>

/** Where there is no database yet, there is nothing: `none`. */
export const readStored = <A, E, E2, R, R2>(
  none: Effect.Effect<A, E2, R2>,
  read: (stateDir: string) => Effect.Effect<A, E, R>
) =>
  inStateDirectory((stateDir) =>
    Effect.suspend(
      (): Effect.Effect<A, E | E2 | Layer.Error<ReturnType<typeof layer>>, Exclude<R, Stored> | R2> =>
        existsSync(databaseFile(stateDir)) ? Effect.provide(read(stateDir), layer(stateDir)) : none
    )
  )

export const sessionAbsent = (sessionID: string) =>
  new SessionNotFound({
    sessionID,
    message: `There is no session ${sessionID}. \`vigil session list\` shows those there are.`
  })

/** Fails with `sessionAbsent`. */
export const storedSession = Effect.fnUntraced(function* (sessionID: string) {
  return yield* Effect.mapError((yield* Sessions).get(sessionID), () => sessionAbsent(sessionID))
})

/** Of one session, or of all; newest first. */
export const storedMonitors = Effect.fnUntraced(function* (sessionID?: string) {
  const stored = yield* monitorRecords
  const records =
    sessionID === undefined
      ? (yield* stored.all).flatMap(({ record }) => Option.toArray(record))
      : yield* stored.list(sessionID)
  return records.toSorted((a, b) => b.order - a.order).map(({ monitor }) => monitor)
})

const decodeTurn = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ turn: Turn })))

const turnsOf = (rows: ReadonlyArray<{ readonly data: string }>): ReadonlyArray<Turn> =>
  rows.flatMap(({ data }) => Option.toArray(decodeTurn(data)).map(({ turn }) => turn))

/** The turns of a session that ended, in their order; of those whose events are still kept. */
export const storedTurns = Effect.fnUntraced(function* (sessionID: string) {
  const { read } = yield* Database
  return turnsOf(
    yield* read<{ data: string }>`SELECT data FROM event
      WHERE session_id = ${sessionID} AND type = 'turn.ended' ORDER BY seq`
  )
})

/** The newest turn of each session, by the session's id; without an outcome where it has not ended. */
export const newestTurns = Effect.gen(function* () {
  const { read } = yield* Database
  const turns = turnsOf(
    yield* read<{ data: string }>`SELECT data FROM event WHERE seq IN (
      SELECT MAX(seq) FROM event WHERE type IN ('turn.started', 'turn.ended') GROUP BY session_id)`
  )
  return new Map<string, Turn>(turns.map((turn) => [turn.sessionID, turn]))
})

/** The monitor or background shell of this id, of whatever session. */
export const storedTask = Effect.fnUntraced(function* (id: string) {
  if (id.startsWith("sh_")) {
    const found = (yield* (yield* shellRecords).all).flatMap(({ record }) => Option.toArray(record))
    return found.find(({ shell }) => shell.id === id)?.shell
  }
  return (yield* storedMonitors()).find((monitor) => monitor.id === id)
})
