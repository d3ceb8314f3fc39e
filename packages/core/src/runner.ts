/**
 * A turn: promote, step, run tools, until nothing is left.
 *
 *   start ── promote ──▶ step ── tool calls ──▶ run them ──┐
 *                         ▲                                │ promote what steers
 *                         └────────────────────────────────┤
 *                         ▲          no calls: steer rows ─┘
 *                         │          else queue rows: this turn ends, a new one begins
 *                         └──────────── else it ends
 */
import { newId } from "@vigil/schema/id"
import type { Input } from "@vigil/schema/input"
import type { AssistantMessage } from "@vigil/schema/message"
import type { EventsHeld, Session } from "@vigil/schema/session"
import { Turn, TurnId, type TurnOutcome } from "@vigil/schema/turn"
import { addUsage, noUsage, type Usage } from "@vigil/schema/usage"
import { Cause, Clock, Effect, Layer, Option } from "effect"
import { Bus } from "./bus.ts"
import { Settings } from "./config.ts"
import { Coordinator, Drain, type DrainContext, type Drained } from "./coordinator.ts"
import { Database } from "./database.ts"
import { persistently } from "./database/persistent.ts"
import { Hooks } from "./hook.ts"
import { Inbox } from "./inbox.ts"
import { Kv } from "./kv.ts"
import { Monitors } from "./monitor.ts"
import { Permissions } from "./permission.ts"
import { Provider } from "./provider.ts"
import { type Choice, choose, decodeReads, type Look, noReads, startsTurn } from "./runner/boundary.ts"
import { runCalls } from "./runner/calls.ts"
import { closeMessages, owing } from "./runner/cut-short.ts"
import { requests, systemKey } from "./runner/request.ts"
import { Sessions } from "./session.ts"
import { Tools } from "./tool.ts"
import { Turns } from "./turn.ts"

/** A turn that is owed without anything new to read: `owed/<sessionID>`. */
export const owedKey = (sessionID: string) => `owed/${sessionID}`
const readsKey = (sessionID: string) => `reads/${sessionID}`
const failureKey = (sessionID: string) => `failure/${sessionID}`
const keys = [owedKey, readsKey, systemKey, failureKey]

/** A turn's end is tried so often; what then still fails is ended by the next turn, or the next start. */
const toTheEnd = <A, E>(write: Effect.Effect<A, E>) =>
  persistently(write, { what: "A turn's end", maxTries: 5 })

/** One turn while it runs. */
interface Running {
  readonly turn: Turn
  /** As it was when a model was asked last. */
  session: Session
  steps: number
  /** Promotions of events. */
  reads: number
  /** What was promoted since the last completed step. */
  unread: Array<Input>
  /** Why events had waited for the prompt that is being read. */
  held: EventsHeld | undefined
  /** Of steps and summaries. */
  usage: Usage
  /** What was done so that requests fit, where a person should know of it. */
  remark: string | undefined
}

/** What a turn's end tells of it. */
type Ending = Pick<Running, "turn" | "steps"> & Partial<Pick<Running, "usage" | "remark">>

/** The turn that runs next, if one does, and whether events have to rest before. */
interface Opened {
  readonly running?: Running
  readonly rest: boolean
}

/** Provides what a wake does. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { transaction, afterCommit } = yield* Database
    const kv = yield* Kv
    const bus = yield* Bus
    const settings = yield* Settings
    const atStart = yield* settings.user
    const permissions = yield* Permissions
    const sessions = yield* Sessions
    const inbox = yield* Inbox
    const coordinator = yield* Coordinator
    const drain = yield* Drain
    const turns = yield* Turns
    const tools = yield* Tools
    const hooks = yield* Hooks
    const provider = yield* Provider
    const monitors = yield* Monitors
    const { ask, modelOf } = yield* requests

    const run = Effect.fn("Runner.run")(
      function* ({ sessionID, stoppedByUser }: DrainContext) {
        const session = yield* sessions.get(sessionID)
        yield* endBroken(session)
        let opened = yield* begin(session)
        while (opened.running) opened = yield* work(opened.running, sessionID, stoppedByUser)
        return opened.rest ? { restMs: (yield* limits(session)).pauseMs } : {}
      },
      // A session that was deleted has nothing to do.
      Effect.catchTag("SessionNotFound", () => Effect.succeed<Drained>({})),
      // Interrupted is what takes time, steps and tools: what was begun gets its end.
      Effect.uninterruptible
    )

    /** A turn that broke while not even its end could be stored. */
    const endBroken = (session: Session) =>
      Effect.gen(function* () {
        const turn = yield* turns.open(session.id)
        if (Option.isNone(turn)) return
        yield* closeCutShort(session.id)
        yield* close({ turn: turn.value, steps: turn.value.steps }, "failed", "Vigil broke in this turn.")
      }).pipe(transaction)

    /** Starts a turn if something waits that a turn is started for. */
    const begin = (session: Session): Effect.Effect<Opened> =>
      Effect.gen(function* () {
        const owed = Option.isSome(yield* kv.get(owedKey(session.id)))
        const choice = yield* look(session, "start", 0)
        if (!owed && !startsTurn(choice)) return yield* settle(session, choice)
        return { running: yield* open(session, choice), rest: false }
      }).pipe(transaction)

    const open = Effect.fnUntraced(function* (session: Session, choice: Choice) {
      const startedAt = yield* Clock.currentTimeMillis
      const turn: Turn = { id: TurnId.make(newId("trn")), sessionID: session.id, startedAt, steps: 0 }
      yield* turns.begin(turn)
      yield* bus.publish({ type: "turn.started", sessionID: session.id, data: { turn } })
      const running: Running = {
        turn,
        session,
        steps: 0,
        reads: 0,
        unread: [],
        held: undefined,
        usage: noUsage,
        remark: undefined
      }
      yield* promote(session, running, choice)
      return running
    })

    const promote = Effect.fnUntraced(function* (session: Session, running: Running, choice: Choice) {
      if (choice.take.length === 0) return false
      const taken = yield* inbox.promote(running.turn.id, choice.take)
      yield* kv.set(readsKey(session.id), { at: [...choice.reads.at] })
      if (taken.some(({ kind }) => kind === "prompt")) {
        running.reads = 0
        if (session.eventsHeld) {
          running.held = session.eventsHeld
          yield* hold(session, undefined)
        }
      }
      running.unread.push(...taken)
      if (choice.countsAsRead) running.reads++
      return taken.length > 0
    })

    const look = Effect.fnUntraced(function* (session: Session, at: Look["at"], readsInTurn: number) {
      const held = yield* stillHeld(session)
      return choose({
        at,
        readsInTurn,
        held,
        pending: yield* inbox.pending(session.id),
        reads: Option.getOrElse(
          Option.flatMap(yield* kv.get(readsKey(session.id)), decodeReads),
          () => noReads
        ),
        bounds: yield* limits(session),
        now: yield* Clock.currentTimeMillis
      })
    })

    /** What waits stays, and why is told. */
    const settle = Effect.fnUntraced(function* (session: Session, { wait }: Choice) {
      if (wait === "budget" && session.eventsHeld === undefined) yield* hold(session, "budget")
      return { rest: wait === "rest" }
    })

    const hold = (session: Session, eventsHeld: EventsHeld | undefined) =>
      Effect.ignore(
        sessions.update(session.id, (before) => {
          const { eventsHeld: _, ...rest } = before
          return eventsHeld ? { ...rest, eventsHeld } : rest
        })
      )

    // After a failure that no retry mends, a changed model or key is worth another try.
    const stillHeld = Effect.fnUntraced(function* (session: Session) {
      if (session.eventsHeld !== "failure") return session.eventsHeld
      const failedWith = Option.getOrNull(yield* kv.get(failureKey(session.id)))
      if (failedWith === (yield* fingerprint(session))) return session.eventsHeld
      yield* hold(session, undefined)
      return undefined
    })

    const fingerprint = Effect.fnUntraced(function* (session: Session) {
      const model = (yield* Effect.orElseSucceed(modelOf(session), () => undefined)) ?? ""
      return new Bun.CryptoHasher("sha256")
        .update(`${model} ${yield* provider.identity(model, session.directory)}`)
        .digest("hex")
    })

    const limits = (session: Session) =>
      settings.for(session.directory).pipe(
        Effect.orElseSucceed(() => atStart),
        Effect.map(({ events }) => events)
      )

    /** One turn, and what follows it. */
    const work = (running: Running, sessionID: Session["id"], stoppedByUser: () => boolean) =>
      cycle(running, sessionID, stoppedByUser).pipe(
        Effect.catchTag("StepFailed", ({ message }) => fail(running, sessionID, message)),
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError("A turn broke", defect),
            fail(running, sessionID, `Vigil broke: ${Cause.pretty(Cause.die(defect)).split("\n")[0]}`)
          )
        ),
        Effect.onInterrupt(() => stopped(running, sessionID, stoppedByUser()))
      )

    const cycle = Effect.fnUntraced(function* (
      running: Running,
      sessionID: Session["id"],
      stoppedByUser: () => boolean
    ) {
      for (;;) {
        const session = (running.session = yield* sessions.get(sessionID))
        const set = yield* tools.snapshot
        const answer = yield* ask({
          session,
          turnID: running.turn.id,
          offered: [...set.tools.values()],
          held: running.held,
          completed: (message) => completed(running, message),
          fitted: (usage, remark) => {
            running.usage = addUsage(running.usage, usage)
            running.remark = remark ?? running.remark
          }
        })
        if (answer.calls.length > 0) {
          const rejected = yield* runCalls({ session, calls: answer.calls, set, stoppedByUser }).pipe(
            Effect.provideService(Sessions, sessions),
            Effect.provideService(Hooks, hooks)
          )
          if (rejected) {
            yield* transaction(Effect.andThen(sessions.get(sessionID), close(running, "rejected")))
            return { rest: true }
          }
        }
        const next = yield* boundary(running, sessionID, answer.calls.length > 0)
        if (next) return next
      }
    })

    /** Undefined where this turn goes on. */
    const boundary = (running: Running, sessionID: Session["id"], called: boolean) =>
      Effect.gen(function* () {
        const session = yield* sessions.get(sessionID)
        const choice = yield* look(session, called ? "step" : "end", running.reads)
        const queued = choice.take.some(({ delivery }) => delivery === "queue")
        if (called || (startsTurn(choice) && !queued)) {
          const promoted = yield* promote(session, running, choice)
          if (called || promoted) return undefined
        }
        yield* close(running, "completed")
        if (!startsTurn(choice)) return yield* settle(session, choice)
        return { running: yield* open(session, choice), rest: false }
      }).pipe(transaction)

    const completed = Effect.fnUntraced(function* (running: Running, message: AssistantMessage) {
      const read = [...running.unread]
      yield* afterCommit(
        Effect.sync(() => {
          running.steps++
          running.usage = addUsage(running.usage, message.usage ?? noUsage)
          running.held = undefined
          running.unread = []
        })
      )
      yield* kv.remove(owedKey(message.sessionID))
      const sources = read.flatMap(({ origin, payload }) =>
        origin === "monitor" && "source" in payload ? [payload.source.id] : []
      )
      if (message.usage) yield* monitors.charge(message.sessionID, [...new Set(sources)], message.usage)
    })

    const closeCutShort = (sessionID: string) =>
      sessions.conversation(sessionID).pipe(
        Effect.flatMap((messages) => closeMessages(messages, "Failed: the turn broke.")),
        Effect.provideService(Sessions, sessions)
      )

    const close = Effect.fnUntraced(function* (
      { turn: begun, steps, usage, remark }: Ending,
      outcome: TurnOutcome,
      error?: string
    ) {
      const { sessionID } = begun
      const endedAt = yield* Clock.currentTimeMillis
      const turn: Turn = {
        ...begun,
        endedAt,
        outcome,
        steps,
        ...(error && { error }),
        ...(remark && { remark }),
        ...(usage && { usage })
      }
      yield* turns.end(turn)
      if (outcome !== "server_stopped") yield* kv.remove(owedKey(sessionID))
      yield* bus.publish({ type: "turn.ended", sessionID, data: { turn } })
    })

    const fail = (running: Running, sessionID: Session["id"], message: string) =>
      Effect.gen(function* () {
        yield* closeCutShort(sessionID)
        yield* close(running, "failed", message)
        const session = yield* sessions.get(sessionID)
        // A model that was chosen meanwhile has not failed.
        yield* kv.set(failureKey(sessionID), yield* fingerprint(running.session))
        yield* hold(session, "failure")
        // Events wait now; a prompt that was queued behind this turn is worth one of its own.
        const choice = yield* look(yield* sessions.get(sessionID), "start", 0)
        if (!startsTurn(choice)) return yield* settle(session, choice)
        return { running: yield* open(session, choice), rest: false }
      }).pipe(transaction, toTheEnd)

    // A session that is being deleted takes its turn with it.
    const stopped = (running: Running, sessionID: Session["id"], byUser: boolean) =>
      Effect.gen(function* () {
        const session = yield* sessions.get(sessionID)
        yield* permissions.withdraw(sessionID)
        if (!byUser && running.unread.length > 0) {
          const newest = running.unread.at(-1)!.id
          const before = Option.getOrUndefined(yield* kv.get(owedKey(sessionID)))
          yield* kv.set(owedKey(sessionID), owing(before, newest))
        }
        yield* close(running, byUser ? "interrupted" : "server_stopped")
        return session
      }).pipe(transaction, toTheEnd, Effect.ignore)

    // A session that goes takes along what was kept of its turns, and the one that runs.
    yield* sessions.onRemove({
      within: (sessionID) =>
        Effect.andThen(
          permissions.withdraw(sessionID),
          Effect.forEach(keys, (key) => kv.remove(key(sessionID)), { discard: true })
        ),
      after: coordinator.retire
    })
    yield* drain.provide(run)
  })
)
