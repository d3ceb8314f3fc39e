/** Each fact is one transaction: whatever statement of it fails, it has happened whole or not at all. */
import { hold, say } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { InputId } from "@vigil/schema/input"
import { MonitorId } from "@vigil/schema/monitor"
import type { SessionId } from "@vigil/schema/session"
import { BackgroundShells } from "../src/background.ts"
import { Coordinator } from "../src/coordinator.ts"
import { Jobs } from "../src/job.ts"
import { Monitors } from "../src/monitor.ts"
import { Permissions } from "../src/permission.ts"
import { Sessions } from "../src/session.ts"
import { testEffect } from "./lib/effect.ts"
import { failEach, failpoint, type Operation } from "./lib/failpoint.ts"
import { fifo } from "./lib/fifo.ts"
import { heard, logs, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"
import { waitFor } from "./shell/fixture/oracle.ts"

const it = testEffect(Layer.empty)
const patience = 30_000

const never = new Promise<never>(() => {})

/** A server whose statements can be made to fail; in a session that was told to hold on, inputs wait. */
const setUp = Effect.gen(function* () {
  const point = failpoint()
  const world = yield* makeWorld(({ has }) => (has("Hold on") ? hold(never) : say("Here")), {
    before: point.before,
    config: { monitor: { batchMs: 20 }, events: { maxWaiting: 2, pauseMs: 50 } }
  })
  const stored = storedIn(world.stateDir)
  return {
    point,
    world,
    stored,
    of: (sessionID: string) => ({
      inbox: () => stored.inbox().filter((row) => row.sessionID === sessionID),
      monitors: () => stored.monitors().filter(({ monitor }) => monitor.sessionID === sessionID),
      messages: () => stored.messages().filter((message) => message.sessionID === sessionID),
      events: (type: string) =>
        stored.events().filter((event) => event.type === type && event.sessionID === sessionID)
    }),
    each: <X, E, R, R2, R3>(operation: Operation<X, E, R, R2, R3>) => {
      const { lines, layer } = logs()
      return local(
        failEach(point, world.stateDir, operation),
        world.server().pipe(Layer.provideMerge(layer))
      ).pipe(Effect.map((statements) => ({ statements, lines })))
    }
  }
})

/** Its turn runs, and reads nothing that comes. */
const busySession = (directory: string) =>
  Effect.gen(function* () {
    const session = yield* newSession(directory)
    yield* (yield* Coordinator).prompt(session.id, { text: "Hold on" })
    yield* heard((event) => event.type === "turn.started" && event.sessionID === session.id)
    return session
  })

const watched = (directory: string, sessionID: SessionId, description = "source") =>
  Effect.gen(function* () {
    const source = yield* fifo(directory)
    const monitor = yield* (yield* Monitors).start(sessionID, {
      command: source.command,
      description,
      startedBy: "user"
    })
    return { source, monitor }
  })

/** With two lines that nobody has read. */
const unread = (directory: string, sessionID: SessionId, description?: string) =>
  Effect.gen(function* () {
    const { source, monitor } = yield* watched(directory, sessionID, description)
    source.write("one\ntwo\n")
    yield* heard((event) => event.type === "monitor.event" && event.data.monitorID === monitor.id)
    return { source, monitor }
  })

const linesOf = (payloads: ReadonlyArray<{ readonly type: string }>) =>
  payloads.flatMap((payload) => ("lines" in payload ? (payload.lines as ReadonlyArray<string>) : []))

const removed = (sessionID: SessionId) => Sessions.use((sessions) => sessions.remove(sessionID))

describe("all or nothing, whatever statement fails", () => {
  it.live(
    "a monitor starts",
    Effect.gen(function* () {
      const { world, of, each } = yield* setUp
      const { statements } = yield* each({
        arrange: newSession(world.directory),
        act: (session) =>
          Monitors.use((monitors) =>
            monitors.start(session.id, {
              id: MonitorId.make(`mon_${session.id.slice(4)}`),
              command: `touch ${session.id}; sleep 60`,
              description: "sleeper",
              startedBy: "user"
            })
          ),
        settle: ({ id }, failed) =>
          Effect.gen(function* () {
            const active = (yield* (yield* Jobs).active(id)).length
            expect(active).toBe(failed ? 0 : 1)
            if (failed) {
              expect(existsSync(join(world.directory, id))).toBe(false)
              const folder = join(world.stateDir, "sessions", id)
              expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
              yield* watched(world.directory, id)
            }
            expect(of(id).monitors().length).toBe(1)
            expect(of(id).events("monitor.started").length).toBe(1)
            yield* removed(id)
          })
      })
      expect(statements).toBeGreaterThanOrEqual(4)
    }),
    patience
  )

  it.live(
    "lines are counted, admitted and told, and tried again until they are",
    Effect.gen(function* () {
      const { world, of, each, point } = yield* setUp
      const { statements, lines } = yield* each({
        arrange: Effect.gen(function* () {
          const session = yield* busySession(world.directory)
          return { session, ...(yield* watched(world.directory, session.id)) }
        }),
        act: ({ source, monitor }) =>
          Effect.gen(function* () {
            source.write("one\ntwo\n")
            const told = heard(
              (event) => event.type === "monitor.event" && event.data.monitorID === monitor.id
            )
            yield* told
          }),
        settle: ({ session: { id } }) =>
          Effect.gen(function* () {
            expect(
              linesOf(
                of(id)
                  .inbox()
                  .map(({ payload }) => payload)
              )
            ).toEqual(["one", "two"])
            const [record] = of(id).monitors()
            expect(record).toMatchObject({ seq: 1, cursor: 8 })
            expect(record!.monitor.ledger).toMatchObject({ linesRead: 2, linesDelivered: 2, events: 1 })
            expect(of(id).events("monitor.event").length).toBe(1)
            yield* removed(id)
          })
      })
      expect(point.failed()).toBe(undefined)
      expect(statements).toBeGreaterThan(8)
      expect(lines.filter((line) => line.includes("could not be stored")).length).toBe(statements)
    }),
    patience
  )

  it.live(
    "a monitor ends, with its last line and its notice",
    Effect.gen(function* () {
      const { world, of, each } = yield* setUp
      const { statements } = yield* each({
        arrange: Effect.gen(function* () {
          const session = yield* busySession(world.directory)
          return { session, ...(yield* watched(world.directory, session.id)) }
        }),
        act: ({ session, source }) =>
          Effect.gen(function* () {
            source.write("last")
            yield* source.end
            yield* (yield* Jobs).awaitQuiet(session.id)
          }),
        settle: ({ session: { id } }) =>
          Effect.gen(function* () {
            const payloads = of(id)
              .inbox()
              .map(({ payload }) => payload)
            expect(payloads.map(({ type }) => type)).toEqual(["lines", "notice"])
            expect(linesOf(payloads)).toEqual(["last"])
            const [record] = of(id).monitors()
            expect(record!.monitor).toMatchObject({
              reason: "exited",
              exitCode: 0,
              ledger: { linesDelivered: 1 }
            })
            expect(of(id).events("monitor.ended").length).toBe(1)
            yield* removed(id)
          })
      })
      expect(statements).toBeGreaterThan(15)
    }),
    patience
  )

  for (const by of ["agent", "user"] as const) {
    it.live(
      `the ${by} stops a monitor with unread lines`,
      Effect.gen(function* () {
        const { world, of, each } = yield* setUp
        let stopped: { readonly unread: ReadonlyArray<{ readonly payload: { readonly type: string } }> }
        const { statements } = yield* each({
          arrange: Effect.gen(function* () {
            const session = yield* busySession(world.directory)
            return { session, ...(yield* unread(world.directory, session.id)) }
          }),
          act: ({ session, monitor }) =>
            Effect.gen(function* () {
              stopped = yield* (yield* Monitors).stop(session.id, monitor.id, by)
            }),
          settle: ({ session: { id } }) =>
            Effect.gen(function* () {
              const rows = of(id).inbox()
              const told = stopped.unread.map(({ payload }) => payload)
              expect(linesOf(told)).toEqual(by === "agent" ? ["one", "two"] : [])
              expect(rows.map(({ payload, wakes }) => [payload.type, wakes])).toEqual(
                by === "agent" ? [] : [["lines", true] as never, ["notice", false] as never]
              )
              expect(of(id).monitors()[0]!.monitor.reason).toBe("cancelled")
              expect(of(id).events("monitor.ended").length).toBe(1)
              yield* removed(id)
            })
        })
        expect(statements).toBeGreaterThan(8)
      }),
      patience
    )
  }

  it.live(
    "the agent takes back the notice of a monitor that had ended",
    Effect.gen(function* () {
      const { world, of, each } = yield* setUp
      const stop = (id: SessionId, monitorID: string) =>
        Monitors.use((monitors) => monitors.stop(id, monitorID, "agent"))
      yield* each({
        arrange: Effect.gen(function* () {
          const session = yield* busySession(world.directory)
          const both = yield* watched(world.directory, session.id)
          yield* both.source.end
          yield* (yield* Jobs).awaitQuiet(session.id)
          yield* (yield* Jobs).await(both.monitor.id)
          return { session, ...both }
        }),
        act: ({ session, monitor }) => stop(session.id, monitor.id),
        settle: ({ session: { id }, monitor }, failed) =>
          Effect.gen(function* () {
            if (failed) expect((yield* stop(id, monitor.id)).unread.length).toBe(1)
            expect(of(id).inbox()).toEqual([])
            yield* removed(id)
          })
      })
    }),
    patience
  )

  it.live(
    "a session is deleted, with all that runs in it",
    Effect.gen(function* () {
      const { world, each, stored } = yield* setUp
      const { statements } = yield* each({
        arrange: Effect.gen(function* () {
          const session = yield* busySession(world.directory)
          const both = yield* unread(world.directory, session.id)
          yield* (yield* BackgroundShells).start(session.id, { command: "sleep 60", background: true })
          return { session, ...both }
        }),
        act: ({ session }) => removed(session.id),
        settle: ({ session: { id } }, failed) =>
          Effect.gen(function* () {
            const jobs = yield* Jobs
            if (failed) {
              expect((yield* jobs.active(id)).length).toBe(2)
              expect(yield* (yield* Coordinator).running(id)).toBe(true)
              yield* removed(id)
            }
            expect(yield* jobs.active(id)).toEqual([])
            expect(yield* (yield* Coordinator).running(id)).toBe(false)
            const { event, ...tables } = stored.tables()
            expect(JSON.stringify(tables)).not.toContain(id)
            const told = (event as Array<{ type: string; session_id: string }>)
              .filter(({ session_id }) => session_id === id)
              .map(({ type }) => type)
            expect(told.toSorted()).toEqual(["monitor.ended", "session.deleted", "shell.ended"])
            expect(existsSync(join(world.stateDir, "sessions", id))).toBe(false)
          })
      })
      expect(statements).toBeGreaterThan(10)
    }),
    patience
  )

  it.live(
    "an input is admitted to a full inbox, and what it replaces is counted as suppressed",
    Effect.gen(function* () {
      const { world, of, each } = yield* setUp
      const admit = (sessionID: SessionId) =>
        Coordinator.use((coordinator) =>
          coordinator.synthetic(sessionID, {
            id: InputId.make(`inp_${sessionID.slice(4)}`),
            origin: "plugin",
            payload: { type: "remark", source: { id: "plug", description: "plug" }, text: "Look" }
          })
        )
      const { statements } = yield* each({
        arrange: Effect.gen(function* () {
          const session = yield* busySession(world.directory)
          yield* unread(world.directory, session.id, "first")
          yield* unread(world.directory, session.id, "second")
          return session
        }),
        act: ({ id }) => admit(id),
        settle: ({ id }, failed) =>
          Effect.gen(function* () {
            if (failed) yield* admit(id)
            yield* admit(id)
            const rows = of(id).inbox()
            expect(rows.map(({ payload }) => payload.type)).toEqual(["counts", "remark"])
            for (const { monitor } of of(id).monitors())
              expect(monitor.ledger).toMatchObject({ linesRead: 2, linesDelivered: 0, linesSuppressed: 2 })
            yield* removed(id)
          })
      })
      expect(statements).toBeGreaterThan(15)
    }),
    patience
  )

  it.live(
    "a prompt is admitted, and its session woken",
    Effect.gen(function* () {
      const { world, of, each } = yield* setUp
      const prompt = (id: SessionId) =>
        Coordinator.use((coordinator) =>
          coordinator.prompt(id, { id: InputId.make(`inp_${id.slice(4)}`), text: "Hello" })
        )
      yield* each({
        arrange: newSession(world.directory),
        act: ({ id }) => prompt(id),
        settle: ({ id }, failed) =>
          Effect.gen(function* () {
            const coordinator = yield* Coordinator
            if (failed) expect(yield* coordinator.running(id)).toBe(false)
            yield* prompt(id)
            yield* coordinator.awaitIdle(id)
            expect(
              of(id)
                .messages()
                .map(({ role }) => role)
            ).toEqual(["user", "assistant"])
          })
      })
    }),
    patience
  )

  it.live(
    "a question is asked, and answered for good",
    Effect.gen(function* () {
      const { world, each, stored } = yield* setUp
      const ask = (session: Effect.Success<ReturnType<typeof newSession>>) =>
        Permissions.use((permissions) =>
          permissions.require({
            session,
            tool: "shell",
            title: `do ${session.id}`,
            subjects: [{ action: "shell", value: `do ${session.id}`, pattern: `do ${session.id}` }]
          })
        )
      const asked = (id: SessionId) =>
        heard((event) => event.type === "permission.asked" && event.sessionID === id)
      yield* each({
        arrange: newSession(world.directory, []),
        act: (session) => Effect.raceFirst(ask(session), asked(session.id)),
        settle: ({ id }) =>
          Effect.gen(function* () {
            expect(stored.records(`ask/${id}/`)).toEqual([])
            expect(yield* (yield* Permissions).pending(id)).toEqual([])
          })
      })
      const reply = (id: SessionId) =>
        Effect.gen(function* () {
          const permissions = yield* Permissions
          const [waiting] = yield* permissions.pending(id)
          yield* permissions.reply(waiting!.id, { reply: "always" })
        })
      const { statements } = yield* each({
        arrange: Effect.gen(function* () {
          const session = yield* newSession(world.directory, [])
          const asking = yield* Effect.forkChild(ask(session))
          yield* asked(session.id)
          return { session, asking }
        }),
        act: ({ session }) => reply(session.id),
        settle: ({ session, asking }, failed) =>
          Effect.gen(function* () {
            if (failed) yield* reply(session.id)
            yield* Fiber.join(asking)
            yield* ask(session)
            expect(stored.records(`ask/${session.id}/`)).toEqual([])
          })
      })
      expect(statements).toBeGreaterThan(4)
    }),
    patience
  )

  it.live(
    "a background shell starts",
    Effect.gen(function* () {
      const { world, of, each } = yield* setUp
      const start = (id: SessionId) =>
        BackgroundShells.use((shells) =>
          shells.start(id, { command: `touch ${id}; sleep 60`, background: true })
        )
      yield* each({
        arrange: newSession(world.directory),
        act: ({ id }) => start(id),
        settle: ({ id }, failed) =>
          Effect.gen(function* () {
            if (failed) {
              expect(yield* (yield* Jobs).active(id)).toEqual([])
              expect(existsSync(join(world.directory, id))).toBe(false)
              const folder = join(world.stateDir, "sessions", id)
              expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
              yield* start(id)
            }
            expect(of(id).events("shell.started").length).toBe(1)
            yield* removed(id)
          })
      })
    }),
    patience
  )

  it.live(
    "a background shell ends with its notice, and tries again until it has",
    Effect.gen(function* () {
      const { world, of, each } = yield* setUp
      yield* each({
        arrange: Effect.gen(function* () {
          const session = yield* busySession(world.directory)
          const source = yield* fifo(world.directory)
          const shell = yield* (yield* BackgroundShells).start(session.id, {
            command: source.command,
            background: true
          })
          return { session, source, shell }
        }),
        act: ({ session, source }) =>
          Effect.gen(function* () {
            yield* source.end
            yield* (yield* Jobs).awaitQuiet(session.id)
          }),
        settle: ({ session: { id }, shell }) =>
          Effect.gen(function* () {
            expect(of(id).inbox()).toMatchObject([{ id: `${shell.id}:end`, wakes: true }])
            expect(of(id).events("shell.ended").length).toBe(1)
            expect(existsSync(join(world.stateDir, "sessions", id, shell.id))).toBe(true)
            expect(yield* (yield* BackgroundShells).get(id, shell.id)).toMatchObject({ reason: "exited" })
            yield* removed(id)
          })
      })
    }),
    patience
  )
})

describe("a database that fails for a while", () => {
  it.live(
    "loses no line of a monitor, and none is told twice",
    Effect.gen(function* () {
      const { world, of, point } = yield* setUp
      const { lines, layer } = logs()
      yield* local(
        Effect.gen(function* () {
          const session = yield* busySession(world.directory)
          const { source, monitor } = yield* watched(world.directory, session.id)
          source.write("1\n2\n")
          yield* heard((event) => event.type === "monitor.event")
          point.failAll(true)
          for (let line = 3; line <= 9; line++) source.write(`${line}\n`)
          yield* Effect.promise(() => waitFor(() => lines.length >= 2))
          source.write("10")
          yield* source.end
          yield* Effect.promise(() => waitFor(() => lines.length >= 4))
          expect(of(session.id).monitors()[0]!.monitor.status).toBe("running")
          point.failAll(false)
          yield* (yield* Jobs).awaitQuiet(session.id)
          const payloads = of(session.id)
            .inbox()
            .map(({ payload }) => payload)
          expect(linesOf(payloads)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"])
          const ended = yield* (yield* Monitors).get(session.id, monitor.id)
          expect(ended).toMatchObject({ reason: "exited", ledger: { linesRead: 10, linesDelivered: 10 } })
          expect(payloads.filter(({ type }) => type === "notice").length).toBe(1)
        }),
        world.server().pipe(Layer.provideMerge(layer))
      )
    }),
    patience
  )
})
