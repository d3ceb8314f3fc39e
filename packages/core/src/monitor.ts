/**
 * Monitors: background commands whose lines become events of their session.
 *
 * What becomes of a line, and why a monitor ends, is decided in `monitor/policy.ts`. Here is what carries it out:
 * the record, its inbox rows and its feed events change in one transaction or not at all, and a session is woken
 * after it.
 */
import type { Config } from "@vigil/schema/config"
import { newId } from "@vigil/schema/id"
import type { Usage } from "@vigil/schema/message"
import {
  emptyLedger,
  type Monitor,
  MonitorConflict,
  type MonitorDraft,
  MonitorId,
  MonitorNotFound,
  StartFailed,
  type TimeoutOutOfRange,
  type TooManyMonitors
} from "@vigil/schema/monitor"
import type { OutputPage } from "@vigil/schema/output"
import type { Session, SessionId, SessionNotFound } from "@vigil/schema/session"
import { Clock, Context, Deferred, Effect, Layer, Option, Queue } from "effect"
import { Bus } from "./bus.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { commandEnvironment } from "./environment.ts"
import { Inbox } from "./inbox.ts"
import { Jobs } from "./job.ts"
import { ledgers, type Stopped } from "./monitor/ledger.ts"
import { launch } from "./monitor/launch.ts"
import { deadline, distinct, tooMany } from "./monitor/request.ts"
import { takingTurns } from "./monitor/taking-turns.ts"
import * as Policy from "./monitor/policy.ts"
import { type MonitorRecord, monitorRecords } from "./monitor/record.ts"
import { type Watch, watch as runWatch } from "./monitor/watch.ts"
import { type PermissionDenied, Permissions, type TurnRejected } from "./permission.ts"
import { Sessions } from "./session.ts"
import { Shell } from "./shell.ts"
import { approveCommand } from "./shell/approval.ts"
import { readPage } from "./shell/page.ts"
import { logFolder } from "./shell/recorded.ts"
import { StateDirectory } from "./state.ts"

export type { Stopped } from "./monitor/ledger.ts"

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

export interface PageRequest {
  /** In bytes; the newest page where it is left out. */
  readonly cursor?: number
  /** In bytes, 4 to 65,536. */
  readonly limit?: number
}

export class Monitors extends Context.Service<
  Monitors,
  {
    /** Once it has begun: reserved, allowed, stored, then its gate opened. */
    start(sessionID: SessionId, options: StartOptions): Effect.Effect<Monitor, StartError>
    /** By an agent: takes back what is unread. By a user: what is unread stays, and a notice says so. */
    stop(
      sessionID: SessionId,
      monitorID: string,
      by: "agent" | "user"
    ): Effect.Effect<Stopped, MonitorNotFound>
    /** Stops all that are active. */
    stopAll(sessionID: SessionId, by: "agent" | "user"): Effect.Effect<ReadonlyArray<Stopped>>
    get(sessionID: string, monitorID: string): Effect.Effect<Monitor, MonitorNotFound>
    /** Newest first. */
    list(sessionID: string): Effect.Effect<ReadonlyArray<Monitor>>
    /** Those that run, oldest first. */
    active(sessionID: string): Effect.Effect<ReadonlyArray<Monitor>>
    output(
      sessionID: string,
      monitorID: string,
      page?: PageRequest
    ): Effect.Effect<OutputPage, MonitorNotFound>
    /** Adds what a step has cost that read these monitors' events. */
    charge(sessionID: string, monitorIDs: ReadonlyArray<string>, usage: Usage): Effect.Effect<void>
  }
>()("core/Monitors") {
  static readonly layer = Layer.effect(
    Monitors,
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const bus = yield* Bus
      const settings = yield* Settings
      const jobs = yield* Jobs
      const permissions = yield* Permissions
      const sessions = yield* Sessions
      const inbox = yield* Inbox
      const shell = yield* Shell
      const state = yield* StateDirectory
      const stored = yield* monitorRecords
      const ledger = yield* ledgers
      const watching = new Map<string, Watch>()
      const oneAtATime = takingTurns()

      const start = Effect.fn("Monitors.start")(function* (sessionID: SessionId, options: StartOptions) {
        const session = yield* sessions.get(sessionID)
        const config = yield* settings
          .for(session.directory)
          .pipe(Effect.mapError(({ message }) => new StartFailed({ message })))
        if (options.id === undefined)
          return yield* begin(MonitorId.make(newId("mon")), session, config, options)
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
            env: commandEnvironment(config, session, { VIGIL_MONITOR_ID: id }),
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
      const repeated = Effect.fnUntraced(function* (
        sessionID: SessionId,
        id: MonitorId,
        options: StartOptions
      ) {
        const found = yield* stored.get(sessionID, id)
        if (Option.isSome(found) && found.value.monitor.source.command === options.command)
          return found.value.monitor
        // Another session's, or one that is forgotten already: its events would be taken for this one's.
        if (Option.isSome(found) || watching.has(id) || (yield* inbox.knows(id)))
          return yield* new MonitorConflict({ monitorID: id })
        return undefined
      })

      const stop = Effect.fn("Monitors.stop")(function* (
        sessionID: SessionId,
        monitorID: string,
        by: "agent" | "user"
      ) {
        const watch = watching.get(monitorID)
        if (watch?.monitor.sessionID === sessionID) {
          const at = yield* monotonicMs
          yield* Queue.offer(watch.mail, { type: "cause", at, cause: { reason: "cancelled", by } })
          const stopped = yield* Deferred.await(watch.ended)
          if (by === "user" || stopped.withdrawn) return stopped
        }
        const found = yield* stored.get(sessionID, monitorID)
        // What is unread of a watch that has ended is taken back too, also when its record is gone already.
        const unread = by === "agent" ? yield* inbox.withdrawSource(sessionID, monitorID) : []
        if (Option.isNone(found) && unread.length === 0) return yield* new MonitorNotFound({ monitorID })
        return {
          monitor: Option.getOrUndefined(Option.map(found, ({ monitor }) => monitor)),
          unread,
          withdrawn: by === "agent"
        } satisfies Stopped
      })

      const stopAll = Effect.fn("Monitors.stopAll")(function* (sessionID: SessionId, by: "agent" | "user") {
        const ids = [...watching.values()].filter(({ monitor }) => monitor.sessionID === sessionID)
        const stopped = yield* Effect.forEach(
          ids,
          ({ monitor }) => Effect.option(stop(sessionID, monitor.id, by)),
          { concurrency: "unbounded" }
        )
        return stopped.flatMap(Option.toArray)
      })

      const get = Effect.fn("Monitors.get")(function* (sessionID: string, monitorID: string) {
        const found = yield* stored.get(sessionID, monitorID)
        if (Option.isNone(found)) return yield* new MonitorNotFound({ monitorID })
        return yield* current(found.value)
      })

      /** With what the process has printed since its record was written. */
      const current = Effect.fnUntraced(function* ({ monitor, cursor }: MonitorRecord) {
        const watch = watching.get(monitor.id)
        if (watch === undefined || monitor.status === "ended") return monitor
        const { state } = watch.progress
        // Between a commit and its adoption the record is ahead of the state.
        const ledger =
          state.cursor === cursor ? Policy.add(monitor.ledger, Policy.ahead(state)) : monitor.ledger
        return { ...monitor, ledger, log: yield* watch.log }
      })

      const list = Effect.fn("Monitors.list")(function* (sessionID: string) {
        const found = yield* stored.list(sessionID)
        return yield* Effect.forEach(found, current)
      })

      const active = Effect.fn("Monitors.active")(function* (sessionID: string) {
        const all = yield* list(sessionID)
        return all.filter(({ status }) => status === "running").toReversed()
      })

      const output = Effect.fn("Monitors.output")(function* (
        sessionID: string,
        monitorID: string,
        { cursor, limit = maxPageBytes }: PageRequest = {}
      ) {
        const monitor = yield* get(sessionID, monitorID)
        const folder = logFolder(state.folder(sessionID, monitorID))
        const page = readPage(folder, {
          limit: Math.min(limit, maxPageBytes),
          ...(cursor !== undefined && { cursor })
        })
        return { ...page, ended: monitor.status === "ended" }
      })

      const charge = Effect.fn("Monitors.charge")(function* (
        sessionID: string,
        monitorIDs: ReadonlyArray<string>,
        usage: Usage
      ) {
        yield* Effect.forEach(monitorIDs, (id) => ledger.charge(sessionID, id, usage), { discard: true })
      })

      // A session that goes takes its monitors with it: their ends are told with its own, then they are killed.
      yield* sessions.onRemove({
        within: Effect.fnUntraced(function* (sessionID) {
          const endedAt = yield* Clock.currentTimeMillis
          for (const { monitor } of yield* stored.list(sessionID)) {
            if (monitor.status === "ended") continue
            const ended: Monitor = { ...monitor, status: "ended", reason: "session_deleted", endedAt }
            yield* bus.publish({ type: "monitor.ended", sessionID, data: { monitor: ended } })
          }
          yield* stored.removeAll(sessionID)
        }),
        after: Effect.fnUntraced(function* (sessionID) {
          const at = yield* monotonicMs
          const all = [...watching.values()].filter(({ monitor }) => monitor.sessionID === sessionID)
          yield* Effect.forEach(
            all,
            ({ mail, ended }) =>
              Effect.andThen(
                Queue.offer(mail, { type: "cause", at, cause: { reason: "session_deleted" } }),
                Deferred.await(ended)
              ),
            { concurrency: "unbounded", discard: true }
          )
        })
      })
      yield* inbox.onReplaced(ledger.replaced)

      return Monitors.of({ start, stop, stopAll, get, list, active, output, charge })
    })
  )
}

const maxPageBytes = 65_536

const monotonicMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000n) / 1_000)
