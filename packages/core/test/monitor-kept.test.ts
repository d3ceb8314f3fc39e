/** What is kept of monitors that have ended. */
import { describe, expect } from "bun:test"
import { existsSync } from "node:fs"
import { Effect } from "effect"
import { BackgroundShells } from "../src/background.ts"
import { Coordinator } from "../src/coordinator.ts"
import { Jobs } from "../src/job.ts"
import { Kv } from "../src/kv.ts"
import { Monitors } from "../src/monitor.ts"
import { Sessions } from "../src/session.ts"
import { StateDirectory } from "../src/state.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import {
  current,
  newSession,
  pass,
  readAll,
  settle,
  start,
  started,
  story,
  tagOf,
  told,
  until,
  wakes,
  watching
} from "./lib/watching.ts"

const it = watching()

const stop = (session: { readonly id: string }, id: string, by: "agent" | "user") =>
  Monitors.use((monitors) => monitors.stop(session.id as never, id, by))

describe("what is kept of ended ones", () => {
  const few = watching({ monitor: { keepEnded: 2 } })

  const endOne = Effect.fnUntraced(function* (session: Parameters<typeof start>[0]) {
    const monitor = yield* start(session)
    const { processes } = yield* FakeShell
    processes.at(-1)!.print("x\n")
    processes.at(-1)!.exit()
    yield* (yield* Jobs).awaitQuiet(session.id)
    yield* pass(10)
    return monitor
  })

  few.effect(
    "is those that ended most recently; record and files go together",
    Effect.gen(function* () {
      const session = yield* newSession()
      const state = yield* StateDirectory
      const monitors = yield* Monitors
      const ids: Array<string> = []
      for (let count = 0; count < 4; count++) {
        ids.push((yield* endOne(session)).id)
        yield* readAll(session)
      }
      const removed = (yield* told).flatMap((event) =>
        event.type === "monitor.removed" ? [String(event.data.monitorID)] : []
      )
      expect(removed).toEqual(ids.slice(0, 2))
      expect((yield* monitors.list(session.id)).map(({ id }) => String(id))).toEqual([ids[3]!, ids[2]!])
      expect(ids.map((id) => existsSync(state.folder(session.id, id)))).toEqual([false, false, true, true])
      expect(yield* tagOf(monitors.get(session.id, ids[0]!))).toBe("MonitorNotFound")
    })
  )

  few.effect(
    "is also whatever has an unread notice",
    Effect.gen(function* () {
      const session = yield* newSession()
      for (let count = 0; count < 4; count++) yield* endOne(session)
      expect(yield* story).not.toContain("removed")
      expect(yield* (yield* Monitors).list(session.id)).toHaveLength(4)
    })
  )

  few.effect(
    "is forgotten once its notice is read or taken back, without another end",
    Effect.gen(function* () {
      const session = yield* newSession()
      const monitors = yield* Monitors
      const ids: Array<string> = []
      for (let count = 0; count < 4; count++) ids.push((yield* endOne(session)).id)
      const kept = Effect.map(monitors.list(session.id), (all) =>
        all.map(({ id }) => String(id)).toReversed()
      )
      yield* stop(session, ids[1]!, "agent")
      expect(yield* kept).toEqual([ids[0]!, ids[2]!, ids[3]!])
      yield* readAll(session)
      yield* monitors.charge(session.id, ids, { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0 })
      expect(yield* kept).toEqual([ids[2]!, ids[3]!])
    })
  )

  const noShells = watching({ shell: { keepEnded: 0 } })

  noShells.effect(
    "does not depend on the shells that are kept",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.exit()
      yield* settle
      const shells = yield* BackgroundShells
      const shell = yield* shells.start(session.id, { command: "make", background: true })
      const { processes } = yield* FakeShell
      processes.at(-1)!.exit()
      yield* (yield* Jobs).awaitQuiet(session.id)
      yield* readAll(session)
      yield* shells.start(session.id, { command: "make", background: true })
      processes.at(-1)!.exit()
      yield* (yield* Jobs).awaitQuiet(session.id)
      expect((yield* shells.list(session.id)).map(({ id }) => id)).not.toContain(shell.id)
      const folder = (yield* StateDirectory).folder
      expect(existsSync(folder(session.id, monitor.id))).toBe(true)
      expect((yield* current(monitor)).status).toBe("ended")
    })
  )

  few.effect(
    "does not count those of other sessions",
    Effect.gen(function* () {
      for (let count = 0; count < 4; count++) {
        const session = yield* newSession()
        yield* endOne(session)
        yield* readAll(session)
      }
      expect(yield* story).not.toContain("removed")
    })
  )
})

it.effect(
  "a session that is deleted takes its monitors along, tells nobody else, and leaves no file",
  Effect.gen(function* () {
    const { session, monitor, process } = yield* started()
    process.print("one\n")
    yield* pass(200)
    process.print("two\n")
    const before = yield* wakes
    yield* (yield* Sessions).remove(session.id)
    expect((yield* told).map(({ type }) => type)).toEqual(["monitor.ended", "session.deleted"])
    expect((yield* until("monitor.ended")).data.monitor).toMatchObject({
      id: monitor.id,
      reason: "session_deleted"
    })
    yield* settle
    expect(process).toMatchObject({ stops: [500], closed: true })
    expect(existsSync((yield* StateDirectory).folder(session.id, monitor.id))).toBe(false)
    expect(yield* wakes).toBe(before)
    expect(yield* (yield* Jobs).active(session.id)).toEqual([])
    expect(yield* (yield* Kv).scan("monitor/")).toEqual([])
  })
)

it.effect(
  "nobody is woken by a session's stops, and an idle session is by everything else",
  Effect.gen(function* () {
    const { session, process } = yield* started({ delivery: "queue" })
    yield* (yield* Coordinator).awaitIdle(session.id)
    process.print("one\n")
    yield* pass(200)
    expect(yield* wakes).toBe(1)
    process.exit({ code: 1 })
    yield* settle
    expect(yield* wakes).toBe(2)
  })
)
