/** What a provider says it has, and what it could do to whoever asks. */
import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { listModels } from "../src/provider/catalogue.ts"
import type { Endpoint, WireFormat } from "../src/provider/endpoint.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

const serving = (answer: (request: Request) => Response | Promise<Response>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })),
      (server) => Effect.promise(() => server.stop(true))
    ),
    (server): Endpoint => ({
      provider: "local",
      model: "-",
      format: "openai",
      baseUrl: `http://127.0.0.1:${server.port}/v1`,
      key: "secret-key",
      keyFrom: "vigil auth"
    })
  )

describe("the models of a provider", () => {
  const formats: ReadonlyArray<readonly [WireFormat, header: string, value: string, answer: object]> = [
    ["openai", "authorization", "Bearer secret-key", { data: [{ id: "a" }, { id: "b/c", more: 1 }] }],
    ["openai-compatible", "authorization", "Bearer secret-key", { data: [{ id: "a" }, { id: "b/c" }] }],
    ["anthropic", "x-api-key", "secret-key", { data: [{ id: "a" }, { id: "b/c" }], has_more: false }],
    ["google", "x-goog-api-key", "secret-key", { models: [{ name: "models/a" }, { name: "b/c" }] }]
  ]
  for (const [format, header, value, answer] of formats) {
    it.live(
      `are asked for as ${format} wants it`,
      Effect.gen(function* () {
        const seen: Array<string | null> = []
        const endpoint = yield* serving((request) => {
          seen.push(new URL(request.url).pathname, request.headers.get(header))
          return Response.json(answer)
        })
        expect(yield* listModels({ ...endpoint, format })).toEqual(["a", "b/c"])
        expect(seen).toEqual(["/v1/models", value])
      })
    )
  }

  it.live(
    "whose names could not be shown are left out",
    Effect.gen(function* () {
      const ids = ["good", "\u001b[2Jbad", "two words", "a\u202eb", "", "x".repeat(300)]
      const endpoint = yield* serving(() => Response.json({ data: ids.map((id) => ({ id })) }))
      expect(yield* listModels(endpoint)).toEqual(["good"])
    })
  )
})

describe("a provider that can't be asked", () => {
  const refusals: ReadonlyArray<readonly [string, () => Response, says: string]> = [
    [
      "refuses the key",
      () => new Response("no", { status: 401 }),
      "Check what vigil auth login local stored."
    ],
    ["fails", () => new Response("oops", { status: 500 }), "answers 500"],
    ["answers otherwise", () => new Response("<html>"), "no list of models"],
    ["answers without end", () => new Response("x".repeat(5 * 1024 * 1024)), "too long"]
  ]
  for (const [what, answer, says] of refusals) {
    it.live(
      `because it ${what} is told`,
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(listModels(yield* serving(answer)))
        expect(message).toContain(says)
        expect(message).not.toContain("secret-key")
      })
    )
  }

  it.live(
    "because nobody listens is told",
    Effect.gen(function* () {
      const endpoint = yield* Effect.scoped(serving(() => new Response()))
      expect((yield* Effect.flip(listModels(endpoint))).message).toContain("can't be asked")
    })
  )

  it.live(
    "and leads elsewhere gets no key there",
    Effect.gen(function* () {
      let reached = false
      const other = yield* serving(() => {
        reached = true
        return Response.json({ data: [] })
      })
      const endpoint = yield* serving(() => Response.redirect(`${other.baseUrl}/models`, 302))
      yield* Effect.flip(listModels(endpoint))
      expect(reached).toBe(false)
    })
  )

  it.effect(
    "is waited for 10 seconds",
    Effect.gen(function* () {
      const asked = Promise.withResolvers<void>()
      const endpoint = yield* serving(() => {
        asked.resolve()
        return new Promise(() => {})
      })
      const listing = yield* Effect.forkChild(Effect.flip(listModels(endpoint)))
      yield* Effect.promise(() => asked.promise)
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(listing)).message).toContain("did not answer within 10 seconds")
    })
  )
})
