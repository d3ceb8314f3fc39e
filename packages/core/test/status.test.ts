/** What a session is doing, from what is stored; and what runs, of whatever session. */
import type { Session } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { BackgroundShells } from "../src/background.ts"
import { Database } from "../src/database.ts"
import { Monitors } from "../src/monitor.ts"
import { Permissions } from "../src/permission.ts"
import { Sessions } from "../src/session.ts"
import { Statuses } from "../src/status.ts"
import { core, idle, next, prompt } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import { Model } from "./lib/model.ts"
import { newSession, settle, start, tagOf } from "./lib/watching.ts"

const it = testEffect(core())

const info = (session: Session) =>
  Effect.gen(function* () {
    return yield* (yield* Statuses).info(yield* (yield* Sessions).get(session.id))
  })
const require = (session: Session) =>
  Permissions.use((permissions) =>
    permissions.require({
      session,
      tool: "shell",
      title: "ls",
      subjects: [{ action: "shell", value: "ls", pattern: "ls" }]
    })
  )

describe("a session as it is told", () => {
  it.effect(
    "is idle, running, and idle again with how its turn ended",
    Effect.gen(function* () {
      const session = yield* newSession()
      expect(yield* info(session)).toEqual({ ...session, status: "idle" })
      yield* prompt(session, "Go")
      const asked = yield* (yield* Model).asked
      const running = yield* info(session)
      expect(running.status).toBe("running")
      expect(running.turn).toBeDefined()
      expect(running.turn).not.toHaveProperty("endedAt")
      yield* asked.say("Done")
      yield* idle(session)
      expect(yield* info(session)).toMatchObject({
        status: "idle",
        turn: { id: running.turn!.id, outcome: "completed", steps: 1 }
      })
    })
  )

  it.effect(
    "watches while a monitor or a background shell runs, and asks while a person's answer waits",
    Effect.gen(function* () {
      const shell = yield* FakeShell
      const session = yield* newSession()
      yield* start(session)
      expect((yield* info(session)).status).toBe("watching")
      const asking = yield* Effect.forkScoped(require({ ...session, rules: [] }))
      yield* next("permission.asked")
      expect((yield* info(session)).status).toBe("asking")
      yield* Fiber.interrupt(asking)
      expect((yield* info(session)).status).toBe("watching")
      yield* (yield* Monitors).stopAll(session.id, "user")
      yield* shell.next
      expect((yield* info(session)).status).toBe("idle")
      yield* (yield* BackgroundShells).start(session.id, { command: "make", background: true })
      expect((yield* info(session)).status).toBe("watching")
    })
  )

  it.effect(
    "is of one moment: what is committed while it is read is not in it",
    Effect.gen(function* () {
      const { snapshot } = yield* Database
      const session = yield* newSession()
      const statuses = yield* Statuses
      const model = yield* Model
      const reading = Effect.gen(function* () {
        const before = yield* statuses.info(session)
        // Others go on meanwhile.
        yield* settle
        return [before, yield* statuses.info(session)]
      })
      const read = yield* Effect.forkChild(snapshot(reading))
      yield* prompt(session, "Go")
      yield* model.asked
      const [before, after] = yield* Fiber.join(read)
      expect(after).toEqual(before)
      expect((yield* info(session)).status).toBe("running")
    })
  )
})

describe("all that runs", () => {
  it.effect(
    "is listed newest first, and found by its id alone",
    Effect.gen(function* () {
      const monitors = yield* Monitors
      const shells = yield* BackgroundShells
      const [one, two] = [yield* newSession(), yield* newSession()]
      const first = yield* start(one)
      const second = yield* start(two)
      const third = yield* start(one)
      expect((yield* monitors.all).map(({ id }) => id)).toEqual([third.id, second.id, first.id])
      expect(yield* monitors.find(second.id)).toEqual(yield* monitors.get(two.id, second.id))
      expect(yield* Effect.flip(monitors.find("mon_none"))).toMatchObject({
        _tag: "MonitorNotFound",
        monitorID: "mon_none"
      })
      const early = yield* shells.start(two.id, { command: "make", background: true })
      const late = yield* shells.start(one.id, { command: "make", background: true })
      expect((yield* shells.all).map(({ id }) => id)).toEqual([late.id, early.id])
      expect((yield* shells.find(early.id)).sessionID).toBe(two.id)
      expect(yield* tagOf(shells.find("sh_none"))).toBe("ShellNotFound")
    })
  )
})
