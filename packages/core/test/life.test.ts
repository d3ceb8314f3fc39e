/** The main job, whole: commands' lines wake a real agent loop, through both wire formats. */
import { call, say, type Script } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Coordinator } from "../src/coordinator.ts"
import { Jobs } from "../src/job.ts"
import { Monitors } from "../src/monitor.ts"
import { Sessions } from "../src/session.ts"
import { idle, next, prompt, transcript, turnsEnded } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { lived, type Living } from "./lib/life.ts"

const it = testEffect(Layer.empty)

const life = (name: string, script: Script, live: Living) => {
  for (const format of ["anthropic", "openai"] as const) {
    it.live(`${name} (${format})`, lived(script, { format }, live), 20_000)
  }
}

/** A command that waits for the file of this name. */
const until = (file: string) => `until test -e ${file}; do sleep 0.02; done`

describe("an agent that watches", () => {
  life(
    "a monitor's whole life",
    (conversation) =>
      conversation.called("monitor")
        ? say(`seen: ${conversation.news.split("<vigil-context>")[0]}`)
        : call("monitor", {
            command: `echo one; ${until("go")}; echo two; echo oops >&2; exit 3`,
            description: "counter"
          }),
    ({ session, directory }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Watch it")
        const started = yield* next("monitor.started")
        yield* next("message.created", 0, ({ data }) => data.message.role === "event")
        yield* idle(session)
        writeFileSync(join(directory, "go"), "")
        const ended = yield* next("monitor.ended")
        yield* (yield* Jobs).awaitQuiet(session.id)
        yield* idle(session)

        const said = yield* transcript(session)
        expect(said.filter((line) => line.startsWith("event:"))).toEqual([
          "event: one",
          "event: two",
          expect.stringMatching(/^event: exited with code 3, 2 events\nstderr ended with:\noops/)
        ])
        // The last line and the end are read together.
        expect(said.slice(-3, -1)).toEqual(said.filter((line) => line.startsWith("event:")).slice(1))
        expect(said.at(-1)).toContain("two")
        expect(said.at(-1)).toContain("exited with code 3")
        expect(ended.data.monitor).toMatchObject({
          id: started.data.monitor.id,
          status: "ended",
          reason: "exited",
          exitCode: 3,
          ledger: { linesRead: 2, linesDelivered: 2, linesSuppressed: 0, linesPending: 0, events: 2 }
        })
        const [monitor] = yield* (yield* Monitors).list(session.id)
        expect(monitor!.cost.reads).toBe(2)
        expect(monitor!.cost.inputTokens).toBeGreaterThan(0)
        for (const { outcome } of yield* turnsEnded) expect(outcome).toBe("completed")
      })
  )

  life(
    "five monitors in one step: four begin, the fifth is told why not, and each end is announced once",
    (conversation) =>
      conversation.called("monitor")
        ? "I wait"
        : [1, 2, 3, 4, 5].map((n) =>
            call("monitor", { command: `${until("go")}; exit ${n}`, description: `w${n}` })
          ),
    ({ session, directory }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Watch all")
        yield* idle(session)
        const parts = (yield* (yield* Sessions).messages(session.id))
          .flatMap(({ parts }) => parts)
          .filter((part) => part.type === "tool")
        expect(parts.map(({ status }) => status).toSorted()).toEqual([
          ...Array(4).fill("completed"),
          "failed"
        ])
        expect(parts.find(({ status }) => status === "failed")!.output).toMatch(/4 active monitors/)
        writeFileSync(join(directory, "go"), "")
        yield* (yield* Jobs).awaitQuiet(session.id)
        yield* idle(session)
        const notices = (yield* transcript(session)).filter((line) => line.startsWith("event: exited"))
        expect(notices).toHaveLength(4)
        expect(yield* (yield* Monitors).active(session.id)).toEqual([])
      })
  )
})

describe("an agent that is spoken to", () => {
  life(
    "while a tool runs reads it with the tool's result",
    (conversation) =>
      conversation.called("shell")
        ? say("Both read")
        : call("shell", { command: `${until("go")}; echo done` }),
    ({ session, directory, model }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Build it")
        yield* next("shell.started")
        yield* prompt(session, "And hurry")
        writeFileSync(join(directory, "go"), "")
        yield* idle(session)
        expect(yield* transcript(session)).toEqual([
          "user: Build it",
          expect.stringMatching(/^completed: shell=completed:done\n\[exit code 0\]/),
          "user: And hurry",
          "completed: Both read"
        ])
        expect(yield* turnsEnded).toMatchObject([{ outcome: "completed", steps: 2 }])
        expect(model.requests).toHaveLength(2)
      })
  )

  life(
    "for later reads it in a turn of its own",
    (conversation) => {
      if (conversation.news.includes("Then test")) return say("Tested")
      return conversation.called("shell")
        ? say("Built")
        : call("shell", { command: `${until("go")}; echo done` })
    },
    ({ session, directory }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Build it")
        yield* next("shell.started")
        yield* (yield* Coordinator).prompt(session.id, { text: "Then test", delivery: "queue" })
        writeFileSync(join(directory, "go"), "")
        yield* idle(session)
        expect((yield* transcript(session)).slice(-3)).toEqual([
          "completed: Built",
          "user: Then test",
          "completed: Tested"
        ])
        expect((yield* turnsEnded).map(({ steps }) => steps)).toEqual([2, 1])
      })
  )
})
