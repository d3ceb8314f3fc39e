/** What goes wrong, through both wire formats: every request stays one that a provider accepts. */
import type { Rule } from "@vigil/schema/permission"
import { call, drop, fail, hold, inOrder, say, type Script, think } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ConfigOverrides } from "../src/config.ts"
import { Coordinator } from "../src/coordinator.ts"
import { Permissions } from "../src/permission.ts"
import { Sessions } from "../src/session.ts"
import { idle, lines, next, notice, prompt, tell, told, transcript, turnsEnded } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { lived, type Living } from "./lib/life.ts"

const it = testEffect(Layer.empty)

interface Options {
  readonly rules?: ReadonlyArray<Rule>
  readonly config?: ConfigOverrides
}

/** The script is made anew for each format. */
const life = (name: string, script: () => Script, live: Living, options: Options = {}) => {
  for (const format of ["anthropic", "openai"] as const) {
    it.live(
      `${name} (${format})`,
      Effect.suspend(() => lived(script(), { format, ...options }, live)),
      20_000
    )
  }
}

const outcomes = Effect.map(turnsEnded, (turns) => turns.map(({ outcome }) => outcome))

describe("an approval", () => {
  life(
    "that is given lets the command run",
    () => inOrder(call("shell", { command: "echo done" }), "Fine"),
    ({ session }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Go")
        const { data } = yield* next("permission.asked")
        expect(data.ask).toMatchObject({ tool: "shell", title: "echo done" })
        yield* (yield* Permissions).reply(data.ask.id, { reply: "once" })
        yield* idle(session)
        expect((yield* transcript(session))[1]).toStartWith("completed: shell=completed:done")
      }),
    { rules: [] }
  )

  life(
    "that is rejected with a reason is followed by an answer to the reason",
    () =>
      inOrder(call("shell", { command: "rm -rf build" }), ({ results }) =>
        say(`I read: ${results("shell")[0]}`)
      ),
    ({ session }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Clean up")
        const { data } = yield* next("permission.asked")
        yield* (yield* Permissions).reply(data.ask.id, { reply: "reject", reason: "Only with make clean" })
        yield* idle(session)
        expect((yield* transcript(session)).at(-1)).toContain(
          "The user rejected this and said: Only with make clean"
        )
        expect(yield* told("shell.started")).toEqual([])
      }),
    { rules: [] }
  )

  life(
    "that is rejected without one ends the turn, and the next prompt goes on",
    () =>
      inOrder([call("shell", { command: "make" }), call("shell", { command: "make test" })], "What else?"),
    ({ session, model }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Go")
        const first = yield* next("permission.asked")
        yield* next("permission.asked", first.seq)
        yield* (yield* Permissions).reply(first.data.ask.id, { reply: "reject" })
        yield* next("turn.ended")
        expect(yield* outcomes).toEqual(["rejected"])
        expect(yield* (yield* Permissions).pending()).toEqual([])
        expect(model.requests).toHaveLength(1)
        yield* prompt(session, "Something else")
        yield* idle(session)
        expect(yield* outcomes).toEqual(["rejected", "completed"])
        expect(model.requests[1]!.conversation!.results("shell")).toHaveLength(2)
      }),
    { rules: [] }
  )
})

describe("an interrupt", () => {
  life(
    "of a tool, with events waiting: they are read with the next prompt, behind the call's result",
    () =>
      inOrder(call("shell", { command: "sleep 600" }), ({ news }) => say(news.split("<vigil-context>")[0]!)),
    ({ session, model }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Wait for it")
        yield* next("shell.started")
        yield* tell(session, lines("mon_1", "ready"))
        yield* (yield* Coordinator).interrupt(session.id)
        yield* next("turn.ended")
        expect((yield* told("shell.ended")).map(({ data }) => data.shell.reason)).toEqual(["cancelled"])
        yield* prompt(session, "Never mind")
        yield* idle(session)
        expect((yield* transcript(session)).slice(1)).toEqual([
          "completed: shell=interrupted:Interrupted by the user.",
          "event: ready",
          "user: Never mind",
          expect.stringMatching(/^completed: .*ready\nNever mind/)
        ])
        expect(yield* outcomes).toEqual(["interrupted", "completed"])
        expect(model.requests).toHaveLength(2)
      })
  )

  life(
    "in mid-stream hangs up, and what was said is known later",
    () =>
      inOrder([think("Perhaps"), say("I begin with"), hold(new Promise(() => {}))], ({ has }) =>
        say(has("I begin") ? "I know what I said" : "Nothing was said")
      ),
    ({ session, model }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Go")
        yield* next("message.created")
        const begun = yield* next("part.created")
        if (begun.data.part.type === "reasoning") yield* next("part.created", begun.seq)
        // What was streamed is stored when the answer is broken off.
        yield* Effect.sleep(20)
        yield* (yield* Coordinator).interrupt(session.id)
        yield* next("turn.ended")
        expect(yield* Effect.promise(() => model.requests[0]!.outcome)).toBe("hung up")
        yield* prompt(session, "Go on")
        yield* idle(session)
        expect((yield* transcript(session)).at(-1)).toBe("completed: I know what I said")
      })
  )
})

describe("too many events", () => {
  life(
    "are held until a prompt, and the notice of an end is not",
    () =>
      ({ news }) =>
        say(`Seen: ${news.includes("Events waited") ? "they waited" : "at once"}`),
    ({ session, model }) =>
      Effect.gen(function* () {
        for (const n of [1, 2, 3]) {
          yield* tell(session, lines("mon_1", `line ${n}`))
          yield* idle(session)
        }
        expect(model.requests).toHaveLength(2)
        expect(yield* (yield* Sessions).get(session.id)).toMatchObject({ eventsHeld: "budget" })
        yield* tell(session, notice("mon_2"))
        yield* idle(session)
        expect(model.requests).toHaveLength(3)
        yield* prompt(session, "And now?")
        yield* idle(session)
        const said = yield* transcript(session)
        expect(said.slice(-3)).toEqual(["event: line 3", "user: And now?", "completed: Seen: they waited"])
        expect((yield* (yield* Sessions).get(session.id)).eventsHeld).toBeUndefined()
      }),
    { config: { events: { perHour: 2 } } }
  )
})

describe("a provider", () => {
  life(
    "that refuses for good ends the turn with its words; the next prompt is another try",
    () => inOrder(fail({ status: 403, message: "Your account is closed." }), "Open again"),
    ({ session, model }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Go")
        yield* idle(session)
        const [turn] = yield* turnsEnded
        expect(turn!.outcome).toBe("failed")
        expect(turn!.error).toContain("Your account is closed.")
        yield* tell(session, lines("mon_1", "ready"))
        yield* idle(session)
        expect(model.requests).toHaveLength(1)
        yield* prompt(session, "Again")
        yield* idle(session)
        expect(yield* transcript(session)).toEqual([
          "user: Go",
          "event: ready",
          "user: Again",
          "completed: Open again"
        ])
      })
  )

  life(
    "that says when to come again is asked again then, not before",
    () => inOrder(fail({ status: 429, retryAfter: 1 }), "Here"),
    ({ session, model }) =>
      Effect.gen(function* () {
        const began = performance.now()
        yield* prompt(session, "Go")
        yield* idle(session)
        expect(performance.now() - began).toBeGreaterThan(900)
        expect(yield* transcript(session)).toEqual(["user: Go", "completed: Here"])
        expect(model.requests).toHaveLength(2)
      })
  )

  life(
    "whose connection breaks in mid-stream is asked again, and a call that it had half said is not made",
    () =>
      inOrder(
        [say("I make"), call("shell", { command: "echo half > half" }), drop({ after: 4 })],
        [say("I make it"), call("shell", { command: "echo whole > whole" })],
        "Made"
      ),
    ({ session, model, directory }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Go")
        yield* idle(session)
        const said = yield* transcript(session)
        // What of the first try reached us before the reset is up to the system.
        expect(said.filter((line) => !line.startsWith("failed: "))).toEqual([
          "user: Go",
          expect.stringMatching(/^completed: I make it shell=completed:/),
          "completed: Made"
        ])
        expect(model.requests).toHaveLength(3)
        expect(yield* Effect.promise(() => Bun.file(join(directory, "half")).exists())).toBe(false)
        expect(yield* Effect.promise(() => Bun.file(join(directory, "whole")).exists())).toBe(true)
      }),
    { config: { retry: { maxDelayMs: 20 } } }
  )

  life(
    "that keeps breaking off is given up, with how often it was tried",
    () => () => [say("Ha"), drop()],
    ({ session, model }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Go")
        yield* idle(session)
        expect(model.requests).toHaveLength(3)
        expect(yield* turnsEnded).toMatchObject([
          { outcome: "failed", error: expect.stringContaining("2 retries did not help") }
        ])
      }),
    { config: { retry: { attempts: 2, maxDelayMs: 20 } } }
  )

  life(
    "gets its reasoning back as it gave it, signed, through tools and turns",
    () =>
      inOrder(
        [think("First I look."), say("I look."), call("shell", { command: "echo found" })],
        [think("Found, so done."), say("Done.")],
        ({ format, turns }) => {
          const reasoning = turns.flatMap(({ blocks }) =>
            blocks.flatMap((block) => (block.type === "reasoning" ? [block.text] : []))
          )
          return say(format === "anthropic" ? reasoning.join(" ") : "accepted")
        }
      ),
    ({ session, model }) =>
      Effect.gen(function* () {
        yield* prompt(session, "Find it")
        yield* idle(session)
        yield* prompt(session, "What did you think?")
        yield* idle(session)
        const { format } = model.requests[0]!
        expect((yield* transcript(session)).at(-1)).toBe(
          format === "anthropic" ? "completed: First I look. Found, so done." : "completed: accepted"
        )
      })
  )
})

describe("a bad call", () => {
  life(
    "of a tool that is not there, with no JSON, or with other input is told to the model",
    () =>
      inOrder(
        [
          call("fly"),
          call("shell", '{"command": '),
          call("shell", { cmd: "ls" }),
          call("read", { path: "missing.txt" })
        ],
        ({ results }) =>
          say(
            results()
              .map((text) => text.split("\n")[0])
              .join(" | ")
          )
      ),
    ({ session, directory }) =>
      Effect.gen(function* () {
        writeFileSync(join(directory, "there.txt"), "")
        yield* prompt(session, "Go")
        yield* idle(session)
        const said = (yield* transcript(session)).at(-1)
        expect(said).toContain("fly is not available")
        expect(said).toContain("no valid JSON")
        expect(said).toContain("The input of shell is not what it should be")
        expect(said).toContain("missing.txt")
      })
  )
})
