/** A turn on a database of which one statement fails, whichever it is. */
import { call, say, type Script } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { InputId } from "@vigil/schema/input"
import type { SessionId } from "@vigil/schema/session"
import type { Turn } from "@vigil/schema/turn"
import { Coordinator } from "../src/coordinator.ts"
import { Inbox } from "../src/inbox.ts"
import { Sessions } from "../src/session.ts"
import { testEffect } from "./lib/effect.ts"
import { failEach, failpoint } from "./lib/failpoint.ts"
import { logs, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"
import { waitFor } from "./shell/fixture/oracle.ts"

const it = testEffect(Layer.empty)

const config = { events: { pauseMs: 20 } }

const admit = (sessionID: SessionId, name: string) =>
  Inbox.use((inbox) =>
    inbox.admit({
      id: InputId.make(`inp_${sessionID.slice(4)}:${name}`),
      sessionID,
      delivery: name === "queued" ? "queue" : "steer",
      origin: "user",
      payload: { type: "prompt", text: name },
      wakes: true
    })
  )

/** What must be so of a session that has come to rest, whatever had failed. */
const settled = (stateDir: string, id: SessionId, inputs: ReadonlyArray<string>) => {
  const stored = storedIn(stateDir)
  const messages = stored.messages().filter(({ sessionID }) => sessionID === id)
  const read = messages.filter(({ role }) => role !== "assistant").map((message) => String(message.id))
  const waiting = stored
    .inbox()
    .filter(({ sessionID }) => sessionID === id)
    .map((row) => row.id)
  expect([...read, ...waiting].toSorted()).toEqual(
    inputs.map((name) => `inp_${id.slice(4)}:${name}`).toSorted()
  )
  expect(
    messages.filter((message) => message.role === "assistant" && message.status === "streaming")
  ).toEqual([])
  const parts = stored.parts().filter(({ sessionID }) => sessionID === id)
  expect(parts.filter((part) => part.type === "tool" && part.status === "running")).toEqual([])
  expect(stored.openTurns(id)).toEqual([])
  expect(stored.records(`owed/${id}`)).toEqual([])
  const turns = (type: string) =>
    stored
      .events()
      .filter((event) => event.type === type && event.sessionID === id)
      .map(({ data }) => (data as unknown as { turn: Turn }).turn.id)
  expect(turns("turn.ended")).toEqual(turns("turn.started"))
  return { messages, waiting }
}

describe("a turn", () => {
  it.live(
    "that a statement fails in is told to have failed or is tried again; no input is lost, and the next one works",
    Effect.gen(function* () {
      const point = failpoint()
      // Two steps with a tool between them, an input that joins behind the first, one that is read last.
      let steer: () => Promise<unknown> = () => Promise.resolve()
      const script: Script = async ({ called }) => {
        if (called("glob")) return say("Done")
        await steer()
        return [say("I look."), call("glob", { pattern: "*" })]
      }
      const world = yield* makeWorld(script, { before: point.before, config })
      const { lines, layer } = logs()
      const count = yield* local(
        failEach(point, world.stateDir, {
          transactions: Infinity,
          arrange: Effect.gen(function* () {
            const session = yield* newSession(world.directory)
            yield* admit(session.id, "first")
            yield* admit(session.id, "queued")
            const context = yield* Effect.context<Coordinator | Inbox>()
            const steering = Effect.gen(function* () {
              // Whoever admits does so again until it is answered.
              while ((yield* Effect.exit(admit(session.id, "joins")))._tag === "Failure");
              yield* (yield* Coordinator).wake(session.id)
            })
            steer = () => Effect.runPromiseWith(context)(steering)
            return session
          }),
          act: ({ id }) =>
            Effect.gen(function* () {
              const coordinator = yield* Coordinator
              yield* coordinator.wake(id)
              yield* coordinator.awaitIdle(id)
            }),
          settle: ({ id }, failed) =>
            Effect.gen(function* () {
              const coordinator = yield* Coordinator
              yield* admit(id, "joins")
              const inputs = ["first", "queued", "joins"]
              yield* coordinator.awaitIdle(id)
              const { messages, waiting } = settled(world.stateDir, id, inputs)
              if (!failed) {
                expect(waiting).toEqual([])
                expect(messages.map(({ role }) => role).join(" ")).toBe(
                  "user assistant user assistant user assistant"
                )
              }
              yield* admit(id, "last")
              yield* coordinator.wake(id)
              yield* coordinator.awaitIdle(id)
              const after = settled(world.stateDir, id, [...inputs, "last"])
              expect(after.waiting).toEqual([])
              expect(after.messages.at(-1)).toMatchObject({ role: "assistant", status: "completed" })
              yield* (yield* Sessions).remove(id)
            })
        }),
        world.server().pipe(Layer.provideMerge(layer))
      )
      expect(count).toBeGreaterThan(50)
      expect(lines.length).toBeGreaterThan(0)
      const refused = world.model.requests.flatMap(({ refusal }) =>
        refusal && refusal.status !== 499 ? [refusal] : []
      )
      expect(refused).toEqual([])
    }),
    60_000
  )

  it.live(
    "that could not begin does so after a rest, though nobody wakes its session again",
    Effect.gen(function* () {
      const point = failpoint()
      const world = yield* makeWorld(() => say("Done"), { before: point.before, config })
      const { lines, layer } = logs()
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          const coordinator = yield* Coordinator
          yield* admit(session.id, "first")
          point.arm(world.stateDir, 1, Infinity)
          yield* coordinator.wake(session.id)
          yield* coordinator.awaitIdle(session.id)
          expect(point.failed()).toContain("BEGIN")
          expect(lines.join("\n")).toContain("A turn broke")
          const { messages, waiting } = settled(world.stateDir, session.id, ["first"])
          expect(waiting).toEqual([])
          expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"])
        }),
        world.server().pipe(Layer.provideMerge(layer))
      )
    })
  )

  it.live(
    "that the database fails under for a while ends, and what it had not read is read once that works again",
    Effect.gen(function* () {
      const point = failpoint()
      const world = yield* makeWorld(
        ({ has }) => {
          if (!has("last")) point.failAll(true)
          return [say("I look."), call("glob", { pattern: "*" })]
        },
        { before: point.before, config }
      )
      const { lines, layer } = logs()
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          const coordinator = yield* Coordinator
          yield* admit(session.id, "first")
          yield* coordinator.wake(session.id)
          yield* Effect.promise(() => waitFor(() => lines.length >= 3))
          point.failAll(false)
          yield* coordinator.awaitIdle(session.id)
          settled(world.stateDir, session.id, ["first"])
        }),
        world.server().pipe(Layer.provideMerge(layer))
      )
    }),
    30_000
  )
})
