/**
 * Starting a monitor, in this order: a place, permission, a process behind its gate, the record, the open gate.
 *
 * What fails or is interrupted before the record is stored leaves nothing. Afterwards the monitor lives.
 */
import type { Config } from "@vigil/schema/config"
import { newId } from "@vigil/schema/id"
import {
  emptyLedger,
  type Monitor,
  MonitorConflict,
  type MonitorDraft,
  MonitorId,
  StartFailed,
  type TimeoutOutOfRange,
  type TooManyMonitors
} from "@vigil/schema/monitor"
import type { PermissionDenied } from "@vigil/schema/permission"
import type { Session, SessionId, SessionNotFound } from "@vigil/schema/session"
import { Clock, Deferred, Effect, Option } from "effect"
import { Bus } from "../bus.ts"
import { Settings } from "../config.ts"
import { Database } from "../database.ts"
import { Environments } from "../environment.ts"
import { Inbox } from "../inbox.ts"
import { Jobs } from "../job.ts"
import { Permissions, type TurnRejected } from "../permission.ts"
import { Sessions } from "../session.ts"
import { Shell } from "../shell.ts"
import { approveCommand } from "../shell/approval.ts"
import { StateDirectory } from "../state.ts"
import { launch } from "./launch.ts"
import type { Ledgers, Stopped } from "./ledger.ts"
import * as Policy from "./policy.ts"
import { monitorRecords } from "./record.ts"
import { deadline, distinct, tooMany } from "./request.ts"
import { takingTurns } from "./taking-turns.ts"
import { monotonicMs, type Watch, watch as runWatch } from "./watch.ts"

export interface StartOptions extends MonitorDraft {
  /** The same id twice is one monitor. */
  readonly id?: MonitorId
  readonly startedBy: "agent" | "user"
  readonly callID?: string
}

export type StartError =
  | SessionNotFound
  | MonitorConflict
  | TooManyMonitors
  | TimeoutOutOfRange
  | StartFailed
  | PermissionDenied
  | TurnRejected

/** Those that run are in `watching`. */
export const starting = Effect.fnUntraced(function* (watching: Map<string, Watch>, ledger: Ledgers) {
  const { transaction } = yield* Database
  const bus = yield* Bus
  const settings = yield* Settings
  const jobs = yield* Jobs
  const permissions = yield* Permissions
  const sessions = yield* Sessions
  const inbox = yield* Inbox
  const environments = yield* Environments
  const shell = yield* Shell
  const state = yield* StateDirectory
  const stored = yield* monitorRecords
  const oneAtATime = takingTurns()

  const start = Effect.fn("Monitors.start")(function* (sessionID: SessionId, options: StartOptions) {
    const session = yield* sessions.get(sessionID)
    const config = yield* settings
      .for(session.directory)
      .pipe(Effect.mapError(({ message }) => new StartFailed({ message })))
    if (options.id === undefined) return yield* begin(MonitorId.make(newId("mon")), session, config, options)
    const { id } = options
    return yield* oneAtATime(
      id,
      Effect.gen(function* () {
        const known = yield* repeated(sessionID, id, options)
        return known ?? (yield* begin(id, session, config, options))
      })
    )
  })

  const begin = Effect.fnUntraced(function* (
    id: MonitorId,
    session: Session,
    config: Config,
    options: StartOptions
  ) {
    const sessionID = session.id
    const limits = config.monitor
    const { command, startedBy, delivery = "steer" } = options
    const timeoutMs = yield* deadline(options.timeoutMs, limits)
    const description = distinct(options.description, yield* jobs.active(sessionID, "monitor"))
    let committed = false

    const prepare = Effect.gen(function* () {
      const release = yield* jobs
        .reserve({
          id,
          kind: "monitor",
          sessionID,
          description,
          max: limits.maxActive,
          maxTotal: limits.maxActiveTotal
        })
        .pipe(Effect.mapError(tooMany))
      yield* approveCommand({
        session,
        tool: "monitor",
        command,
        byUser: startedBy === "user",
        ...(options.callID !== undefined && { callID: options.callID })
      }).pipe(Effect.provideService(Permissions, permissions))
      // What never began leaves nothing.
      yield* Effect.addFinalizer(() => (committed ? Effect.void : state.remove(sessionID, id)))
      const launched = yield* launch({
        id,
        session,
        command,
        limits,
        env: yield* environments.of(session, config, { VIGIL_MONITOR_ID: id }),
        folder: state.folder(sessionID, id)
      }).pipe(Effect.provideService(Shell, shell))
      return { release, ...launched }
    })

    return yield* jobs
      .start<Effect.Success<typeof prepare>, Watch, StartError>({
        id,
        prepare,
        commit: (launched, wanted) =>
          Effect.gen(function* () {
            yield* sessions.get(sessionID)
            const startedAt = yield* Clock.currentTimeMillis
            const monitor: Monitor = {
              id,
              sessionID,
              shellID: `sh_${id.slice(4)}`,
              source: { type: "command", command },
              description,
              delivery,
              startedBy,
              pid: launched.process.pid,
              status: "running",
              startedAt,
              expiresAt: startedAt + timeoutMs,
              ledger: emptyLedger,
              log: yield* launched.log,
              cost: { reads: 0, inputTokens: 0, outputTokens: 0 }
            }
            const order = yield* bus.publish({ type: "monitor.started", sessionID, data: { monitor } })
            yield* stored.save({ monitor, order, seq: 0, cursor: 0, timeoutMs })
            yield* wanted
            const deadlineAt = (yield* monotonicMs) + timeoutMs
            return {
              ...launched,
              monitor,
              timeoutMs,
              deadlineAt,
              limits,
              progress: { state: Policy.start(limits) },
              ended: yield* Deferred.make<Stopped>()
            }
          }).pipe(
            transaction,
            Effect.tap((watch) =>
              Effect.sync(() => {
                committed = true
                watching.set(id, watch)
              })
            )
          ),
        run: (_, watch) =>
          Effect.ensuring(
            runWatch(watch, ledger),
            Effect.sync(() => watching.delete(id))
          )
      })
      .pipe(Effect.map(({ monitor }) => monitor))
  })

  /** The monitor that was started under this id before. */
  const repeated = Effect.fnUntraced(function* (sessionID: SessionId, id: MonitorId, options: StartOptions) {
    const found = yield* stored.get(sessionID, id)
    if (Option.isSome(found) && found.value.monitor.source.command === options.command)
      return found.value.monitor
    // Another session's, or one that is forgotten already: its events would be taken for this one's.
    if (Option.isSome(found) || watching.has(id) || (yield* inbox.knows(id)))
      return yield* new MonitorConflict({ monitorID: id })
    return undefined
  })

  return start
})
