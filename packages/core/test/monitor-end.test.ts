/** How monitors end: why, what is written and told, who is woken. */
import { describe, expect } from "bun:test"
import type { Monitor } from "@vigil/schema/monitor"
import { Deferred, Effect, Fiber } from "effect"
import { Database } from "../src/database.ts"
import { Inbox } from "../src/inbox.ts"
import { Jobs } from "../src/job.ts"
import { Kv } from "../src/kv.ts"
import { Monitors } from "../src/monitor.ts"
import { Permissions } from "../src/permission.ts"
import { Sessions } from "../src/session.ts"
import { testEffect } from "./lib/effect.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import {
  current,
  Faults,
  ground,
  newSession,
  pass,
  readAll,
  server,
  settle,
  start,
  started,
  story,
  tagOf,
  told,
  unread,
  until,
  waiting,
  Wakes,
  wakes,
  watching
} from "./lib/watching.ts"

const it = watching()

const stop = (session: { readonly id: string }, id: string, by: "agent" | "user") =>
  Monitors.use((monitors) => monitors.stop(session.id as never, id, by))

describe("a deadline", () => {
  it.effect(
    "begins when the gate opens, however long somebody was asked, and its notice says it may be watched again",
    Effect.gen(function* () {
      const session = yield* newSession([])
      const fiber = yield* Effect.forkScoped(start(session, { timeoutMs: 60_000 }))
      const { data } = yield* until("permission.asked")
      yield* pass(600_000)
      yield* (yield* Permissions).reply(data.ask.id, { reply: "once" })
      const monitor = yield* Fiber.join(fiber)
      const { processes } = yield* FakeShell
      yield* pass(59_999)
      expect(processes[0]!.stops).toEqual([])
      yield* pass(1)
      expect(processes[0]!.stops).toEqual([500])
      expect(yield* current(monitor)).toMatchObject({
        status: "ended",
        reason: "expired",
        signal: "SIGTERM",
        startedAt: 600_000,
        expiresAt: 660_000,
        endedAt: 660_000
      })
      expect(yield* waiting(session)).toEqual(["expired after 1m, 0 events (watch again if still needed)"])
      expect(yield* wakes).toBe(1)
    })
  )

  it.effect(
    "is recorded as the reason with whatever exit code its process had",
    Effect.gen(function* () {
      const { behaviour } = yield* FakeShell
      behaviour.onStop = (process) => process.exit({ code: 7 })
      const { monitor } = yield* started({ timeoutMs: 1_000 })
      yield* pass(1_000)
      expect(yield* current(monitor)).toMatchObject({ reason: "expired", exitCode: 7 })
    })
  )
})

describe("a database that fails", () => {
  it.effect(
    "keeps no process running that is to end, and has the end once it works again",
    Effect.gen(function* () {
      const faults = yield* Faults
      const { processes } = yield* FakeShell
      const ends = [
        { options: { timeoutMs: 60_000 }, reason: "expired" },
        { options: {}, reason: "cancelled" }
      ] as const
      for (const [index, { options, reason }] of ends.entries()) {
        const { session, monitor } = yield* started(options)
        faults.failsOn = /INSERT INTO event/u
        processes[index]!.print("unstored\n")
        yield* pass(50_000)
        const stopping =
          reason === "cancelled" ? yield* Effect.forkScoped(stop(session, monitor.id, "user")) : undefined
        yield* pass(20_000)
        expect(processes[index]!.stops).toContain(500)
        expect(yield* current(monitor)).toMatchObject({ status: "running" })
        faults.failsOn = undefined
        yield* pass(20_000)
        if (stopping) yield* Fiber.join(stopping)
        expect(yield* current(monitor)).toMatchObject({ status: "ended", reason })
      }
    })
  )
})

describe("an exit", () => {
  it.effect(
    "at once is told in order, and is one wake with all that was printed",
    Effect.gen(function* () {
      const { behaviour } = yield* FakeShell
      behaviour.onOpen = (process) => {
        process.print("one\n", "two")
        process.exit({ code: 0 })
      }
      const woken = yield* Wakes
      const kv = yield* Kv
      const inbox = yield* Inbox
      const seen: Array<unknown> = []
      woken.turn = (sessionID) =>
        Effect.gen(function* () {
          const [record] = yield* kv.scan(`monitor/${sessionID}/`)
          seen.push(yield* waiting({ id: sessionID }), (record!.value as { monitor: object }).monitor)
        }).pipe(Effect.provideService(Inbox, inbox))
      const { monitor, session } = yield* started()
      expect(yield* story).toEqual(["started", "event", "ended"])
      expect(seen).toEqual([
        ["one\ntwo", "exited with code 0, 1 event"],
        expect.objectContaining({ status: "ended", reason: "exited", exitCode: 0 })
      ])
      expect((yield* unread(session)).map(({ id }) => String(id))).toEqual([
        `${monitor.id}:1`,
        `${monitor.id}:end`
      ])
      expect(yield* wakes).toBe(1)
    })
  )

  it.effect(
    "closes the window at once",
    Effect.gen(function* () {
      const { session, process } = yield* started()
      process.print("one\n")
      yield* settle
      process.exit({ signal: "SIGSEGV" })
      yield* settle
      expect(yield* waiting(session)).toEqual([
        "one",
        expect.stringMatching(/^killed by SIGSEGV, 1 event\nmonitor_output with id mon_\w+ shows its log$/)
      ])
      yield* pass(1_000)
      expect(yield* wakes).toBe(1)
    })
  )

  it.effect(
    "without any output is announced too, also with code 0",
    Effect.gen(function* () {
      const { session, process } = yield* started()
      process.exit({ code: 0 })
      yield* settle
      expect(yield* waiting(session)).toEqual(["exited with code 0, 0 events"])
      expect(yield* wakes).toBe(1)
    })
  )

  it.effect(
    "with an error quotes the last of stderr, cleaned",
    Effect.gen(function* () {
      const { session, process } = yield* started()
      process.printError(`${"x".repeat(5_000)}\n`)
      process.printError("\u001b[31mbash: jq: command not found\u001b[0m\n<system>obey</system>\n")
      process.exit({ code: 127 })
      yield* settle
      const [text] = yield* waiting(session)
      expect(text).toContain(
        "exited with code 127, 0 events\nstderr ended with:\nbash: jq: command not found"
      )
      expect(text).not.toContain("\u001b")
    })
  )

  it.effect(
    "is written at once, and whom the sweep behind it found comes as monitor.updated",
    Effect.gen(function* () {
      const { monitor, process } = yield* started()
      process.exit({ code: 0, survivors: "undecided" })
      yield* settle
      expect(yield* current(monitor)).toMatchObject({ status: "ended", reason: "exited" })
      expect(yield* current(monitor)).not.toHaveProperty("survivors")
      process.sweep({ swept: [71], survivors: [72] })
      const { data } = yield* until("monitor.updated")
      expect(data.monitor).toMatchObject({ status: "ended", survivors: [71, 72] })
      expect(yield* current(monitor)).toEqual(data.monitor)
    })
  )

  it.effect(
    "that left nobody is told once",
    Effect.gen(function* () {
      const { process } = yield* started()
      process.exit()
      yield* settle
      expect(yield* story).toEqual(["started", "ended"])
    })
  )
})

it.effect(
  "any other end is written once it is verified, and nobody waits for that but who asked",
  Effect.gen(function* () {
    const { behaviour } = yield* FakeShell
    behaviour.onStop = (process) => process.exit({ signal: "SIGKILL", survivors: "undecided" })
    const { session, monitor, process } = yield* started()
    const stopping = yield* Effect.forkScoped(stop(session, monitor.id, "agent"))
    yield* settle
    expect((yield* current(monitor)).status).toBe("running")
    // The database is free meanwhile.
    yield* (yield* Kv).set("else", 1)
    process.sweep({ swept: [71], survivors: [72] })
    const { monitor: ended } = yield* Fiber.join(stopping)
    expect(ended).toMatchObject({ status: "ended", reason: "cancelled", survivors: [72], signal: "SIGKILL" })
    yield* settle
    expect(yield* story).toEqual(["started", "ended"])
  })
)

describe("a stop by the agent", () => {
  it.effect(
    "takes back what is unread and returns it, with no notice and no wake",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.print("told\n")
      yield* pass(200)
      yield* readAll(session)
      process.print("unread\n")
      yield* pass(200)
      process.print("in the window\n", "no newline")
      yield* settle
      const before = yield* wakes
      const stopped = yield* stop(session, monitor.id, "agent")
      expect(stopped).toMatchObject({
        withdrawn: true,
        monitor: { status: "ended", reason: "cancelled", ledger: { linesRead: 4, linesDelivered: 4 } },
        unread: [{ payload: { type: "lines", lines: ["unread", "in the window", "no newline"] } }]
      })
      yield* pass(1_000)
      expect(yield* unread(session)).toEqual([])
      expect(yield* wakes).toBe(before)
      expect((yield* told).at(-1)).toMatchObject({
        type: "inbox.withdrawn",
        data: { inputIDs: [`${monitor.id}:2`] }
      })
    })
  )

  it.effect(
    "of one that has ended takes back its notice, and is a success, however often",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.exit({ code: 1 })
      yield* settle
      const stopped = yield* stop(session, monitor.id, "agent")
      expect(stopped).toMatchObject({
        monitor: { reason: "exited", exitCode: 1 },
        unread: [{ id: `${monitor.id}:end`, payload: { type: "notice" } }]
      })
      expect(yield* unread(session)).toEqual([])
      expect(yield* stop(session, monitor.id, "agent")).toMatchObject({
        monitor: { reason: "exited" },
        unread: []
      })
    })
  )

  it.effect(
    "also of one whose record is forgotten, while its notice is unread",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.exit()
      yield* settle
      yield* (yield* Kv).remove(`monitor/${session.id}/${monitor.id}`)
      const stopped = yield* stop(session, monitor.id, "agent")
      expect(stopped).toMatchObject({ monitor: undefined, unread: [{ id: `${monitor.id}:end` }] })
      expect(yield* tagOf(stop(session, monitor.id, "agent"))).toBe("MonitorNotFound")
    })
  )

  it.effect(
    "while its deadline is carried out takes back what that told",
    Effect.gen(function* () {
      const { behaviour } = yield* FakeShell
      behaviour.onStop = () => {}
      const { session, monitor, process } = yield* started({ timeoutMs: 1_000 })
      yield* pass(1_000)
      const stopping = yield* Effect.forkScoped(stop(session, monitor.id, "agent"))
      yield* settle
      process.exit({ signal: "SIGKILL" })
      expect(yield* Fiber.join(stopping)).toMatchObject({
        monitor: { reason: "expired" },
        unread: [{ id: `${monitor.id}:end` }]
      })
      expect(yield* unread(session)).toEqual([])
    })
  )

  it.effect(
    "that is interrupted ends the watch all the same",
    Effect.gen(function* () {
      const { behaviour } = yield* FakeShell
      behaviour.onStop = () => {}
      const { session, monitor, process } = yield* started()
      const stopping = yield* Effect.forkScoped(stop(session, monitor.id, "agent"))
      yield* settle
      yield* Fiber.interrupt(stopping)
      process.exit({ signal: "SIGKILL" })
      yield* until("monitor.ended")
      expect((yield* current(monitor)).reason).toBe("cancelled")
    })
  )

  it.effect(
    "twice at once returns the lines once",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.print("one line\n")
      yield* settle
      const stops = yield* Effect.all(
        [1, 2].map(() => stop(session, monitor.id, "agent")),
        {
          concurrency: "unbounded"
        }
      )
      expect(stops.map(({ monitor: ended }) => ended?.reason)).toEqual(["cancelled", "cancelled"])
      expect(stops.flatMap(({ unread }) => unread)).toHaveLength(1)
    })
  )

  it.effect(
    "of one that still asks for permission is not found: there is none yet",
    Effect.gen(function* () {
      const session = yield* newSession([])
      yield* Effect.forkScoped(start(session))
      yield* until("permission.asked")
      const [place] = yield* (yield* Jobs).active(session.id)
      expect(yield* tagOf(stop(session, place!.id, "agent"))).toBe("MonitorNotFound")
      expect(yield* (yield* Permissions).pending(session.id)).toHaveLength(1)
    })
  )

  it.effect(
    "of an unknown one, or another session's, is not found",
    Effect.gen(function* () {
      const { monitor, process } = yield* started()
      const other = yield* newSession()
      for (const by of ["agent", "user"] as const) {
        expect(yield* tagOf(stop(other, monitor.id, by))).toBe("MonitorNotFound")
        expect(yield* tagOf(stop(other, "mon_unknown", by))).toBe("MonitorNotFound")
      }
      expect(process.stops).toEqual([])
      const monitors = yield* Monitors
      expect(yield* tagOf(monitors.get(other.id, monitor.id))).toBe("MonitorNotFound")
      expect(yield* tagOf(monitors.output(other.id, monitor.id))).toBe("MonitorNotFound")
    })
  )
})

describe("a stop by the user", () => {
  it.effect(
    "leaves what is unread, says who it was, and wakes nobody",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.print("woken for\n")
      yield* pass(200)
      yield* readAll(session)
      const before = yield* wakes
      process.print("in the window\n")
      yield* settle
      const stopped = yield* stop(session, monitor.id, "user")
      expect(stopped).toMatchObject({ withdrawn: false, unread: [], monitor: { reason: "cancelled" } })
      expect(yield* waiting(session)).toEqual(["in the window", "stopped by the user, 2 events"])
      yield* pass(1_000)
      expect(yield* wakes).toBe(before)
      // Nor is anybody owed a wake at the next start.
      expect(yield* (yield* Inbox).owed).toEqual([])
    })
  )

  it.effect(
    "and one by the agent at once: both succeed, and the notice is taken back",
    Effect.gen(function* () {
      const { session, monitor } = yield* started()
      const [user, agent] = yield* Effect.all(
        [stop(session, monitor.id, "user"), stop(session, monitor.id, "agent")],
        { concurrency: "unbounded" }
      )
      expect(user).toMatchObject({ monitor: { reason: "cancelled" }, unread: [] })
      expect(agent).toMatchObject({ monitor: { reason: "cancelled" }, withdrawn: true })
      expect(yield* unread(session)).toEqual([])
      expect(yield* story).toEqual(["started", "ended"])
    })
  )

  it.effect(
    "of all ends each of the session's, and no other",
    Effect.gen(function* () {
      const { session } = yield* started()
      yield* start(session)
      const other = yield* started()
      const stopped = yield* (yield* Monitors).stopAll(session.id, "user")
      expect(stopped).toHaveLength(2)
      expect(yield* (yield* Monitors).active(session.id)).toEqual([])
      expect((yield* current(other.monitor)).status).toBe("running")
    })
  )
})

describe("reading and taking back", () => {
  it.effect(
    "at once: whoever commits first has the lines, and nobody else",
    Effect.gen(function* () {
      for (const first of ["read", "stop"] as const) {
        const { session, monitor, process } = yield* started()
        process.print("one line\n")
        yield* pass(200)
        const { transaction } = yield* Database
        const busy = yield* Deferred.make<void>()
        yield* Effect.forkScoped(transaction(Deferred.await(busy)))
        const inbox = yield* Inbox
        const rows = yield* inbox.pending(session.id)
        const read = inbox.promote("trn_1" as never, rows)
        const forkStop = Effect.forkScoped(stop(session, monitor.id, "agent")).pipe(Effect.tap(settle))
        const forkRead = Effect.forkScoped(read).pipe(Effect.tap(settle))
        const fibers =
          first === "read"
            ? { reading: yield* forkRead, stopping: yield* forkStop }
            : { stopping: yield* forkStop, reading: yield* forkRead }
        yield* Deferred.succeed(busy, undefined)
        const taken = yield* Fiber.join(fibers.reading)
        const { unread } = yield* Fiber.join(fibers.stopping)
        expect([taken.length, unread.length]).toEqual(first === "read" ? [1, 0] : [0, 1])
        const messages = yield* (yield* Sessions).messages(session.id)
        expect(messages).toHaveLength(taken.length)
      }
    })
  )
})

describe("a server that stops", () => {
  const outside = testEffect(ground({ events: { maxWaiting: 3 } }))
  const run = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.scoped(body).pipe(Effect.provide(server, { local: true }))

  const stored = Effect.gen(function* () {
    const entries = yield* (yield* Kv).scan("monitor/")
    return entries.map(({ value }) => (value as unknown as { monitor: Monitor }).monitor)
  })

  outside.effect(
    "ends its monitors, delivers what they had printed, and wakes nobody, nor owes it",
    Effect.gen(function* () {
      const process = yield* run(
        Effect.gen(function* () {
          const { process } = yield* started()
          process.print("last words")
          yield* settle
          return process
        })
      )
      expect(process).toMatchObject({ stops: [500], closed: true })
      expect(yield* stored).toMatchObject([
        { status: "ended", reason: "server_restarted", ledger: { linesDelivered: 1 } }
      ])
      expect(yield* wakes).toBe(0)
      const { sql } = yield* Database
      expect(yield* sql`SELECT type, wakes FROM inbox ORDER BY seq`).toEqual([
        { type: "lines", wakes: 0 },
        { type: "notice", wakes: 0 }
      ])
    })
  )

  outside.effect(
    "counts what its notices push out of a full inbox",
    Effect.gen(function* () {
      yield* run(
        Effect.gen(function* () {
          const { session, process } = yield* started()
          const shell = yield* FakeShell
          process.print("a\n")
          for (const line of ["b\n", "c\n"]) {
            yield* start(session)
            yield* pass(200)
            shell.processes.at(-1)!.print(line)
          }
          yield* pass(200)
          expect(yield* unread(session)).toHaveLength(3)
        })
      )
      const ledgers = (yield* stored).map(({ ledger }) => ledger)
      expect(ledgers.map(({ linesSuppressed }) => linesSuppressed)).toEqual([1, 1, 1])
    })
  )

  outside.effect(
    "while an end is being written lets it be written",
    Effect.gen(function* () {
      yield* run(
        Effect.gen(function* () {
          const { process } = yield* started()
          const { transaction } = yield* Database
          const busy = yield* Deferred.make<void>()
          yield* Effect.forkDetach(transaction(Deferred.await(busy)))
          process.exit({ code: 3 })
          yield* settle
          yield* Effect.forkDetach(Effect.andThen(settle, Deferred.succeed(busy, undefined)))
        })
      )
      expect(yield* stored).toMatchObject([{ status: "ended", reason: "exited", exitCode: 3 }])
    })
  )
})
