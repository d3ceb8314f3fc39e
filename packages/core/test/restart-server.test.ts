/** Real servers, killed with SIGKILL, and what the next one makes of it. */
import { say } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import type { Monitor } from "@vigil/schema/monitor"
import type { Session } from "@vigil/schema/session"
import { testEffect } from "./lib/effect.ts"
import { spawnServer } from "./lib/server.ts"
import { storedIn } from "./lib/stored.ts"
import { local, makeWorld } from "./lib/world.ts"
import { leftAfter, living, uniqueSeconds, waitFor } from "./shell/fixture/oracle.ts"

const it = testEffect(Layer.empty)
const patience = 30_000

const wait = <A>(promise: () => Promise<A>) => Effect.promise(promise)

describe("kill -9 of a server", () => {
  it.live(
    "takes four monitors with it that each resist in another way, and a background shell; the next start ends their records",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Here"))
      const marks = [0, 1, 2, 3, 4].map(uniqueSeconds)
      const commands = [
        `trap '' TERM; sleep ${marks[0]} & sleep ${marks[0]}; :`,
        `setsid sleep ${marks[1]} & sleep ${marks[1]}`,
        `(setsid nohup sh -c '(sleep ${marks[2]}; :) & exec sleep ${marks[2]}' >/dev/null 2>&1 &) ; sleep ${marks[2]}`,
        `env -i setsid -f sleep ${marks[3]} >/dev/null 2>&1; sleep ${marks[3]}`
      ]
      const server = yield* spawnServer(world)
      expect(yield* wait(() => server.ready)).toBe(undefined)
      const session: Session = yield* wait(() => server.tell("create", { directory: world.directory }))
      const sessionID = session.id
      for (const [index, text] of commands.entries())
        yield* wait(() => server.tell("monitor", { sessionID, monitorID: `mon_${index}`, text }))
      yield* wait(() =>
        server.tell("shell", { sessionID, text: `setsid sleep ${marks[4]} & sleep ${marks[4]}` })
      )
      expect(
        yield* wait(() => waitFor(() => marks.every((mark) => living(mark).length >= 2), patience))
      ).toBe(true)

      yield* wait(() => server.end())
      const left = yield* wait(() => Promise.all(marks.map((mark) => leftAfter(mark, 2_000))))
      expect(left.flat()).toEqual([])

      const next = yield* spawnServer(world)
      expect(yield* wait(() => next.ready)).toBe(undefined)
      const stored = storedIn(world.stateDir)
      expect(stored.monitors().map(({ monitor: { id, reason } }) => [id, reason])).toEqual(
        commands.map((_, index) => [`mon_${index}`, "server_restarted"] as never)
      )
      expect(stored.inbox().map(({ payload, wakes }) => [payload.type, wakes])).toEqual(
        Array.from({ length: 5 }, () => ["notice", false] as never)
      )
      expect(world.model.requests.length).toBe(0)
      expect(yield* wait(() => next.tell("output", { sessionID, monitorID: "mon_0" }))).toMatchObject({
        ended: true
      })
    }),
    patience
  )

  it.live(
    "loses nothing that it had answered: a prompt is read by the next one",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Here"))
      const server = yield* spawnServer(world)
      expect(yield* wait(() => server.ready)).toBe(undefined)
      const { id: sessionID }: Session = yield* wait(() =>
        server.tell("create", { directory: world.directory })
      )
      yield* wait(() => server.tell("prompt", { sessionID, inputID: "inp_1", text: "Hello" }))
      yield* wait(() => server.end())
      const next = yield* spawnServer(world)
      yield* wait(() => next.tell("idle", { sessionID }))
      const messages = storedIn(world.stateDir).messages()
      expect(messages.filter(({ role }) => role === "user").map(({ id }) => String(id))).toEqual(["inp_1"])
      expect(messages.at(-1)).toMatchObject({ role: "assistant", status: "completed" })
    }),
    patience
  )
})

describe("a second server on a state directory that has one", () => {
  it.live(
    "is refused with a clear sentence, and the first goes on undisturbed",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Here"))
      const mark = uniqueSeconds()
      const first = yield* spawnServer(world)
      expect(yield* wait(() => first.ready)).toBe(undefined)
      const { id: sessionID }: Session = yield* wait(() =>
        first.tell("create", { directory: world.directory })
      )
      const text = `sleep ${mark}`
      const started: Monitor = yield* wait(() =>
        first.tell("monitor", { sessionID, monitorID: "mon_1", text })
      )
      expect(started.status).toBe("running")

      const second = yield* spawnServer(world)
      const refusal = yield* wait(() => second.ready)
      expect(refusal).toContain("StateDirectoryOwned")
      expect(refusal).toContain(`Another vigil process uses ${world.stateDir}`)
      const third = yield* Effect.exit(local(Effect.void, world.server()))
      expect(third._tag).toBe("Failure")

      expect(yield* wait(() => waitFor(() => living(mark).length === 1))).toBe(true)
      expect(storedIn(world.stateDir).monitors()[0]!.monitor.status).toBe("running")
      yield* wait(() => first.tell("prompt", { sessionID, inputID: "inp_1", text: "Hello" }))
      yield* wait(() => first.tell("idle", { sessionID }))
      expect(world.model.requests.length).toBe(1)

      yield* wait(() => first.end("SIGTERM"))
      expect(storedIn(world.stateDir).monitors()[0]!.monitor.reason).toBe("server_restarted")
      const next = yield* spawnServer(world)
      expect(yield* wait(() => next.ready)).toBe(undefined)
      expect(yield* wait(() => leftAfter(mark, 0))).toEqual([])
    }),
    patience
  )
})
