/** The main job: a command's lines wake a real agent loop, through both wire formats. */
import { call, say } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Coordinator } from "../src/coordinator.ts"
import { Monitors } from "../src/monitor.ts"
import { Jobs } from "../src/job.ts"
import { Sessions } from "../src/session.ts"
import { testEffect } from "./lib/effect.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"

const it = testEffect(Layer.empty)

for (const format of ["anthropic", "openai"] as const) {
  describe(`through ${format}`, () => {
    it.live(
      "a monitor's whole life",
      Effect.gen(function* () {
        const world = yield* makeWorld(
          (conversation) => {
            if (!conversation.called("monitor")) {
              return call("monitor", {
                command: "echo one; sleep 0.5; echo two; exit 3",
                description: "counter"
              })
            }
            return say(`seen: ${conversation.news}`)
          },
          { format }
        )
        yield* local(
          Effect.gen(function* () {
            const session = yield* newSession(world.directory)
            yield* (yield* Coordinator).prompt(session.id, { text: "Watch it" })
            yield* (yield* Coordinator).awaitIdle(session.id)
            yield* (yield* Jobs).awaitQuiet(session.id)
            yield* (yield* Coordinator).awaitIdle(session.id)
            const messages = yield* (yield* Sessions).messages(session.id)
            console.log(
              JSON.stringify(
                messages.map(({ message, parts }) => [
                  message.role,
                  "payload" in message ? message.payload : message.status,
                  parts.map((p) => (p.type === "tool" ? [p.name, p.output] : p.text))
                ]),
                null,
                1
              )
            )
            console.log(JSON.stringify(yield* (yield* Monitors).list(session.id), null, 1))
          }),
          world.server()
        )
      }),
      20_000
    )
  })
}
