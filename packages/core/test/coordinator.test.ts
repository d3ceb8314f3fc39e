import { InputConflict } from "@vigil/schema/input"
import { type Session, SessionNotFound } from "@vigil/schema/session"
import { TurnId } from "@vigil/schema/turn"
import { describe, expect } from "bun:test"
import { Deferred, Effect, Fiber, Layer, Ref } from "effect"
import fc from "fast-check"
import { Coordinator, Drain, type DrainContext, type Drained } from "../src/coordinator.ts"
import { Database } from "../src/database.ts"
import { Inbox } from "../src/inbox.ts"
import { coordination, newSession, notice, prompt, tell } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { pass, settle } from "./lib/watching.ts"

const it = testEffect(coordination())
const alone = testEffect(Layer.empty)

const provide = (drain: (context: DrainContext) => Effect.Effect<Drained>) =>
  Drain.use((drains) => drains.provide(drain))

/** Turns that begin when a test looks, and end when it says so. */
const turns = Effect.gen(function* () {
  const begun: Array<{
    readonly context: DrainContext
    readonly end: (drained?: Drained) => Effect.Effect<void>
  }> = []
  const interrupted: Array<boolean> = []
  const cleanUp: { waits: Effect.Effect<void> } = { waits: Effect.void }
  yield* provide((context) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<Drained>()
      begun.push({ context, end: (drained = {}) => Effect.andThen(Deferred.succeed(end, drained), settle) })
      return yield* Deferred.await(end)
    }).pipe(
      Effect.onInterrupt(() => {
        interrupted.push(context.stoppedByUser())
        return cleanUp.waits
      })
    )
  )
  return { begun, interrupted, cleanUp }
})

const running = (session: Session) => Coordinator.use((coordinator) => coordinator.running(session.id))
const wake = (session: Session) =>
  Effect.andThen(
    Coordinator.use((coordinator) => coordinator.wake(session.id)),
    settle
  )
const interrupt = (session: Session) => Coordinator.use((coordinator) => coordinator.interrupt(session.id))
const pending = (session: Session) => Inbox.use((inbox) => inbox.pending(session.id))
/** Whether somebody who waits for idleness is let go. */
const waiter = (session: Session) =>
  Effect.gen(function* () {
    const over = yield* Ref.make(false)
    yield* (yield* Coordinator)
      .awaitIdle(session.id)
      .pipe(Effect.andThen(Ref.set(over, true)), Effect.forkChild)
    yield* settle
    return Effect.andThen(settle, Ref.get(over))
  })

describe("a wake", () => {
  it.effect(
    "starts a turn when idle",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      expect(yield* running(session)).toBe(false)
      yield* wake(session)
      expect(begun).toHaveLength(1)
      expect(yield* running(session)).toBe(true)
      yield* begun[0]!.end()
      expect(yield* running(session)).toBe(false)
      expect(begun).toHaveLength(1)
    })
  )

  it.effect(
    "when busy is heard at the end, and many are one",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      for (let i = 0; i < 10; i++) yield* wake(session)
      expect(begun).toHaveLength(1)
      yield* begun[0]!.end()
      expect(begun).toHaveLength(2)
      yield* begun[1]!.end()
      expect(begun).toHaveLength(2)
      expect(yield* running(session)).toBe(false)
    })
  )

  it.effect(
    "of one session does not wait for another's turn",
    Effect.gen(function* () {
      const { begun } = yield* turns
      yield* wake(yield* newSession())
      yield* wake(yield* newSession())
      expect(begun).toHaveLength(2)
    })
  )

  it.effect(
    "that comes before the runner stands waits for it",
    Effect.gen(function* () {
      const session = yield* newSession()
      yield* wake(session)
      const { begun } = yield* turns
      yield* settle
      expect(begun).toHaveLength(1)
    })
  )

  it.effect(
    "comes with the commit of what it is for, never without",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const { transaction } = yield* Database
      const session = yield* newSession()
      yield* transaction(Effect.andThen(tell(session, notice("mon_1")), Effect.fail("no"))).pipe(Effect.flip)
      yield* settle
      expect([begun.length, (yield* pending(session)).length]).toEqual([0, 0])
      yield* transaction(
        Effect.gen(function* () {
          yield* tell(session, notice("mon_1"))
          yield* settle
          expect(begun).toHaveLength(0)
        })
      )
      yield* settle
      expect([begun.length, (yield* pending(session)).length]).toEqual([1, 1])
    })
  )

  it.effect(
    "is left out where nobody shall be woken",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      const payload = notice("sh_1")
      yield* (yield* Coordinator).synthetic(session.id, { origin: "shell", payload, wakes: false })
      yield* settle
      expect([begun.length, (yield* pending(session)).length]).toEqual([0, 1])
    })
  )
})

describe("a prompt", () => {
  it.effect(
    "is refused for a session that is not there, or with another's id, and wakes nobody then",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const coordinator = yield* Coordinator
      const session = yield* newSession()
      const gone = yield* Effect.flip(coordinator.prompt("ses_other" as Session["id"], { text: "Go" }))
      expect(gone).toBeInstanceOf(SessionNotFound)
      const { id } = yield* prompt(session, "Go")
      yield* settle
      yield* begun[0]!.end()
      const conflict = yield* Effect.flip(coordinator.prompt(session.id, { id, text: "Stop" }))
      expect(conflict).toBeInstanceOf(InputConflict)
      yield* settle
      expect(begun).toHaveLength(1)
    })
  )
})

describe("a rest", () => {
  it.effect(
    "keeps events waiting for its time, and a prompt ends it",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      yield* wake(session)
      yield* begun[0]!.end({ restMs: 30_000 })
      yield* tell(session, notice("mon_1"))
      yield* pass(29_999)
      expect(begun).toHaveLength(1)
      yield* pass(1)
      expect(begun).toHaveLength(2)
      yield* begun[1]!.end({ restMs: 30_000 })
      yield* pass(10_000)
      yield* prompt(session, "Go")
      yield* settle
      expect(begun).toHaveLength(3)
      // The rest that was cut short wakes nobody later.
      yield* begun[2]!.end()
      yield* pass(60_000)
      expect(begun).toHaveLength(3)
    })
  )

  it.effect(
    "is not taken where a prompt came during the turn",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      yield* wake(session)
      yield* prompt(session, "Go")
      yield* begun[0]!.end({ restMs: 30_000 })
      expect(begun).toHaveLength(2)
    })
  )

  it.effect(
    "that has only what wakes nobody behind it is idleness, and its end begins no turn",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const coordinator = yield* Coordinator
      const session = yield* newSession()
      yield* wake(session)
      yield* begun[0]!.end({ restMs: 30_000 })
      yield* coordinator.synthetic(session.id, {
        origin: "monitor",
        payload: notice("mon_1", "stopped"),
        wakes: false
      })
      yield* coordinator.awaitIdle(session.id)
      yield* pass(30_000)
      expect(begun).toHaveLength(1)
      // What wakes is heard afterwards, and brings the other along.
      yield* tell(session, notice("mon_2"))
      yield* settle
      expect(begun).toHaveLength(2)
      expect(yield* pending(session)).toHaveLength(2)
    })
  )
})

describe("an interrupt", () => {
  it.effect(
    "answers at once, also while the clean-up takes its time, and does nothing where nothing runs",
    Effect.gen(function* () {
      const { begun, interrupted, cleanUp } = yield* turns
      const session = yield* newSession()
      expect(yield* interrupt(session)).toEqual({ interrupted: false })
      const cleaned = yield* Deferred.make<void>()
      cleanUp.waits = Deferred.await(cleaned)
      yield* wake(session)
      expect(yield* interrupt(session)).toEqual({ interrupted: true })
      yield* settle
      expect(interrupted).toEqual([true])
      expect(yield* interrupt(session)).toEqual({ interrupted: true })
      expect(yield* running(session)).toBe(true)
      expect(begun).toHaveLength(1)
      yield* Deferred.succeed(cleaned, undefined)
    })
  )

  it.effect(
    "forgets the ring and keeps the rows: they wait 30 s from the end of the clean-up",
    Effect.gen(function* () {
      const { begun, cleanUp } = yield* turns
      const session = yield* newSession()
      const cleaned = yield* Deferred.make<void>()
      cleanUp.waits = Deferred.await(cleaned)
      yield* wake(session)
      yield* tell(session, notice("mon_1"))
      yield* interrupt(session)
      yield* tell(session, notice("mon_2"))
      yield* pass(60_000)
      yield* Deferred.succeed(cleaned, undefined)
      yield* pass(29_999)
      expect(begun).toHaveLength(1)
      expect(yield* pending(session)).toHaveLength(2)
      yield* pass(1)
      expect(begun).toHaveLength(2)
    })
  )

  it.effect(
    "a prompt during the clean-up starts a turn when that is done, an event does not",
    Effect.gen(function* () {
      const { begun, cleanUp } = yield* turns
      const session = yield* newSession()
      const cleaned = yield* Deferred.make<void>()
      cleanUp.waits = Deferred.await(cleaned)
      yield* wake(session)
      yield* interrupt(session)
      yield* prompt(session, "Go")
      yield* settle
      expect(begun).toHaveLength(1)
      yield* Deferred.succeed(cleaned, undefined)
      yield* settle
      expect(begun).toHaveLength(2)
    })
  )

  it.effect(
    "a prompt after it starts a turn at once",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      yield* wake(session)
      yield* interrupt(session)
      yield* settle
      yield* prompt(session, "Go")
      yield* settle
      expect(begun).toHaveLength(2)
    })
  )

  it.effect(
    "forgets a prompt that had rung before it, and keeps its row for the rest's end",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      yield* wake(session)
      yield* prompt(session, "Too late")
      yield* interrupt(session)
      yield* settle
      expect(begun).toHaveLength(1)
      yield* pass(30_000)
      expect(begun).toHaveLength(2)
    })
  )
})

describe("awaitIdle", () => {
  it.effect(
    "waits for turns, those that follow them, and rests with something to read",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      const idle = yield* waiter(session)
      expect(yield* idle).toBe(true)

      yield* wake(session)
      const over = yield* waiter(session)
      yield* wake(session)
      yield* begun[0]!.end()
      expect(yield* over).toBe(false)
      yield* tell(session, notice("mon_1"))
      yield* begun[1]!.end({ restMs: 30_000 })
      expect(yield* over).toBe(false)
      yield* pass(30_000)
      expect(begun).toHaveLength(3)
      expect(yield* over).toBe(false)
      yield* begun[2]!.end()
      expect(yield* over).toBe(true)
    })
  )

  it.effect(
    "a rest with nothing to read behind it is idleness",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      yield* wake(session)
      const over = yield* waiter(session)
      yield* begun[0]!.end({ restMs: 30_000 })
      expect(yield* over).toBe(true)
    })
  )
})

describe("awaitIdle, between a commit and the wake that follows it", () => {
  it.effect(
    "does not answer yet",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const { transaction, afterCommit } = yield* Database
      const session = yield* newSession()
      const committed = yield* Deferred.make<void>()
      const wakes = yield* Deferred.make<void>()
      yield* transaction(
        Effect.gen(function* () {
          yield* afterCommit(Effect.andThen(Deferred.succeed(committed, undefined), Deferred.await(wakes)))
          yield* prompt(session, "Go")
        })
      ).pipe(Effect.forkChild)
      yield* Deferred.await(committed)
      expect(yield* pending(session)).toHaveLength(1)
      const over = yield* waiter(session)
      expect(yield* over).toBe(false)
      yield* Deferred.succeed(wakes, undefined)
      yield* settle
      expect(begun).toHaveLength(1)
      expect(yield* over).toBe(false)
      yield* begun[0]!.end()
      expect(yield* over).toBe(true)
    })
  )

  it.effect(
    "answers where nothing comes of it, and inside the transaction itself",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const { transaction } = yield* Database
      const session = yield* newSession()
      const { awaitIdle } = yield* Coordinator
      yield* transaction(
        Effect.gen(function* () {
          yield* prompt(session, "Go")
          yield* awaitIdle(session.id)
          return yield* Effect.fail("no")
        })
      ).pipe(Effect.flip)
      yield* awaitIdle(session.id)
      expect(begun).toHaveLength(0)
    })
  )
})

describe("what must not wedge a session", () => {
  it.effect(
    "a turn that dies lets the next wake through, and who waits go",
    Effect.gen(function* () {
      const turns: Array<number> = []
      yield* provide(() =>
        Effect.suspend(() => {
          turns.push(turns.length)
          return turns.length === 1 ? Effect.die("broken") : Effect.succeed({})
        })
      )
      const session = yield* newSession()
      yield* (yield* Coordinator).wake(session.id)
      yield* (yield* Coordinator).awaitIdle(session.id)
      expect(yield* running(session)).toBe(false)
      yield* wake(session)
      expect(turns).toHaveLength(2)
    })
  )

  it.effect(
    "retire ends a turn, waits for its clean-up and lets who waits go",
    Effect.gen(function* () {
      const { begun, interrupted, cleanUp } = yield* turns
      const session = yield* newSession()
      const cleaned = yield* Deferred.make<void>()
      cleanUp.waits = Deferred.await(cleaned)
      yield* wake(session)
      const over = yield* waiter(session)
      const retiring = yield* (yield* Coordinator).retire(session.id).pipe(Effect.forkChild)
      yield* settle
      expect(retiring.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(cleaned, undefined)
      yield* Fiber.join(retiring)
      expect(interrupted).toHaveLength(1)
      expect(yield* over).toBe(true)
      yield* pass(60_000)
      expect(begun).toHaveLength(1)
    })
  )

  it.effect(
    "retire ends a rest",
    Effect.gen(function* () {
      const { begun } = yield* turns
      const session = yield* newSession()
      yield* wake(session)
      yield* begun[0]!.end({ restMs: 30_000 })
      yield* (yield* Coordinator).retire(session.id)
      yield* pass(60_000)
      expect(begun).toHaveLength(1)
    })
  )

  alone.effect(
    "the server's end stops a turn, and is no user's interrupt",
    Effect.gen(function* () {
      const stopped: Array<boolean> = []
      yield* Effect.gen(function* () {
        yield* provide(({ stoppedByUser }) =>
          Effect.onInterrupt(Effect.never, () => Effect.sync(() => void stopped.push(stoppedByUser())))
        )
        yield* (yield* Coordinator).wake((yield* newSession()).id)
        yield* settle
      }).pipe(Effect.provide(coordination()))
      expect(stopped).toEqual([false])
    })
  )
})

/** What may happen to a session, and where the turn's fiber gives way to it. */
const someHistory = fc.array(
  fc.oneof(
    fc.constant("tell" as const),
    fc.constant("prompt" as const),
    fc.constant("interrupt" as const),
    fc.nat({ max: 6 })
  ),
  { minLength: 1, maxLength: 12 }
)

const reads = Effect.gen(function* () {
  const box = yield* Inbox
  const read: Array<string> = []
  const working = new Set<string>()
  yield* provide(({ sessionID }) =>
    Effect.gen(function* () {
      expect(working.has(sessionID)).toBe(false)
      working.add(sessionID)
      for (;;) {
        const rows = yield* box.pending(sessionID)
        for (let i = 0; i < 3; i++) yield* Effect.yieldNow
        if (rows.length === 0) return {}
        // Taken is noted, also where an interrupt comes between.
        yield* Effect.uninterruptible(
          Effect.map(box.promote(TurnId.make("trn_1"), rows), (taken) =>
            read.push(...taken.map(({ id }) => id))
          )
        )
      }
    }).pipe(Effect.ensuring(Effect.sync(() => working.delete(sessionID))))
  )
  return read
})

const live = (history: ReadonlyArray<"tell" | "prompt" | "interrupt" | number>, read: Array<string>) =>
  Effect.gen(function* () {
    read.length = 0
    const session = yield* newSession()
    let told = 0
    for (const step of history) {
      if (typeof step === "number") for (let i = 0; i < step; i++) yield* Effect.yieldNow
      else if (step === "interrupt") yield* interrupt(session)
      else {
        told++
        yield* step === "tell" ? tell(session, notice(`mon_${told}`)) : prompt(session, `${told}`)
      }
    }
    const over = yield* (yield* Coordinator).awaitIdle(session.id).pipe(Effect.forkChild)
    yield* pass(30_000)
    yield* Fiber.join(over)
    expect(read).toHaveLength(told)
    expect(new Set(read).size).toBe(told)
    expect(yield* pending(session)).toEqual([])
  })

describe("whatever comes when", () => {
  it.effect(
    "nothing is stranded, and nothing is read twice",
    Effect.gen(function* () {
      const read = yield* reads
      const context = yield* Effect.context<Layer.Success<ReturnType<typeof coordination>>>()
      const run = Effect.runPromiseWith(context)
      const property = fc.asyncProperty(someHistory, (history) => run(live(history, read)))
      yield* Effect.promise(() => fc.assert(property, { numRuns: 200 }))
    }),
    20_000
  )
})
