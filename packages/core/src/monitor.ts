/**
 * Monitors: background commands whose lines become events of their session.
 *
 * What becomes of a line, and why a monitor ends, is decided in `monitor/policy.ts`. Here is what carries it out:
 * the record, its inbox rows and its feed events change in one transaction or not at all, and a session is woken
 * after it.
 */
import { shareUsage, type Usage } from "@vigil/schema/usage"
import { type Monitor, MonitorNotFound } from "@vigil/schema/monitor"
import type { OutputPage } from "@vigil/schema/output"
import type { SessionId } from "@vigil/schema/session"
import { Clock, Context, Deferred, Effect, Layer, Option, Queue } from "effect"
import { Bus } from "./bus.ts"
import { Inbox } from "./inbox.ts"
import { ledgers, type Stopped } from "./monitor/ledger.ts"
import * as Policy from "./monitor/policy.ts"
import { type MonitorRecord, monitorRecords } from "./monitor/record.ts"
import { type StartError, type StartOptions, starting } from "./monitor/start.ts"
import { monotonicMs, type Watch } from "./monitor/watch.ts"
import { Sessions } from "./session.ts"
import { readPage } from "./shell/page.ts"
import { logFolder } from "./shell/recorded.ts"
import { StateDirectory } from "./state.ts"

export type { Stopped } from "./monitor/ledger.ts"
export type { StartError, StartOptions } from "./monitor/start.ts"

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
    /** Of all sessions, newest first. */
    readonly all: Effect.Effect<ReadonlyArray<Monitor>>
    /** Of whatever session. */
    find(monitorID: string): Effect.Effect<Monitor, MonitorNotFound>
    /** Those that run, oldest first. */
    active(sessionID: string): Effect.Effect<ReadonlyArray<Monitor>>
    output(
      sessionID: string,
      monitorID: string,
      page?: PageRequest
    ): Effect.Effect<OutputPage, MonitorNotFound>
    /**
     * Adds what a step has cost that read these monitors' events, which need not be kept for that any longer. They
     * share it, so that no token is counted twice; a share of one that is forgotten is counted nowhere.
     */
    charge(sessionID: SessionId, monitorIDs: ReadonlyArray<string>, usage: Usage): Effect.Effect<void>
  }
>()("core/Monitors") {
  static readonly layer = Layer.effect(
    Monitors,
    Effect.gen(function* () {
      const bus = yield* Bus
      const sessions = yield* Sessions
      const inbox = yield* Inbox
      const state = yield* StateDirectory
      const stored = yield* monitorRecords
      const ledger = yield* ledgers
      const watching = new Map<string, Watch>()
      const start = yield* starting(watching, ledger)

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
          if (by === "user") return stopped
          if (stopped.withdrawn) return handOver(stopped)
        }
        const found = yield* stored.get(sessionID, monitorID)
        // What is unread of a watch that has ended is taken back too, also when its record is gone already.
        const unread = by === "agent" ? yield* inbox.withdrawSource(sessionID, monitorID) : []
        if (unread.length > 0) yield* ledger.tidy(sessionID)
        if (Option.isNone(found) && unread.length === 0) return yield* new MonitorNotFound({ monitorID })
        return {
          monitor: Option.getOrUndefined(Option.map(found, ({ monitor }) => monitor)),
          unread,
          withdrawn: by === "agent"
        } satisfies Stopped
      })

      const handedOver = new WeakSet<Stopped>()

      /** To one of those that stopped it together. */
      const handOver = (stopped: Stopped): Stopped => {
        if (handedOver.has(stopped)) return { ...stopped, unread: [] }
        handedOver.add(stopped)
        return stopped
      }

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

      const readable = Effect.map(stored.all, (found) =>
        found.flatMap(({ record }) => Option.toArray(record)).toSorted((a, b) => b.order - a.order)
      )
      const all = Effect.flatMap(readable, (found) => Effect.forEach(found, current))

      const find = Effect.fn("Monitors.find")(function* (monitorID: string) {
        const found = (yield* readable).find(({ monitor }) => monitor.id === monitorID)
        return found ? yield* current(found) : yield* new MonitorNotFound({ monitorID, message: noMonitor })
      })

      const active = Effect.fn("Monitors.active")(function* (sessionID: string) {
        const all = yield* list(sessionID)
        return all.filter(({ status }) => status === "running").toReversed()
      })

      const stopAll = Effect.fn("Monitors.stopAll")(function* (sessionID: SessionId, by: "agent" | "user") {
        const stopped = yield* Effect.forEach(
          yield* active(sessionID),
          ({ id }) => Effect.option(stop(sessionID, id, by)),
          { concurrency: "unbounded" }
        )
        return stopped.flatMap(Option.toArray)
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
        sessionID: SessionId,
        monitorIDs: ReadonlyArray<string>,
        usage: Usage
      ) {
        const shares = shareUsage(usage, monitorIDs.length)
        yield* Effect.forEach(monitorIDs, (id, index) => ledger.charge(sessionID, id, shares[index]!), {
          discard: true
        })
        yield* ledger.tidy(sessionID)
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

      return Monitors.of({ start, stop, stopAll, get, list, all, find, active, output, charge })
    })
  )
}

const maxPageBytes = 65_536
const noMonitor = "There is no such monitor"
