/**
 * Who works on a session, and when.
 *
 * At most one fiber per session runs a turn. A wake starts it, or rings a doorbell that it hears before it
 * goes to sleep, so that nothing is stranded between its last look and its end:
 *
 *          wake            nothing rang, nothing to rest for
 *   idle ────────▶ busy ──────────────────────────────────▶ idle
 *    ▲              │ │ rest asked for, or it broke
 *    │   interrupt  │ └──────────────────▶ resting ── time, prompt ──▶ busy
 *    │              ▼                        ▲
 *    └────────── stopping ── clean-up done ──┘   (a prompt meanwhile: busy at once)
 */
import {
  InputConflict,
  type Delivery,
  type Input,
  InputId,
  type Origin,
  type Synthetic
} from "@vigil/schema/input"
import { newId } from "@vigil/schema/id"
import type { SessionId, SessionNotFound } from "@vigil/schema/session"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { Inbox } from "./inbox.ts"

/** What a turn, or several, came to. */
export interface Drained {
  /** Events must not be read before this time has passed; a prompt may. */
  readonly restMs?: number
}

export interface DrainContext {
  readonly sessionID: SessionId
  /** Whether a user stops it, rather than the server's end. Asked while it is being interrupted. */
  readonly stoppedByUser: () => boolean
}

/** What a wake does. Declared here, and provided by the runner, which stands on all that may wake it. */
export class Drain extends Context.Service<
  Drain,
  {
    provide(drain: (context: DrainContext) => Effect.Effect<Drained>): Effect.Effect<void>
    run(context: DrainContext): Effect.Effect<Drained>
  }
>()("core/Drain") {
  static readonly layer = Layer.effect(
    Drain,
    Effect.map(Deferred.make<(context: DrainContext) => Effect.Effect<Drained>>(), (provided) =>
      Drain.of({
        provide: (drain) => Effect.asVoid(Deferred.succeed(provided, drain)),
        // A wake that comes before the runner stands waits for it.
        run: (context) => Effect.flatMap(Deferred.await(provided), (drain) => drain(context))
      })
    )
  )
}

export interface PromptDraft {
  readonly id?: InputId
  readonly text: string
  readonly delivery?: Delivery
}

export interface SyntheticDraft {
  readonly id?: InputId
  readonly origin: Exclude<Origin, "user">
  readonly payload: Synthetic
  readonly delivery?: Delivery
  /** Whether the session is woken for it, which is so unless told otherwise. */
  readonly wakes?: boolean
}

export class Coordinator extends Context.Service<
  Coordinator,
  {
    /** Admits a prompt and wakes the session. The same id twice is one prompt. */
    prompt(sessionID: SessionId, draft: PromptDraft): Effect.Effect<Input, InputConflict | SessionNotFound>
    /** Admits what is not the user's, in the open transaction if there is one, and wakes the session after it. */
    synthetic(
      sessionID: SessionId,
      draft: SyntheticDraft
    ): Effect.Effect<Input, InputConflict | SessionNotFound>
    /** The session has something to read. Wakes coalesce. */
    wake(sessionID: SessionId): Effect.Effect<void>
    /** Stops the turn. Answers at once; what was not read waits for a prompt, or for a rest after clean-up. */
    interrupt(sessionID: SessionId): Effect.Effect<{ readonly interrupted: boolean }>
    /** Until nothing runs and nothing will by itself, rests included. */
    awaitIdle(sessionID: SessionId): Effect.Effect<void>
    /** Whether that is so now. */
    isIdle(sessionID: SessionId): Effect.Effect<boolean>
    /** Whether a turn runs. */
    running(sessionID: SessionId): Effect.Effect<boolean>
    /** Ends whatever runs for a session that is gone, and waits for that. */
    retire(sessionID: SessionId): Effect.Effect<void>
  }
>()("core/Coordinator") {
  static readonly layer = Layer.effect(
    Coordinator,
    Effect.gen(function* () {
      const drain = yield* Drain
      const inbox = yield* Inbox
      const { transaction, afterCommit, settled } = yield* Database
      const { pauseMs } = (yield* (yield* Settings).user).events
      const scope = yield* Effect.scope
      const working = new Map<SessionId, Work>()

      const start = (sessionID: SessionId): Effect.Effect<void> =>
        Effect.suspend(() => {
          const waiting = working.get(sessionID)?.waiting ?? []
          const work: Work = {
            state: "busy",
            rang: false,
            prompted: false,
            broke: false,
            fiber: undefined,
            waiting
          }
          working.set(sessionID, work)
          const context: DrainContext = { sessionID, stoppedByUser: () => work.state === "stopping" }
          // What follows a turn is decided also for one that was stopped before it began.
          const turn = Effect.interruptible(turns(work, context)).pipe(
            Effect.onExit((exit) => afterwards(work, sessionID, exit)),
            Effect.ignoreCause
          )
          return Effect.map(Effect.forkIn(turn, scope, { uninterruptible: true }), (fiber) => {
            work.fiber = fiber
          })
        })

      const turns = Effect.fnUntraced(function* (work: Work, context: DrainContext) {
        for (;;) {
          work.rang = work.prompted = false
          const { restMs } = yield* drain.run(context)
          // No fiber runs between this look and the state that follows it.
          if (restMs !== undefined && !work.prompted) return restMs
          if (!work.rang) return undefined
        }
      })

      const afterwards = (work: Work, sessionID: SessionId, exit: Exit.Exit<number | undefined>) =>
        Effect.gen(function* () {
          if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
            yield* Effect.logError("A turn broke", exit.cause)
            work.broke = true
          }
          if (working.get(sessionID) !== work) return yield* settle(work)
          // What it left unread is looked at again.
          if (work.state === "stopping" || work.broke) {
            return yield* work.prompted ? start(sessionID) : rest(work, sessionID, pauseMs)
          }
          if (Exit.isSuccess(exit) && exit.value !== undefined)
            return yield* rest(work, sessionID, exit.value)
          working.delete(sessionID)
          yield* settle(work)
        })

      const rest = (work: Work, sessionID: SessionId, restMs: number) =>
        Effect.gen(function* () {
          work.state = "resting"
          const over = Effect.gen(function* () {
            const owed = work.broke || (yield* wakes(sessionID))
            if (working.get(sessionID) !== work || work.state !== "resting") return
            if (owed) return yield* start(sessionID)
            working.delete(sessionID)
            yield* settle(work)
            // What came since the look was not heard: it rested.
            if (yield* wakes(sessionID)) yield* wake(sessionID)
          })
          work.fiber = yield* Effect.forkIn(Effect.andThen(Effect.sleep(restMs), over), scope)
          yield* settle(work)
        })

      const settle = (work: Work) =>
        Effect.forEach(work.waiting.splice(0), (waiting) => Deferred.succeed(waiting, undefined), {
          discard: true
        })

      const ring = (sessionID: SessionId, prompt: boolean): Effect.Effect<void> =>
        Effect.suspend(() => {
          const work = working.get(sessionID)
          if (work === undefined) return start(sessionID)
          switch (work.state) {
            case "busy":
              work.rang = true
              work.prompted ||= prompt
              return Effect.void
            case "stopping":
              work.prompted ||= prompt
              return Effect.void
            case "resting":
              if (!prompt && !work.broke) return Effect.void
              return Effect.andThen(start(sessionID), Effect.forkIn(Fiber.interrupt(work.fiber!), scope))
          }
        })

      const wake = (sessionID: SessionId) => ring(sessionID, false)

      const prompt = Effect.fn("Coordinator.prompt")(
        function* (sessionID: SessionId, { id, text, delivery = "steer" }: PromptDraft) {
          const input = yield* inbox.admit({
            id: id ?? InputId.make(newId("inp")),
            sessionID,
            delivery,
            origin: "user",
            payload: { type: "prompt", text },
            wakes: true
          })
          yield* afterCommit(ring(sessionID, true))
          return input
        },
        (effect) => transaction(effect)
      )

      const synthetic = Effect.fn("Coordinator.synthetic")(
        function* (
          sessionID: SessionId,
          { id, origin, payload, delivery = "steer", wakes = true }: SyntheticDraft
        ) {
          const input = yield* inbox.admit({
            id: id ?? InputId.make(newId("inp")),
            sessionID,
            delivery,
            origin,
            payload,
            wakes
          })
          if (wakes) yield* afterCommit(wake(sessionID))
          return input
        },
        (effect) => transaction(effect)
      )

      const interrupt = Effect.fn("Coordinator.interrupt")(function* (sessionID: SessionId) {
        const work = working.get(sessionID)
        if (work === undefined || work.state !== "busy") return { interrupted: work?.state === "stopping" }
        work.state = "stopping"
        work.rang = work.prompted = false
        yield* Effect.forkIn(Fiber.interrupt(work.fiber!), scope)
        return { interrupted: true }
      })

      const isIdle = Effect.fn("Coordinator.isIdle")(function* (sessionID: SessionId) {
        // What was committed may not have rung yet.
        yield* settled
        return working.get(sessionID) === undefined || (yield* restsInVain(sessionID))
      })

      /** Whether something waits that its admission was to wake it for. What does not wake waits for company. */
      const wakes = (sessionID: SessionId) =>
        Effect.map(inbox.pending(sessionID), (inputs) => inputs.some((input) => input.wakes))

      // A rest with nothing behind it that wakes is idleness.
      const restsInVain = Effect.fnUntraced(function* (sessionID: SessionId) {
        const work = working.get(sessionID)
        if (work?.state !== "resting" || (yield* wakes(sessionID))) return false
        return working.get(sessionID) === work && work.state === "resting"
      })

      const awaitIdle = Effect.fn("Coordinator.awaitIdle")(function* (sessionID: SessionId) {
        while (!(yield* isIdle(sessionID))) {
          const work = working.get(sessionID)
          if (work === undefined) continue
          const waiting = yield* Deferred.make<void>()
          work.waiting.push(waiting)
          yield* Deferred.await(waiting)
        }
      })

      const running = (sessionID: SessionId) =>
        Effect.sync(() => {
          const state = working.get(sessionID)?.state
          return state === "busy" || state === "stopping"
        })

      const retire = Effect.fn("Coordinator.retire")(function* (sessionID: SessionId) {
        const work = working.get(sessionID)
        if (work === undefined) return
        working.delete(sessionID)
        work.state = "stopping"
        yield* Fiber.interrupt(work.fiber!)
        yield* settle(work)
      })

      return Coordinator.of({ prompt, synthetic, wake, interrupt, awaitIdle, isIdle, running, retire })
    })
  )
}

interface Work {
  state: "busy" | "stopping" | "resting"
  /** Something came since the drain began. */
  rang: boolean
  /** A prompt came since then, or since the stop was asked for. */
  prompted: boolean
  /** It ended by a defect: nothing has to rest, but what it left unread is looked at again. */
  broke: boolean
  fiber: Fiber.Fiber<unknown> | undefined
  /** Who waits for idleness. */
  waiting: Array<Deferred.Deferred<void>>
}
