import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { signature } from "@vigil/simulation/anthropic"
import { call, delay, drop, fail, hold, inOrder, say, stop, think, usage } from "@vigil/simulation/script"
import { type SimulationOptions, startSimulation } from "@vigil/simulation/server"
import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider } from "../src/provider.ts"
import type { Providers } from "../src/provider/endpoint.ts"
import type { StepPart, StepRequest, ToolSpec } from "../src/provider/step.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

const weather: ToolSpec = {
  name: "weather",
  description: "Tells the weather.",
  input: Schema.Struct({ city: Schema.String, days: Schema.optionalKey(Schema.Int) }).annotate({
    identifier: "WeatherInput"
  })
}
const hello: LanguageModelV4Prompt = [
  {
    role: "system",
    content: "Be brief.",
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } }
  },
  { role: "user", content: [{ type: "text", text: "Weather in Oslo?" }] }
]

/** The same simulation, asked in each of the formats that it speaks. */
const formats = [
  { format: "anthropic", model: "anthropic/claude-test", env: "ANTHROPIC", path: "" },
  { format: "openai", model: "openai/gpt-4o", env: "OPENAI", path: "/v1" },
  { format: "openai-compatible", model: "local/deep/small", env: "LOCAL", path: "/v1" }
] as const
type Format = (typeof formats)[number]

const simulated = Effect.fnUntraced(function* (
  { model, env, path }: Format,
  options: SimulationOptions,
  providers: Providers = {}
) {
  const simulation = yield* Effect.acquireRelease(
    Effect.sync(() => startSimulation({ key: "right", ...options })),
    (simulation) => Effect.promise(() => simulation.stop())
  )
  const layer = Provider.layerWith({
    providers: () => Effect.succeed(providers),
    env: { [`${env}_BASE_URL`]: simulation.url + path, [`${env}_API_KEY`]: "right" }
  })
  const step = (request: Partial<StepRequest> = {}) =>
    Stream.unwrap(
      Effect.map(Provider, (provider) =>
        provider.step({ model, prompt: hello, tools: [weather], ...request })
      )
    ).pipe(Stream.provide(layer))
  return {
    simulation,
    step,
    describe: Effect.flatMap(Provider, ({ describe }) => describe(model)).pipe(Effect.provide(layer))
  }
})

/** What came before a step failed, and how it failed. */
const outcome = Effect.fnUntraced(function* <E>(step: Stream.Stream<StepPart, E>) {
  const parts: Array<StepPart> = []
  const error = yield* step.pipe(
    Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
    Effect.flip
  )
  return { parts, error }
})

/** Text parts put together, as a session keeps them. */
const said = (parts: ReadonlyArray<StepPart>, type: "text" | "reasoning") =>
  parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("")

const ofType = <T extends StepPart["type"]>(parts: ReadonlyArray<StepPart>, type: T) =>
  parts.filter((part): part is Extract<StepPart, { type: T }> => part.type === type)

for (const spoken of formats) {
  describe(`a step in the ${spoken.format} format`, () => {
    it.effect(
      "tells text as it comes, calls when it has ended, and what it cost",
      Effect.gen(function* () {
        const { simulation, step } = yield* simulated(spoken, {
          script: () => [
            say("Let me look."),
            call("weather", { city: "Oslo", days: 3 }, "call_1"),
            call("weather", { city: "Bodø" }, "call_2"),
            usage({ input: 70, output: 30, cacheRead: 20 })
          ]
        })
        const parts = [...(yield* Stream.runCollect(step()))]
        expect(parts.map(({ type }) => type)).toEqual([
          "text-start",
          "text",
          "text",
          "text",
          "text-end",
          "tool-call",
          "tool-call",
          "finish"
        ])
        expect(said(parts, "text")).toBe("Let me look.")
        expect(ofType(parts, "tool-call")).toEqual([
          { type: "tool-call", callID: "call_1", name: "weather", input: '{"city":"Oslo","days":3}' },
          { type: "tool-call", callID: "call_2", name: "weather", input: '{"city":"Bodø"}' }
        ])
        expect(parts.at(-1)).toEqual({
          type: "finish",
          reason: "tool-calls",
          usage: { inputTokens: 90, outputTokens: 30, cacheReadTokens: 20 }
        })
        const [request] = simulation.requests
        expect(yield* Effect.promise(() => request!.outcome)).toBe("finished")
        const { conversation } = request!
        expect(conversation!.model).toBe(spoken.model.slice(spoken.model.indexOf("/") + 1))
        expect([conversation!.system, conversation!.lastUserText]).toEqual(["Be brief.", "Weather in Oslo?"])
        expect(conversation!.tools).toMatchObject([
          {
            name: "weather",
            description: "Tells the weather.",
            schema: {
              type: "object",
              properties: { city: { type: "string" }, days: { type: "integer" } },
              required: ["city"]
            }
          }
        ])
      })
    )

    it.effect(
      "goes on from a tool's result, and is understood by the server",
      Effect.gen(function* () {
        const { simulation, step } = yield* simulated(spoken, {
          script: inOrder(
            call("weather", { city: "Oslo" }),
            (conversation) => `Then ${conversation.results()[0]}`
          )
        })
        const [asked] = ofType([...(yield* Stream.runCollect(step()))], "tool-call")
        const { callID: toolCallId, name: toolName, input } = asked!
        const prompt: LanguageModelV4Prompt = [
          ...hello,
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId, toolName, input: JSON.parse(input) }]
          },
          {
            role: "tool",
            content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: "rain" } }]
          }
        ]
        expect(said([...(yield* Stream.runCollect(step({ prompt })))], "text")).toBe("Then rain")
        expect(simulation.requests[1]!.conversation!.calls()).toMatchObject([
          { name: "weather", input: { city: "Oslo" } }
        ])
      })
    )

    it.effect(
      "says what its provider refuses, once",
      Effect.gen(function* () {
        const { simulation, step } = yield* simulated(spoken, { script: () => "Hi" })
        const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "" }] }]
        const { error } = yield* outcome(step({ prompt }))
        expect(error).toMatchObject({ _tag: "StepRefused", status: 400 })
        expect(error.message).toContain("non-empty")
        expect(simulation.requests.length).toBe(1)
      })
    )

    it.effect(
      "with a wrong key says where the key comes from, and never the key",
      Effect.gen(function* () {
        const { step } = yield* simulated(spoken, { script: () => "Hi", key: "other" })
        const { error } = yield* outcome(step())
        expect(error).toMatchObject({ _tag: "StepRefused", status: 401 })
        expect(error.message).toEndWith(`Check ${spoken.env}_API_KEY.`)
        expect(error.message).not.toContain("right")
      })
    )

    it.effect(
      "of an unknown model says which one",
      Effect.gen(function* () {
        const { step } = yield* simulated(spoken, { script: () => "Hi", models: ["other"] })
        const { error } = yield* outcome(step())
        expect(error).toMatchObject({ _tag: "StepRefused", status: 404 })
        expect(error.message).toContain(`no model "${spoken.model.slice(spoken.model.indexOf("/") + 1)}"`)
      })
    )

    it.effect(
      "that is too long is told apart",
      Effect.gen(function* () {
        const { step } = yield* simulated(spoken, { script: () => "Hi", contextWindow: 10 })
        expect((yield* outcome(step())).error._tag).toBe("ContextTooLong")
      })
    )

    it.effect(
      "that comes too soon says how long to wait, in seconds or until a date",
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))
        const { step } = yield* simulated(spoken, {
          script: inOrder(
            fail({ status: 429, message: "slow down", retryAfter: 2 }),
            fail({ status: 429, retryAfter: new Date("2030-01-01T00:00:30Z") }),
            fail({ status: 429 }),
            fail({ status: 503, retryAfter: 5 })
          )
        })
        const first = (yield* outcome(step())).error
        expect(first).toMatchObject({ _tag: "RateLimited", retryAfterMs: 2_000 })
        expect(first.message).toContain("slow down")
        expect((yield* outcome(step())).error).toMatchObject({ _tag: "RateLimited", retryAfterMs: 30_000 })
        const third = (yield* outcome(step())).error
        expect(third._tag).toBe("RateLimited")
        expect(third).not.toHaveProperty("retryAfterMs")
        expect((yield* outcome(step())).error).toMatchObject({ _tag: "RateLimited", retryAfterMs: 5_000 })
      })
    )

    it.effect(
      "whose provider fails, at its start or within, is worth another try",
      Effect.gen(function* () {
        const { step } = yield* simulated(spoken, {
          script: inOrder(
            fail({ status: 500, message: "Oh" }),
            fail({ status: 529 }),
            [say("Well"), fail({ status: 500, message: "Oh no" })],
            [say("Well"), call("weather", { city: "Oslo" }), fail({ status: 429, message: "slow down" })]
          )
        })
        expect((yield* outcome(step())).error).toMatchObject({ _tag: "ConnectionLost" })
        expect((yield* outcome(step())).error._tag).toBe("ConnectionLost")
        const within = yield* outcome(step())
        expect(said(within.parts, "text")).toBe("Well")
        expect(within.error._tag).toBe("ConnectionLost")
        expect(within.error.message).toContain("Oh no")
        const limited = yield* outcome(step())
        expect(limited.error).toMatchObject({ _tag: "RateLimited" })
        expect(ofType(limited.parts, "tool-call")).toEqual([])
      })
    )

    it.effect(
      "with a spent quota is not worth another try",
      Effect.gen(function* () {
        const { step } = yield* simulated(spoken, {
          script: () =>
            fail({
              status: 429,
              message: "You exceeded your quota: insufficient_quota",
              code: "insufficient_quota"
            })
        })
        expect((yield* outcome(step())).error).toMatchObject({ _tag: "StepRefused", status: 429 })
      })
    )

    for (const how of ["reset", "close"] as const) {
      it.effect(
        `whose answer ends by ${how} within a call keeps what was said, and does not call`,
        Effect.gen(function* () {
          const { step } = yield* simulated(spoken, {
            script: () => [say("Let me look."), call("weather", { city: "Oslo" }), drop({ after: 5, how })]
          })
          const { parts, error } = yield* outcome(step())
          expect(said(parts, "text")).toBe("Let me look.")
          expect(ofType(parts, "tool-call")).toEqual([])
          expect(error._tag).toBe("ConnectionLost")
        })
      )

      it.effect(
        `whose answer ends by ${how} behind whole calls does not call either`,
        Effect.gen(function* () {
          const { step } = yield* simulated(spoken, {
            script: () => [call("weather", { city: "Oslo" }), drop({ how })]
          })
          const { parts, error } = yield* outcome(step())
          expect(parts).toEqual([])
          expect(error._tag).toBe("ConnectionLost")
        })
      )

      it.effect(
        `whose answer ends by ${how} before anything was said has lost its connection`,
        Effect.gen(function* () {
          const { step } = yield* simulated(spoken, { script: () => drop({ how }) })
          const { parts, error } = yield* outcome(step())
          expect(parts).toEqual([])
          expect(error._tag).toBe("ConnectionLost")
        })
      )
    }

    it.effect(
      "that its bound cut in a call makes only the calls before it",
      Effect.gen(function* () {
        const { step } = yield* simulated(spoken, {
          script: () => [
            call("weather", { city: "Oslo" }, "call_1"),
            call("weather", '{"city":"Bo', "call_2"),
            stop("length")
          ]
        })
        const parts = [...(yield* Stream.runCollect(step()))]
        expect(ofType(parts, "tool-call").map(({ callID }) => callID)).toEqual(["call_1"])
        expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "length" })
      })
    )

    it.effect(
      "with a call that is no JSON hands it on as it was written",
      Effect.gen(function* () {
        const { step } = yield* simulated(spoken, { script: () => call("weather", "{city: Oslo}") })
        const parts = [...(yield* Stream.runCollect(step()))]
        expect(ofType(parts, "tool-call")[0]!.input).toBe("{city: Oslo}")
      })
    )

    it.effect(
      "that is interrupted hangs up",
      Effect.gen(function* () {
        const { simulation, step } = yield* simulated(spoken, {
          script: () => [say("Well"), hold(new Promise(() => {}))]
        })
        const speaking = Promise.withResolvers<void>()
        const running = yield* step().pipe(
          Stream.runForEach(({ type }) => Effect.sync(() => type === "text" && speaking.resolve())),
          Effect.forkChild
        )
        yield* Effect.promise(() => speaking.promise)
        yield* Fiber.interrupt(running)
        expect(yield* Effect.promise(() => simulation.requests[0]!.outcome)).toBe("hung up")
      })
    )

    it.effect(
      "that is interrupted before it is answered hangs up too",
      Effect.gen(function* () {
        const asked = Promise.withResolvers<void>()
        const { simulation, step } = yield* simulated(spoken, {
          script: () => {
            asked.resolve()
            return new Promise(() => {})
          }
        })
        const running = yield* Effect.forkChild(Stream.runDrain(step()))
        yield* Effect.promise(() => asked.promise)
        yield* Fiber.interrupt(running)
        const request = yield* Effect.promise(() => simulation.request(1))
        expect(yield* Effect.promise(() => request.outcome)).toBe("hung up")
      })
    )

    it.effect(
      "whose provider is not there has lost its connection",
      Effect.gen(function* () {
        const { simulation, step } = yield* simulated(spoken, { script: () => "Hi" })
        yield* Effect.promise(() => simulation.stop())
        const { error } = yield* outcome(step())
        expect(error._tag).toBe("ConnectionLost")
        expect(error.message).toContain(`127.0.0.1:${simulation.port}`)
      })
    )
  })
}

describe("reasoning", () => {
  it.effect(
    "comes back to Anthropic unaltered, under its signature",
    Effect.gen(function* () {
      const { simulation, step } = yield* simulated(formats[0], {
        script: inOrder([think("Hm, let me see."), say("Rain.")], "As I said.")
      })
      const parts = [...(yield* Stream.runCollect(step()))]
      const [end] = ofType(parts, "reasoning-end")
      expect(end!.metadata).toEqual({ anthropic: { signature: signature("Hm, let me see.") } })
      const answered = (metadata: Schema.Json | undefined): LanguageModelV4Prompt => [
        ...hello,
        {
          role: "assistant",
          content: [
            {
              type: "reasoning",
              text: said(parts, "reasoning"),
              ...(metadata ? { providerOptions: metadata as never } : {})
            },
            { type: "text", text: said(parts, "text") }
          ]
        },
        { role: "user", content: [{ type: "text", text: "Sure?" }] }
      ]
      yield* Stream.runDrain(step({ prompt: answered(end!.metadata) }))
      const back = simulation.requests[1]!.conversation!.turns.flatMap(
        (turn): ReadonlyArray<object> => turn.blocks
      )
      expect(back).toContainEqual({ type: "reasoning", text: "Hm, let me see." })
      const forged = yield* outcome(step({ prompt: answered({ anthropic: { signature: "forged" } }) }))
      expect(forged.error).toMatchObject({ _tag: "StepRefused", status: 400 })
    })
  )

  it.effect(
    "of a compatible server is told apart from its text, each block under an id of its own",
    Effect.gen(function* () {
      const { step } = yield* simulated(formats[2], {
        script: () => [think("Hm."), say("Rain."), think("Or?"), say("Snow.")]
      })
      const parts = [...(yield* Stream.runCollect(step()))]
      expect(parts.slice(0, -1)).toEqual([
        { type: "reasoning-start", id: "0" },
        { type: "reasoning", id: "0", text: "Hm." },
        { type: "reasoning-end", id: "0" },
        { type: "text-start", id: "1" },
        { type: "text", id: "1", text: "Rain." },
        { type: "text-end", id: "1" },
        { type: "reasoning-start", id: "2" },
        { type: "reasoning", id: "2", text: "Or?" },
        { type: "reasoning-end", id: "2" },
        { type: "text-start", id: "3" },
        { type: "text", id: "3", text: "Snow." },
        { type: "text-end", id: "3" }
      ])
    })
  )
})

it.effect(
  "a cache mark reaches Anthropic where it was set",
  Effect.gen(function* () {
    const { simulation, step } = yield* simulated(formats[0], { script: () => "Rain." })
    yield* Stream.runDrain(step())
    expect(simulation.requests[0]!.body).toMatchObject({
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }]
    })
  })
)

it.effect(
  "an answer's length is bounded as asked",
  Effect.gen(function* () {
    for (const spoken of formats) {
      const { simulation, step } = yield* simulated(spoken, { script: () => "Rain." })
      yield* Stream.runDrain(step({ maxOutputTokens: 77, tools: [] }))
      expect(simulation.requests[0]!.conversation!.maxTokens).toBe(77)
    }
  })
)

it.effect(
  "window and answers of a provider's models are as they are configured",
  Effect.gen(function* () {
    const configured = { contextWindow: 32_000, maxOutputTokens: 1_000 }
    for (const spoken of formats) {
      const [provider] = spoken.model.split("/")
      const { simulation, step, describe } = yield* simulated(
        spoken,
        { script: () => "Rain." },
        { [provider!]: configured }
      )
      expect(yield* describe).toMatchObject(configured)
      yield* Stream.runDrain(step())
      expect(simulation.requests[0]!.conversation!.maxTokens).toBe(1_000)
    }
  })
)

it.live(
  "an answer that pauses goes on",
  Effect.gen(function* () {
    const { step } = yield* simulated(formats[0], { script: () => [say("One"), delay(20), say("two")] })
    expect(ofType([...(yield* Stream.runCollect(step()))], "text").map(({ text }) => text)).toEqual([
      "One",
      "two"
    ])
  })
)

it.effect(
  "a model is described, with where its key comes from",
  Effect.gen(function* () {
    const { simulation, describe } = yield* simulated(formats[0], { script: () => "Hi" })
    expect(yield* describe).toEqual({
      provider: "anthropic",
      model: "claude-test",
      format: "anthropic",
      baseUrl: `${simulation.url}/v1`,
      keyFrom: "environment ANTHROPIC_API_KEY",
      contextWindow: 200_000
    })
    expect(simulation.requests).toEqual([])
  })
)

it.effect(
  "a step without a key makes no request, and says what to set",
  Effect.gen(function* () {
    const { simulation, step } = yield* simulated(formats[0], { script: () => "Hi" })
    const { error } = yield* outcome(step({ model: "openai/gpt-4o" }))
    expect(error).toMatchObject({ _tag: "ModelUnusable", reason: "key-missing" })
    expect(error.message).toContain("OPENAI_API_KEY")
    expect(simulation.requests).toEqual([])
  })
)
