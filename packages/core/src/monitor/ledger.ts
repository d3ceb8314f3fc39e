/**
 * What is written of monitors: the record, inbox rows and feed events of one fact, in one transaction.
 *
 * A record is read in the transaction that changes it, since the inbox may have changed it too: lines that lost
 * their place move from delivered to suppressed.
 */
import type { MonitorLimits } from "@vigil/schema/config"
import { type Input, type InputConflict, InputId, type Source } from "@vigil/schema/input"
import type { Usage } from "@vigil/schema/usage"
import { type Ledger, type Monitor, MonitorId } from "@vigil/schema/monitor"
import type { LogState } from "@vigil/schema/output"
import type { SessionId, SessionNotFound } from "@vigil/schema/session"
import { Clock, Effect, Option } from "effect"
import { Bus } from "../bus.ts"
import { Settings } from "../config.ts"
import { Coordinator } from "../coordinator.ts"
import { Database } from "../database.ts"
import { Inbox, type Replaced } from "../inbox.ts"
import type { Process, ProcessEnd } from "../shell.ts"
import type { Log } from "../shell/log.ts"
import { retention } from "../retention.ts"
import { noticeText } from "./notice.ts"
import * as Policy from "./policy.ts"
import { type MonitorRecord, monitorRecords } from "./record.ts"

/** What a stop came to. `monitor` is gone only where its record was pruned, or its session deleted. */
export interface Stopped {
  readonly monitor: Monitor | undefined
  /** What was withdrawn unread. */
  readonly unread: ReadonlyArray<Input>
  readonly withdrawn: boolean
}

/** What is written of a monitor that runs. */
export interface Watched {
  readonly monitor: Monitor
  readonly limits: MonitorLimits
  /** On the monotonic clock, in ms. */
  readonly deadlineAt: number
  readonly process: Pick<Process, "swept">
  readonly log: Effect.Effect<LogState>
  /** Raw stdout that is not settled yet. */
  readonly spool: Pick<Log, "dropBefore" | "discard">
  /** The last of stderr. */
  readonly stderr: () => string
}

/** How a monitor ended, with all that its notice tells. */
export interface Ending {
  readonly cause: Policy.Cause
  readonly delta: Ledger
  readonly cursor: number
  readonly limits: MonitorLimits
  readonly end?: ProcessEnd | undefined
  readonly stderr?: string
  /** Lines that a crash left undelivered. */
  readonly leftover?: ReadonlyArray<string>
  readonly survivors?: ReadonlyArray<number>
}

export type Ledgers = Effect.Success<typeof ledgers>

const maxLastLine = 500
/** Two clocks that part by more than this have been told different things. */
const maxDriftMs = 1_000

export const ledgers = Effect.gen(function* () {
  const { transaction, afterCommit } = yield* Database
  const bus = yield* Bus
  const settings = yield* Settings
  const inbox = yield* Inbox
  const coordinator = yield* Coordinator
  const retain = yield* retention
  const stored = yield* monitorRecords
  const { wakeOnRestart } = (yield* settings.user).monitor
  /** Sessions with more ended monitors than they may keep, and how many that is. */
  const overfull = new Map<string, number>()

  /** Nobody is woken for what the session, its user or the server ended. */
  const wakesAtEnd = ({ reason }: Policy.Cause) =>
    reason === "server_restarted" ? wakeOnRestart : reason !== "cancelled" && reason !== "session_deleted"

  /** Stores what one step of the policy decided. Returns what the monitor came to if that ended it. */
  const commit = (
    watch: Watched,
    actions: ReadonlyArray<Policy.Action>,
    end: ProcessEnd | undefined
  ): Effect.Effect<Stopped | undefined> => {
    const { sessionID, id } = watch.monitor
    const batches = actions.flatMap((action) => (action.type === "deliver" ? [action] : []))
    const ending = actions.find((action) => action.type === "end")
    if (batches.length === 0 && ending === undefined) return Effect.void as Effect.Effect<undefined>
    const wakes = ending === undefined || wakesAtEnd(ending.cause)

    const write = Effect.fnUntraced(function* (survivors: ReadonlyArray<number>) {
      // One by one: what a batch pushes out of the inbox was delivered before.
      for (const { batch, delta } of batches) {
        yield* admit(watch, batch, wakes)
        const record = yield* stored.get(sessionID, id)
        if (Option.isSome(record)) yield* stored.save(yield* delivered(watch, record.value, batch, delta))
      }
      const found = yield* stored.get(sessionID, id)
      // A session that is gone has no record to write, and nobody to tell.
      if (Option.isNone(found)) return ending ? nothing : undefined
      if (ending === undefined) {
        yield* afterCommit(coordinator.wake(sessionID))
        return undefined
      }
      const { cause, delta, cursor } = ending
      const record = yield* upToDate(watch, found.value)
      const { limits } = watch
      return yield* finish(record, { cause, delta, cursor, end, survivors, limits, stderr: watch.stderr() })
    })

    // What a sweep finds is waited for before anything is open that others wait for.
    const verified =
      ending === undefined || ending.cause.reason === "exited"
        ? Effect.succeed([])
        : Effect.map(watch.process.swept, ({ survivors }) => survivors)
    return Effect.flatMap(verified, (survivors) => transaction(write(survivors))).pipe(
      Effect.catchTag("SessionNotFound", () => Effect.succeed(ending ? nothing : undefined)),
      Effect.tap(() => Effect.sync(() => settled(watch, actions)))
    )
  }

  const admit = ({ monitor, limits }: Watched, { seq, lines }: Policy.Batch, wakes: boolean) =>
    ours(
      inbox.admitLines({
        id: InputId.make(`${monitor.id}:${seq}`),
        sessionID: monitor.sessionID,
        delivery: monitor.delivery,
        source: sourceOf(monitor),
        lines: lines.map(({ text }) => text),
        maxBytes: limits.maxBatchBytes,
        wakes
      })
    )

  const delivered = Effect.fnUntraced(function* (
    watch: Watched,
    before: MonitorRecord,
    { seq, lines: batch, cursor }: Policy.Batch,
    delta: Ledger
  ) {
    const { sessionID, id: monitorID } = before.monitor
    const ledger = Policy.add(before.monitor.ledger, delta)
    const lines = batch.map(({ text }) => text)
    yield* bus.publish({ type: "monitor.event", sessionID, data: { monitorID, seq, lines, ledger } })
    const lastLine = lines.at(-1)!.slice(0, maxLastLine)
    const lastOutputAt = yield* Clock.currentTimeMillis
    const monitor = { ...before.monitor, ledger, lastLine, lastOutputAt }
    return yield* upToDate(watch, { ...before, monitor, seq, cursor })
  })

  const upToDate = Effect.fnUntraced(function* (watch: Watched, { monitor, ...rest }: MonitorRecord) {
    const log = yield* watch.log
    return { ...rest, monitor: { ...monitor, log, expiresAt: yield* expiry(watch, monitor) } }
  })

  /** The deadline on the wall, which may have been set meanwhile; the deadline itself is monotonic. */
  const expiry = Effect.fnUntraced(function* ({ deadlineAt }: Watched, { expiresAt }: Monitor) {
    const left = deadlineAt - Number((yield* Clock.monotonicTimeNanos) / 1_000_000n)
    const due = (yield* Clock.currentTimeMillis) + left
    return Math.abs(due - expiresAt) > maxDriftMs ? Math.round(due) : expiresAt
  })

  /** Writes the end into the open transaction: record, notice, feed, and the wake after it. */
  const finish = Effect.fnUntraced(function* (record: MonitorRecord, ending: Ending) {
    const { cause, delta, cursor, end, limits } = ending
    const { sessionID, id } = record.monitor
    const survivors = ending.survivors ?? []
    const monitor: Monitor = {
      ...record.monitor,
      status: "ended",
      reason: cause.reason,
      endedAt: yield* Clock.currentTimeMillis,
      ledger: Policy.add(record.monitor.ledger, delta),
      ...(end?.exitCode !== undefined && { exitCode: end.exitCode }),
      ...(end?.signal !== undefined && { signal: end.signal }),
      ...(survivors.length > 0 && { survivors })
    }
    yield* stored.save({ ...record, monitor, cursor })
    yield* bus.publish({ type: "monitor.ended", sessionID, data: { monitor } })
    const withdraws = cause.reason === "cancelled" && cause.by === "agent"
    const unread = withdraws ? yield* inbox.withdrawSource(sessionID, id) : []
    if (!withdraws && cause.reason !== "session_deleted") yield* announce(record, monitor, ending)
    yield* prune(sessionID, limits.keepEnded)
    return { monitor, unread, withdrawn: withdraws } satisfies Stopped
  })

  const announce = Effect.fnUntraced(function* (record: MonitorRecord, monitor: Monitor, ending: Ending) {
    const { cause, end, limits } = ending
    const wakes = wakesAtEnd(cause)
    const text = noticeText({
      id: monitor.id,
      reason: cause.reason,
      ledger: monitor.ledger,
      timeoutMs: record.timeoutMs,
      limits,
      ...(end?.exitCode !== undefined && { exitCode: end.exitCode }),
      ...(end?.signal !== undefined && { signal: end.signal }),
      ...(cause.by !== undefined && { by: cause.by }),
      ...(cause.message !== undefined && { message: cause.message }),
      ...(ending.stderr !== undefined && { stderr: ending.stderr }),
      ...(ending.leftover !== undefined && { leftover: ending.leftover })
    })
    yield* ours(
      inbox.admit({
        id: InputId.make(`${monitor.id}:end`),
        sessionID: monitor.sessionID,
        delivery: monitor.delivery,
        origin: "monitor",
        payload: { type: "notice", source: sourceOf(monitor), text },
        wakes
      })
    )
    if (wakes) yield* afterCommit(coordinator.wake(monitor.sessionID))
  })

  const prune = Effect.fnUntraced(function* (sessionID: SessionId, keep: number) {
    const ended = (yield* stored.list(sessionID)).flatMap(({ monitor: { id, endedAt }, order }) =>
      endedAt === undefined ? [] : [{ id, endedAt, order }]
    )
    const forget = (id: string) =>
      Effect.andThen(
        stored.remove(sessionID, id),
        bus.publish({ type: "monitor.removed", sessionID, data: { monitorID: MonitorId.make(id) } })
      )
    yield* retain({ sessionID, ended, keep, forget: (id) => Effect.asVoid(forget(id)) })
    if (ended.length > keep) overfull.set(sessionID, keep)
    else overfull.delete(sessionID)
  })

  /** Once notices were read or taken back: forgets what they had kept. */
  const tidy = (sessionID: SessionId) =>
    Effect.suspend(() => {
      const keep = overfull.get(sessionID)
      return keep === undefined ? Effect.void : transaction(prune(sessionID, keep))
    })

  const change = (sessionID: string, id: string, by: (monitor: Monitor) => Monitor) =>
    Effect.gen(function* () {
      const found = yield* stored.get(sessionID, id)
      if (Option.isNone(found)) return
      const monitor = by(found.value.monitor)
      yield* stored.save({ ...found.value, monitor })
      yield* bus.publish({ type: "monitor.updated", sessionID: monitor.sessionID, data: { monitor } })
    }).pipe(transaction)

  /** Lines that no longer had room in the inbox. */
  const replaced = ({ sessionID, source, lines }: Replaced) =>
    change(sessionID, source.id, (monitor) => ({
      ...monitor,
      ledger: {
        ...monitor.ledger,
        linesDelivered: monitor.ledger.linesDelivered - lines,
        linesSuppressed: monitor.ledger.linesSuppressed + lines
      }
    }))

  const charge = (sessionID: string, id: string, usage: Usage) =>
    change(sessionID, id, (monitor) => ({
      ...monitor,
      cost: {
        reads: monitor.cost.reads + 1,
        inputTokens: monitor.cost.inputTokens + usage.inputTokens,
        outputTokens: monitor.cost.outputTokens + usage.outputTokens
      }
    }))

  /** Whom the sweep behind an end found. */
  const survived = ({ sessionID, id }: Monitor, survivors: ReadonlyArray<number>) =>
    survivors.length === 0 ? Effect.void : change(sessionID, id, (monitor) => ({ ...monitor, survivors }))

  return { commit, finish, replaced, charge, survived, tidy }
})

/** Nobody else uses a monitor's ids. */
const ours = <A>(effect: Effect.Effect<A, InputConflict | SessionNotFound>) =>
  Effect.catchTag(effect, "InputConflict", Effect.die)

const nothing: Stopped = { monitor: undefined, unread: [], withdrawn: false }

const sourceOf = ({ id, description }: Monitor): Source => ({ id, description })

/** What is settled needs no second reading. */
const settled = ({ spool }: Watched, actions: ReadonlyArray<Policy.Action>) => {
  for (const action of actions) {
    if (action.type === "deliver") spool.dropBefore(action.batch.cursor)
    if (action.type === "end") spool.discard()
  }
}
