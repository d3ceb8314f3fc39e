/** Sessions longer than a model's window, through both wire formats, and servers that die while they summarise. */
import { InputId } from "@vigil/schema/input"
import type { Conversation } from "@vigil/simulation/conversation"
import { call, fail, hold, say, type Script } from "@vigil/simulation/script"
import type { ReceivedRequest } from "@vigil/simulation/server"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Coordinator } from "../src/coordinator.ts"
import { leftOut } from "../src/window/outputs.ts"
import { audit } from "./lib/audit.ts"
import { idle, lines, prompt, tell, turnsEnded } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { crashImage, storedIn } from "./lib/stored.ts"
import { type Format, local, makeWorld, newSession } from "./lib/world.ts"

const it = testEffect(Layer.empty)

const isSummary = ({ system }: Conversation) => system.includes("You write the summary")
const long = (tokens: number, word: string) => `${word} `.repeat((tokens * 4) / (word.length + 1))

/** Answers with what is new, and summarises in a word. */
const script: Script = (conversation) =>
  isSummary(conversation) ? say("The summary.") : say(`Seen: ${conversation.news.slice(0, 90)}`)

/** All texts of a request but what is told of the moment. */
const lasting = ({ conversation }: ReceivedRequest) =>
  conversation!.turns.flatMap(({ role, blocks }) =>
    blocks.flatMap((block) => {
      const text = JSON.stringify(block)
      return text.includes("<vigil-context>") ? [] : [`${role}: ${text}`]
    })
  )

const configured = (window: number) => ({
  anthropic: { contextWindow: window },
  openai: { contextWindow: window }
})

describe("a session longer than its model's window", () => {
  for (const format of ["anthropic", "openai"] as const) {
    it.live(
      `is never refused, each event is read once, and requests begin alike but for summaries (${format})`,
      Effect.gen(function* () {
        const world = yield* makeWorld(script, {
          format,
          contextWindow: 16_000,
          config: { providers: configured(16_000) }
        })
        yield* local(
          Effect.gen(function* () {
            const session = yield* newSession(world.directory)
            yield* prompt(session, "Tell me of errors, and touch nothing")
            yield* idle(session)
            for (let n = 1; n <= 40; n++) {
              yield* tell(session, lines("mon_1", `event-${n}- ${long(500, `w${n}`)}`))
              yield* idle(session)
            }
            expect((yield* turnsEnded).filter(({ outcome }) => outcome !== "completed")).toEqual([])
          }),
          world.server()
        )
        const { requests } = world.model
        expect(requests.filter(({ status }) => status !== 200)).toEqual([])
        const made = requests.filter(({ conversation }) => isSummary(conversation!))
        expect(made.length).toBeGreaterThan(1)
        expect(made.length).toBeLessThan(10)
        expect(made.every(({ conversation }) => conversation!.tools.length === 0)).toBe(true)
        const steps = requests.filter(({ conversation }) => !isSummary(conversation!))
        expect(steps).toHaveLength(41)
        for (const [n, step] of steps.entries()) {
          expect(step.conversation!.has("Tell me of errors, and touch nothing")).toBe(true)
          if (n > 0) expect(step.conversation!.news).toContain(`event-${n}-`)
        }
        let breaks = 0
        for (const [index, step] of steps.slice(1).entries()) {
          const before = lasting(steps[index]!)
          const now = lasting(step)
          if (now.slice(0, before.length).join("\n") !== before.join("\n")) breaks++
        }
        expect(breaks).toBe(made.length)
      }),
      30_000
    )

    it.live(
      `whose size nobody told finds out by being refused, and goes on (${format})`,
      Effect.gen(function* () {
        const world = yield* makeWorld(script, { format, contextWindow: 16_000 })
        yield* local(
          Effect.gen(function* () {
            const session = yield* newSession(world.directory)
            yield* prompt(session, "Tell me of errors")
            yield* idle(session)
            for (let n = 1; n <= 30; n++) {
              yield* tell(session, lines("mon_1", `event-${n}- ${long(500, `w${n}`)}`))
              yield* idle(session)
            }
            expect((yield* turnsEnded).map(({ outcome }) => outcome)).toEqual(Array(31).fill("completed"))
          }),
          world.server()
        )
        const { requests } = world.model
        const refused = requests.filter(({ status }) => status !== 200)
        expect(refused.length).toBeGreaterThan(0)
        expect(refused.length).toBeLessThan(8)
        const steps = requests.filter(
          ({ status, conversation }) => status === 200 && !isSummary(conversation!)
        )
        expect(steps).toHaveLength(31)
      }),
      30_000
    )

    it.live(
      `that can't be summarised goes on without its oldest outputs, and the turn says so (${format})`,
      Effect.gen(function* () {
        const world = yield* makeWorld(
          (conversation) => {
            if (isSummary(conversation)) return fail({ status: 403, message: "Not today." })
            if (!conversation.called("shell")) return call("shell", { command: "cat big" })
            return say(conversation.has("second") ? "Done" : long(8_000, "word"))
          },
          { format, contextWindow: 16_000, config: { providers: configured(16_000) } }
        )
        writeFileSync(join(world.directory, "big"), `${long(200, "line")}\n`.repeat(50))
        yield* local(
          Effect.gen(function* () {
            const session = yield* newSession(world.directory)
            yield* prompt(session, "first")
            yield* idle(session)
            yield* prompt(session, "second")
            yield* idle(session)
            const turns = yield* turnsEnded
            expect(turns.map(({ outcome }) => outcome)).toEqual(["completed", "completed"])
            expect(turns[0]!.remark).toBeUndefined()
            expect(turns[1]!.remark).toContain("Not today.")
          }),
          world.server()
        )
        expect(world.model.requests.at(-1)!.conversation!.results("shell")).toEqual([leftOut])
        expect(world.model.requests.map(({ status }) => status)).toEqual([200, 200, 403, 200])
      }),
      30_000
    )
  }
})

describe("a server that dies", () => {
  /** A world with a session whose next prompt has to be summarised for. */
  const full = (summary: Script, before?: (sql: string) => void, format: Format = "anthropic") =>
    Effect.gen(function* () {
      const world = yield* makeWorld(
        (conversation, turned) =>
          isSummary(conversation) ? summary(conversation, turned) : say(long(3_600, "word")),
        {
          format,
          contextWindow: 16_000,
          config: { providers: configured(16_000) },
          ...(before && { before })
        }
      )
      const session = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          const coordinator = yield* Coordinator
          for (const n of [1, 2, 3]) {
            yield* coordinator.prompt(session.id, { id: InputId.make(`inp_${n}`), text: `prompt ${n}` })
            yield* idle(session)
          }
          return session
        }),
        world.server()
      )
      expect(world.model.requests).toHaveLength(3)
      return { world, session }
    })
  const last = InputId.make("inp_4")

  it.live(
    "in the middle of a summary has done nothing of it; the next one makes it, and then answers",
    Effect.gen(function* () {
      let dies = true
      const { world, session } = yield* full(() =>
        dies ? [say("Half a"), hold(new Promise(() => {}))] : say("The summary.")
      )
      const image = yield* local(
        Effect.gen(function* () {
          yield* (yield* Coordinator).prompt(session.id, { id: last, text: "prompt 4" })
          yield* Effect.promise(() => world.model.request(4))
          return crashImage(world.stateDir)
        }),
        world.server()
      )
      dies = false
      const left = storedIn(image)
      expect(left.messages().some(({ role }) => role === "summary")).toBe(false)
      yield* local(idle(session), world.server({ stateDir: image }))
      const stored = storedIn(image)
      audit(stored, new Map(), ["inp_1", "inp_2", "inp_3", "inp_4"])
      const roles = stored.messages().map(({ role }) => role)
      expect(roles.slice(-3)).toEqual(["user", "summary", "assistant"])
      expect(stored.messages().at(-1)).toMatchObject({ status: "completed" })
    }),
    30_000
  )

  it.live(
    "between any two transactions of a turn that summarises loses and repeats nothing",
    Effect.gen(function* () {
      const images: Array<string> = []
      let stateDir = ""
      const { world, session } = yield* full(
        () => say("The summary."),
        (sql) => {
          if (stateDir !== "" && sql.startsWith("BEGIN")) images.push(crashImage(stateDir))
        }
      )
      yield* local(
        Effect.gen(function* () {
          yield* (yield* Coordinator).awaitIdle(session.id)
          stateDir = world.stateDir
          yield* (yield* Coordinator).prompt(session.id, { id: last, text: "prompt 4" })
          yield* idle(session)
          stateDir = ""
        }),
        world.server()
      )
      expect(images.length).toBeGreaterThan(4)
      for (const image of images) {
        const admitted = storedIn(image)
          .admitted()
          .map(({ id }) => id)
        yield* local(idle(session), world.server({ stateDir: image, before: () => {} }))
        const stored = storedIn(image)
        audit(stored, new Map(), admitted)
        expect(stored.openTurns()).toEqual([])
        expect(stored.records("owed/")).toEqual([])
        const summaries = stored.messages().filter(({ role }) => role === "summary")
        expect(summaries.length).toBe(admitted.includes(last) ? 1 : 0)
        expect(stored.messages().at(-1)).toMatchObject({ role: "assistant", status: "completed" })
      }
      expect(world.model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([])
    }),
    60_000
  )
})
