/** A session that lives by events for 10,000 steps, in a window of 32,000 tokens. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { expect } from "bun:test"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Settings } from "../src/config.ts"
import { Inbox } from "../src/inbox.ts"
import { Provider } from "../src/provider.ts"
import { ContextTooLong, type StepPart, type StepRequest } from "../src/provider/step.ts"
import { Sessions } from "../src/session.ts"
import { coreOn, idle, lines, newSession, prompt, tell, withModel } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { text } from "./lib/model.ts"
import { promptFaults } from "./lib/prompt.ts"

const contextWindow = 32_000
const steps = 10_000
const request = "Count the errors, and never restart the service"

/** What lasts of a request, part by part: not what is told of the moment, nor where the cache is marked. */
const lasting = (prompt: LanguageModelV4Prompt): ReadonlyArray<string> =>
  prompt.flatMap(({ role, content }) =>
    typeof content === "string"
      ? [`${role}: ${content}`]
      : content.flatMap((part) => {
          const said = "text" in part ? part.text : JSON.stringify(part)
          return said.startsWith("<vigil-context>") ? [] : [`${role}: ${said}`]
        })
  )

/** As that provider counts, which is not as Vigil estimates. */
const counted = (parts: ReadonlyArray<string>) =>
  Math.round(parts.reduce((sum, part) => sum + 20 + part.length / 3.2, 0))

/** A model that answers everything with a few words, and watches how it is asked. It keeps the last request only. */
const watchful = () => {
  const seen = { steps: 0, summaries: 0, refusals: 0, breaks: 0, largest: 0, faults: new Set<string>() }
  let last: ReadonlyArray<string> = []
  let summarised = false

  const answer = ({ prompt, tools }: StepRequest): ReadonlyArray<StepPart> | undefined => {
    const now = lasting(prompt)
    const inputTokens = counted(now)
    seen.largest = Math.max(seen.largest, inputTokens)
    if (inputTokens > contextWindow) {
      seen.refusals++
      return undefined
    }
    const usage = { inputTokens, outputTokens: 20, cacheReadTokens: 0 }
    const finish: StepPart = { type: "finish", reason: "stop", usage }
    if (now[0]!.startsWith("system: You write the summary")) {
      if (tools.length > 0) seen.faults.add("a summary has tools")
      seen.summaries++
      summarised = true
      return [
        ...text(`Errors so far were counted up to event ${seen.steps - 1}. ${"Detail. ".repeat(40)}`),
        finish
      ]
    }
    for (const fault of promptFaults(prompt)) seen.faults.add(fault)
    const alike = last.every((part, index) => part === now[index])
    if (!alike) {
      seen.breaks++
      if (!summarised) seen.faults.add(`step ${seen.steps} does not begin as the one before it`)
    }
    if (now[1] !== `user: ${request}`) seen.faults.add(`step ${seen.steps} has lost the request`)
    if (seen.steps > 0) {
      const mentions = now.filter((part) => part.includes(`event-${seen.steps}-`))
      if (mentions.length !== 1 || now.at(-1) !== mentions[0]) {
        seen.faults.add(`event ${seen.steps} is told ${mentions.length} times, or not as the last`)
      }
    }
    summarised = false
    last = now
    seen.steps++
    return [...text(`Noted, no error ${seen.steps}.`), finish]
  }

  const layer = Layer.succeed(
    Provider,
    Provider.of({
      step: (asked) =>
        Stream.suspend(() => {
          const parts = answer(asked)
          return parts ? Stream.fromIterable(parts) : Stream.fail(new ContextTooLong({ message: "too long" }))
        }),
      describe: (model) =>
        Effect.succeed({
          provider: "test",
          model,
          format: "openai-compatible",
          baseUrl: "http://test",
          keyFrom: "none",
          contextWindow
        }),
      identity: Effect.succeed
    })
  )
  return { seen, layer }
}

const { seen, layer } = watchful()
const it = testEffect(coreOn(layer, Settings.layerTest(withModel({ events: { perTurn: 10_000 } }))))

const heapUsed = Effect.sync(() => {
  Bun.gc(true)
  return process.memoryUsage().heapUsed
})

it.effect(
  "lives by events for 10,000 steps: nothing is lost, requests begin alike, and memory is flat",
  Effect.gen(function* () {
    const session = yield* newSession()
    yield* prompt(session, request)
    yield* idle(session)
    let early = 0
    for (let n = 1; n <= steps; n++) {
      const size = 800 + ((n * 37) % 1_400)
      yield* tell(session, lines("mon_1", `event-${n}- ${"request served ".repeat(size / 15)}`))
      yield* idle(session)
      yield* TestClock.adjust("1 minute")
      if (n === 2_000) early = yield* heapUsed
    }
    const grown = (yield* heapUsed) - early

    expect([...seen.faults]).toEqual([])
    expect(seen.steps).toBe(steps + 1)
    expect(seen.refusals).toBe(0)
    expect(seen.largest).toBeLessThan(contextWindow)
    // A break of the cached prefix for each summary, and a summary only every so many steps.
    expect(seen.summaries).toBeGreaterThan(20)
    expect(seen.summaries).toBeLessThan(steps / 10)
    expect(seen.breaks).toBe(seen.summaries)
    expect(grown).toBeLessThan(8 * 1024 * 1024)

    expect(yield* (yield* Inbox).pending(session.id)).toEqual([])
    const sessions = yield* Sessions
    const all = yield* sessions.messages(session.id)
    const events = all.flatMap(({ message }) => (message.role === "event" ? [message] : []))
    expect(new Set(events.map(({ id }) => id)).size).toBe(steps)
    expect(
      events.map(({ payload }) => payload.type === "lines" && /\d+/.exec(payload.lines[0]!)![0])
    ).toEqual(Array.from({ length: steps }, (_, index) => String(index + 1)))
    // A step reads what it sends, not the whole session.
    expect((yield* sessions.conversation(session.id)).length).toBeLessThan(200)
    expect(all.length).toBeGreaterThan(2 * steps)
  }),
  400_000
)
