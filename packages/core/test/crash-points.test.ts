/** A whole life, cut off between any two of its transactions: each time the next server makes the same of it. */
import { call, say } from "@vigil/simulation/script"
import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { InputId } from "@vigil/schema/input"
import { Coordinator } from "../src/coordinator.ts"
import { Jobs } from "../src/job.ts"
import { audit, savedLines } from "./lib/audit.ts"
import { testEffect } from "./lib/effect.ts"
import { crashImage, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"

const it = testEffect(Layer.empty)

it.live(
  "a crash between any two transactions of a monitor's life loses and repeats nothing",
  Effect.gen(function* () {
    const images: Array<string> = []
    let living = false
    const world = yield* makeWorld(
      ({ called }) =>
        called("monitor")
          ? say("I have seen it.")
          : [
              say("I watch."),
              call("monitor", {
                command: `printf '1;\\n2;\\n'; sleep 0.15; printf '3;\\n4;\\n5;'; exit 3`,
                description: "counter"
              })
            ],
      {
        config: { monitor: { batchMs: 50 } },
        before: (sql) => {
          if (living && sql.startsWith("BEGIN")) images.push(crashImage(world.stateDir))
        }
      }
    )
    const session = yield* local(
      Effect.gen(function* () {
        const session = yield* newSession(world.directory)
        const coordinator = yield* Coordinator
        living = true
        yield* coordinator.prompt(session.id, { id: InputId.make("inp_1"), text: "Watch it" })
        yield* coordinator.awaitIdle(session.id)
        yield* (yield* Jobs).awaitQuiet(session.id)
        yield* coordinator.awaitIdle(session.id)
        living = false
        return session
      }),
      world.server()
    )
    images.push(crashImage(world.stateDir))
    expect(images.length).toBeGreaterThan(15)

    for (const image of images) {
      const saved = savedLines(image)
      const answeredFor = storedIn(image)
        .admitted()
        .map(({ id }) => id)
        .filter((id) => id === "inp_1")
      yield* local(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator
          yield* coordinator.awaitIdle(session.id)
          // It may have been the first step that was cut off: then all begins once more.
          yield* (yield* Jobs).awaitQuiet(session.id)
          yield* coordinator.awaitIdle(session.id)
        }),
        world.server({ stateDir: image, before: () => {} })
      )
      const stored = storedIn(image)
      audit(stored, saved, answeredFor)
      expect(stored.openTurns()).toEqual([])
      expect(stored.records("owed/")).toEqual([])
      expect(stored.inbox().filter(({ wakes }) => wakes)).toEqual([])
      // A step that was completed counts as an answer, even where the one behind it was cut off.
      const statuses = stored.messages().flatMap((message) => ("status" in message ? [message.status] : []))
      expect(statuses).not.toContain("streaming")
      if (answeredFor.length > 0) expect(statuses).toContain("completed")
      for (const { monitor } of stored.monitors()) {
        expect(monitor.status).toBe("ended")
        const told = stored.events().filter(({ type }) => type === "monitor.ended")
        expect(told.length).toBe(stored.monitors().length)
      }
    }
    expect(world.model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([])
  }),
  60_000
)
