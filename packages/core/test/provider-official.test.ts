import { expect } from "bun:test"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider } from "../src/provider.ts"
import type { Providers } from "../src/provider/endpoint.ts"
import type { StepPart } from "../src/provider/step.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

interface Asked {
  readonly path: string
  readonly headers: Headers
  readonly body: any
}

/** A server that answers every request alike and keeps what it was asked. */
const answering = (frames: ReadonlyArray<object>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const asked: Array<Asked> = []
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: async (request) => {
          const { pathname, search } = new URL(request.url)
          asked.push({ path: pathname + search, headers: request.headers, body: await request.json() })
          return new Response(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(""), {
            headers: { "content-type": "text/event-stream" }
          })
        }
      })
      return { url: server.url.origin, asked, stop: () => server.stop(true) }
    }),
    ({ stop }) => Effect.promise(stop)
  )

const stepOf = (model: string, providers: Providers) =>
  Stream.unwrap(
    Effect.map(Provider, (provider) =>
      provider.step({
        model,
        prompt: [
          { role: "system", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "Hi" }] }
        ],
        tools: [{ name: "look", description: "Looks.", input: Schema.Struct({ path: Schema.String }) }]
      })
    )
  ).pipe(Stream.provide(Provider.layerWith({ providers: () => Effect.succeed(providers), env: {} })))

const step = (model: string, providers: Providers) =>
  Effect.map(Stream.runCollect(stepOf(model, providers)), (parts): ReadonlyArray<StepPart> => [...parts])

it.effect(
  "Google is asked with its key, and its calls keep their signatures",
  Effect.gen(function* () {
    const { url, asked } = yield* answering([
      { candidates: [{ content: { role: "model", parts: [{ text: "Hm.", thought: true }] } }] },
      { candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] } }] },
      {
        candidates: [
          {
            content: {
              role: "model",
              parts: [{ functionCall: { name: "look", args: { path: "/a" } }, thoughtSignature: "signed" }]
            },
            finishReason: "STOP"
          }
        ],
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 4,
          cachedContentTokenCount: 3,
          totalTokenCount: 13
        }
      }
    ])
    const parts = yield* step("google/gemini-2.5-pro", { google: { apiKey: "gk", baseUrl: url } })
    expect(asked[0]!.path).toBe("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse")
    expect(asked[0]!.headers.get("x-goog-api-key")).toBe("gk")
    expect(asked[0]!.body.systemInstruction.parts).toEqual([{ text: "Be brief." }])
    expect(parts.filter(({ type }) => type === "reasoning" || type === "text")).toEqual([
      { type: "reasoning", id: "0", text: "Hm." },
      { type: "text", id: "1", text: "Hello." }
    ])
    expect(parts.at(-2)).toMatchObject({
      type: "tool-call",
      name: "look",
      input: '{"path":"/a"}',
      metadata: { google: { thoughtSignature: "signed" } }
    })
    expect(parts.at(-1)).toEqual({
      type: "finish",
      reason: "tool-calls",
      usage: { inputTokens: 9, outputTokens: 4, cacheReadTokens: 3 }
    })
  })
)

it.effect(
  "Google's answer that breaks off calls nothing",
  Effect.gen(function* () {
    const { url } = yield* answering([
      {
        candidates: [
          { content: { role: "model", parts: [{ functionCall: { name: "look", args: { path: "/a" } } }] } }
        ]
      }
    ])
    const error = yield* Effect.flip(
      step("google/gemini-2.5-pro", { google: { apiKey: "gk", baseUrl: url } })
    )
    expect(error._tag).toBe("ConnectionLost")
  })
)

it.effect(
  "OpenAI is asked for chat completions with its key",
  Effect.gen(function* () {
    const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "gpt-5" }
    const { url, asked } = yield* answering([
      {
        ...chunk,
        choices: [{ index: 0, delta: { role: "assistant", content: "Hello." }, finish_reason: null }]
      },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { ...chunk, choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }
    ])
    const parts = yield* step("openai/gpt-5", { openai: { apiKey: "ok", baseUrl: `${url}/v1` } })
    expect(asked[0]!.path).toBe("/v1/chat/completions")
    expect(asked[0]!.headers.get("authorization")).toBe("Bearer ok")
    expect(asked[0]!.body).toMatchObject({
      model: "gpt-5",
      stream: true,
      stream_options: { include_usage: true }
    })
    expect(parts.at(-1)).toEqual({
      type: "finish",
      reason: "stop",
      usage: { inputTokens: 9, outputTokens: 4, cacheReadTokens: 0 }
    })
  })
)

it.effect(
  "a server without a key is asked without one",
  Effect.gen(function* () {
    const chunk = { id: "1", choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: "stop" }] }
    const { url, asked } = yield* answering([chunk])
    yield* step("local/small", { local: { baseUrl: `${url}/v1` } })
    expect(asked[0]!.headers.has("authorization")).toBe(false)
  })
)

it.effect(
  "an answer that is complete ends the step, though its connection stays open",
  Effect.gen(function* () {
    const hungUp = Promise.withResolvers<void>()
    const message = {
      id: "1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 }
    }
    const frames = [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" }
    ]
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          idleTimeout: 0,
          fetch: () =>
            new Response(
              new ReadableStream({
                start: (body) =>
                  body.enqueue(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("")),
                cancel: () => hungUp.resolve()
              }),
              { headers: { "content-type": "text/event-stream" } }
            )
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    const finished = Promise.withResolvers<void>()
    const running = yield* stepOf("anthropic/claude-test", {
      anthropic: { apiKey: "k", baseUrl: server.url.origin }
    }).pipe(
      Stream.runForEach(({ type }) => Effect.sync(() => type === "finish" && finished.resolve())),
      Effect.forkChild
    )
    yield* Effect.promise(() => finished.promise)
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(running)
    yield* Effect.promise(() => hungUp.promise)
  })
)
