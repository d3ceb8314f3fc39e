import { APICallError, InvalidPromptError } from "@ai-sdk/provider"
import { describe, expect, test } from "bun:test"
import type { Endpoint } from "../src/provider/endpoint.ts"
import { stepError } from "../src/provider/failure.ts"
import { languageModel } from "../src/provider/model.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const endpoint: Endpoint = {
  provider: "local",
  model: "small",
  format: "openai-compatible",
  baseUrl: "http://user:pass@127.0.0.1:9/v1",
  key: "sk-secret",
  keyFrom: "config"
}
const thrown = (statusCode: number, body: unknown, headers: Record<string, string> = {}) =>
  new APICallError({
    message: "",
    url: "",
    requestBodyValues: {},
    statusCode,
    responseHeaders: headers,
    responseBody: typeof body === "string" ? body : JSON.stringify(body)
  })
const error = (statusCode: number, body: unknown, headers?: Record<string, string>) =>
  stepError(thrown(statusCode, body, headers), endpoint, now)

test("a conversation that is too long is recognised however its provider says it", () => {
  const says: ReadonlyArray<readonly [status: number, body: unknown]> = [
    [
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 210000 tokens > 200000 maximum"
        }
      }
    ],
    [
      400,
      { error: { message: "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000" } }
    ],
    [
      413,
      { type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } }
    ],
    [
      400,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          code: "context_length_exceeded"
        }
      }
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
          status: "INVALID_ARGUMENT"
        }
      }
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size, try increasing it",
          type: "exceed_context_size_error"
        }
      }
    ],
    [
      400,
      {
        object: "error",
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"
      }
    ],
    [400, { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }],
    [500, { error: { message: "context length exceeded" } }]
  ]
  for (const [status, body] of says)
    expect([body, error(status, body)._tag]).toEqual([body, "ContextTooLong"])
})

test("other refusals are not taken for a long conversation", () => {
  expect(
    error(400, { error: { message: "max_tokens: 99999 > 8192, which is the maximum allowed" } })._tag
  ).toBe("StepRefused")
  expect(
    error(429, {
      error: { message: "Request too large on tokens per min: reduce the length of the messages" }
    })._tag
  ).toBe("RateLimited")
})

test("the time to wait is seconds, a date, milliseconds, or stands in Google's body", () => {
  const wait = (headers: Record<string, string>, body: unknown = "") => error(429, body, headers)
  expect(wait({ "retry-after": "2" })).toMatchObject({ retryAfterMs: 2_000 })
  expect(wait({ "retry-after": "1.5" })).toMatchObject({ retryAfterMs: 1_500 })
  expect(wait({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" })).toMatchObject({ retryAfterMs: 30_000 })
  expect(wait({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })).toMatchObject({ retryAfterMs: 0 })
  expect(wait({ "retry-after-ms": "250.4", "retry-after": "9" })).toMatchObject({ retryAfterMs: 251 })
  expect(wait({}, { error: { message: "Quota", details: [{ retryDelay: "34s" }] } })).toMatchObject({
    retryAfterMs: 34_000
  })
  expect(wait({ "retry-after": "soon" })).not.toHaveProperty("retryAfterMs")
})

describe("a message", () => {
  test("holds the provider's words, whatever shape its error has", () => {
    for (const body of [
      { error: { message: "no way" } },
      { error: "no way" },
      { message: "no way" },
      { detail: "no way" }
    ]) {
      expect(error(422, body).message).toBe("local refused the request (422): no way")
    }
    expect(error(422, "<html>").message).toContain("no reason was given")
  })

  test("never holds the key, nor what stands in the base URL", () => {
    expect(error(401, { error: { message: "Incorrect API key sk-secret" } }).message).toBe(
      "local refused the key (401): Incorrect API key ***. Check providers.local.apiKey in vigil.json."
    )
    expect(stepError(new Error("refused"), endpoint, now).message).toBe(
      "The connection to local (127.0.0.1:9) was lost: refused"
    )
  })

  test("keeps its words where a key is as short as a part of them", () => {
    const refused = (key: string) =>
      stepError(thrown(400, { error: `invalid x-api-key ${key}` }), { ...endpoint, key }, now).message
    expect(refused("k")).toBe("local refused the request (400): invalid x-api-key k")
    expect(refused("1234567")).toEndWith("x-api-key 1234567")
    expect(refused("12345678")).toEndWith("x-api-key ***")
  })

  test("is bounded", () => {
    expect(error(400, { error: { message: "x".repeat(100_000) } }).message.length).toBeLessThan(1_200)
  })
})

test("a connection that was never made is not called lost", async () => {
  const thrownBy = (baseUrl: string) =>
    languageModel({ ...endpoint, baseUrl })
      .doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }] })
      .then(
        () => undefined,
        (thrown: unknown) => thrown
      )
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
  const { host } = server.url
  await server.stop(true)
  const baseUrl = `http://${host}/v1`
  expect(stepError(await thrownBy(baseUrl), { ...endpoint, baseUrl }, now)).toMatchObject({
    _tag: "ConnectionLost",
    message: `local can't be reached (${host}): connection refused`
  })
  const unnamed = Object.assign(new TypeError("getaddrinfo ENOTFOUND h"), { code: "ENOTFOUND" })
  expect(stepError(unnamed, endpoint, now)).toMatchObject({
    _tag: "ConnectionLost",
    message: "local can't be reached (127.0.0.1:9): name not found"
  })
  // A provider that says so in its answer was reached itself.
  expect(stepError({ message: "upstream", code: "ECONNREFUSED" }, endpoint, now).message).toBe(
    "The connection to local (127.0.0.1:9) was lost: upstream"
  )
})

test("an answer that breaks after its 200 is a lost connection, whatever provider code calls it", () => {
  expect(error(200, "")._tag).toBe("ConnectionLost")
  const closed = new APICallError({
    message: "Failed to process successful response",
    cause: new Error("The socket closed"),
    url: "",
    requestBodyValues: {},
    statusCode: 200
  })
  expect(stepError(closed, endpoint, now)).toMatchObject({
    _tag: "ConnectionLost",
    message: expect.stringContaining("The socket closed")
  })
})

test("an error in the stream counts by its status, code or type", () => {
  const within = (part: unknown) => stepError(part, endpoint, now)._tag
  expect(within({ message: "x", statusCode: 529 })).toBe("ConnectionLost")
  expect(within({ message: "x", code: 429 })).toBe("RateLimited")
  expect(within({ message: "x", type: "rate_limit_error" })).toBe("RateLimited")
  expect(within({ message: "x", type: "invalid_request_error" })).toBe("StepRefused")
  expect(within({ message: "x", code: "context_length_exceeded" })).toBe("ContextTooLong")
  expect(within("it broke")).toBe("ConnectionLost")
})

test("what provider code will not send is refused, not tried again", () => {
  const refused = new InvalidPromptError({ prompt: [], message: "no such part" })
  expect(stepError(refused, endpoint, now)).toMatchObject({ _tag: "StepRefused", status: 400 })
})
