import { describe, expect, test } from "bun:test"
import { call, drop, fail, say, stop, think, usage } from "../src/script.ts"
import { completions, events, simulate } from "./lib/speak.ts"

const hi = { role: "user", content: "Hi" }
const use = (...ids: Array<string>) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } }))
})
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "seen" })

describe("an answer", () => {
  test("streams reasoning, text and calls by index, then why it ended, what it cost, and that it is done", async () => {
    const simulation = simulate({
      script: () => [
        think("Let me see."),
        say("I will look."),
        call("look", { path: "/a", deep: true }, "call_1"),
        call("look", { path: "/b" }),
        usage({ input: 7, output: 9, cacheRead: 3 })
      ]
    })
    const response = await completions(simulation, [hi], { stream_options: { include_usage: true } })
    expect(response.headers.get("content-type")).toStartWith("text/event-stream")
    const { sent, broke } = await events(response)
    expect(broke).toBe(false)
    expect(sent.every(({ event }) => event === undefined)).toBe(true)
    expect(sent.pop()!.data).toBe("[DONE]")
    const chunks = sent.map(({ data }) => data)
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(
      chunks.every(({ object, model }) => object === "chat.completion.chunk" && model === "gpt-test")
    ).toBe(true)
    const last = chunks.pop()
    expect(last).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 9,
        total_tokens: 19,
        prompt_tokens_details: { cached_tokens: 3 }
      }
    })
    expect(chunks.every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1).choices[0]).toMatchObject({ delta: {}, finish_reason: "tool_calls" })
    const deltas = chunks.map(({ choices }) => choices[0].delta)
    expect(deltas[0]).toEqual({ role: "assistant", content: "" })
    expect(deltas.map(({ reasoning_content }) => reasoning_content ?? "").join("")).toBe("Let me see.")
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe("I will look.")
    const calls = deltas.flatMap(({ tool_calls }) => tool_calls ?? [])
    expect(calls[0]).toEqual({
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "look", arguments: "" }
    })
    const json = (index: number) =>
      calls.filter((call) => call.index === index).map((call) => call.function.arguments)
    expect(json(0).length).toBeGreaterThan(4)
    expect(json(0).join("")).toBe('{"path":"/a","deep":true}')
    expect(json(1).join("")).toBe('{"path":"/b"}')
  })

  test("says what it cost only when asked", async () => {
    const simulation = simulate({ script: () => "Hi" })
    const { sent } = await events(await completions(simulation, [hi]))
    expect(sent.filter(({ data }) => data !== "[DONE]" && "usage" in data)).toEqual([])
  })

  test("ends with the reason that the script gives", async () => {
    const simulation = simulate({ script: () => [say("I"), stop("refusal")] })
    const { sent } = await events(await completions(simulation, [hi]))
    expect(sent.at(-2)!.data.choices[0].finish_reason).toBe("content_filter")
  })

  test("may fail in the middle", async () => {
    const simulation = simulate({ script: () => [say("Well"), fail({ status: 500, message: "Oh" })] })
    const { sent } = await events(await completions(simulation, [hi]))
    expect(sent.at(-1)!.data).toEqual({
      error: { message: "Oh", type: "server_error", param: null, code: null }
    })
  })

  test("breaks in the middle of a call", async () => {
    const simulation = simulate({ script: () => [call("look", { path: "/a" }), drop({ after: 1 })] })
    const { sent, broke } = await events(await completions(simulation, [hi]))
    expect(broke).toBe(true)
    expect(sent.at(-1)!.data.choices[0].delta.tool_calls[0].function.arguments).toBe('{"p')
  })
})

describe("a request", () => {
  const good: ReadonlyArray<readonly [what: string, messages: ReadonlyArray<unknown>]> = [
    ["a system message and a prompt", [{ role: "system", content: "Be kind." }, hi]],
    ["results behind their calls", [hi, use("a", "b"), result("b"), result("a")]],
    ["a prompt behind results", [hi, use("a"), result("a"), hi]],
    ["an empty result", [hi, use("a"), { ...result("a"), content: "" }]]
  ]
  for (const [what, conversation] of good) {
    test(`with ${what} is answered`, async () => {
      const simulation = simulate({ script: () => "Good." })
      const response = await completions(simulation, conversation)
      expect(response.status).toBe(200)
      await response.body!.cancel()
    })
  }

  const bad: ReadonlyArray<
    readonly [what: string, messages: ReadonlyArray<unknown>, message: string, more?: object]
  > = [
    ["without messages", [], "empty array"],
    ["without a model", [hi], "you must provide a model", { model: undefined }],
    ["with an unknown role", [{ role: "event", content: "Hi" }], "Invalid value: 'event'"],
    ["that ends with the assistant", [hi, { role: "assistant", content: "Hi" }], "last message"],
    ["with an empty prompt", [{ role: "user", content: "" }], "non-empty"],
    ["with an empty answer without calls", [hi, { role: "assistant", content: "" }, hi], "non-empty"],
    ["with no content", [{ role: "user", content: null }], "expected a string, got null"],
    ["with a missing result", [hi, use("a", "b"), result("a")], "did not have response messages: b"],
    ["with a late result", [hi, use("a"), hi, result("a")], "did not have response messages: a"],
    [
      "with a doubled result",
      [hi, use("a"), result("a"), result("a")],
      "must be a response to a preceeding message"
    ],
    [
      "with a result for an unknown id",
      [hi, use("a"), result("a"), result("b")],
      "must be a response to a preceeding message"
    ],
    ["with a result without a call", [hi, result("a")], "must be a response to a preceeding message"],
    [
      "with one id for two calls",
      [hi, use("a"), result("a"), use("a"), result("a")],
      "stands for an earlier call"
    ],
    [
      "with arguments that are no JSON",
      [
        hi,
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: "{" } }]
        },
        result("a")
      ],
      "the JSON of an object"
    ],
    ["with a nameless tool", [hi], "tools[0].function.name", { tools: [{ type: "function", function: {} }] }]
  ]
  for (const [what, conversation, message, more] of bad) {
    test(`${what} is refused`, async () => {
      const simulation = simulate({ script: () => "Good." })
      const response = await completions(simulation, conversation, more)
      expect(response.status).toBe(400)
      const { error } = await response.json()
      expect(error.type).toBe("invalid_request_error")
      expect(error.message).toContain(message)
    })
  }

  test("that is too long says so in its code", async () => {
    const simulation = simulate({ script: () => "Good.", contextWindow: 50 })
    const response = await completions(simulation, [{ role: "user", content: "long ".repeat(100) }])
    expect(response.status).toBe(400)
    expect((await response.json()).error.code).toBe("context_length_exceeded")
  })
})
