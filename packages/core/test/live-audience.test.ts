/** Who listens to the bus ends last: it hears how everything else ended. */
import { call, hold, say, type Script } from "@vigil/simulation/script"
import { expect } from "bun:test"
import { Effect, Layer, Ref, Stream } from "effect"
import { Bus } from "../src/bus.ts"
import { Coordinator } from "../src/coordinator.ts"
import { testEffect } from "./lib/effect.ts"
import { heard } from "./lib/stored.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"

const it = testEffect(Layer.empty)
const never = new Promise<void>(() => {})

it.live(
  "an audience hears the ends of what an orderly stop ends",
  Effect.gen(function* () {
    const script: Script = ({ called }) =>
      called("monitor")
        ? [say("I am"), hold(never)]
        : call("monitor", { command: "sleep 60", description: "sleeper" })
    const world = yield* makeWorld(script)
    const types = yield* Ref.make<ReadonlyArray<string>>([])
    const audience = Layer.effectDiscard(
      Effect.gen(function* () {
        const bus = yield* Bus
        yield* bus.follow(yield* bus.head).pipe(
          Stream.runForEach(({ type }) => Ref.update(types, (before) => [...before, type])),
          Effect.forkScoped
        )
        // It may take the time that it needs for the rest.
        yield* Effect.addFinalizer(() =>
          Effect.gen(function* () {
            while ((yield* Ref.get(types)).length < (yield* bus.head)) yield* Effect.yieldNow
          })
        )
      })
    )
    yield* local(
      Effect.gen(function* () {
        const session = yield* newSession(world.directory)
        yield* (yield* Coordinator).prompt(session.id, { text: "Watch" })
        yield* heard(({ type, data }) => type === "part.created" && data.part.type === "text")
      }),
      world.server({ audience })
    )
    const told = yield* Ref.get(types)
    expect(told[0]).toBe("session.created")
    expect(told).toContain("monitor.started")
    expect(told.slice(-12)).toEqual(expect.arrayContaining(["turn.ended", "monitor.ended"]))
  })
)
