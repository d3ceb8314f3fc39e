import { describe, expect, test } from "bun:test"
import { signature } from "../src/anthropic.ts"
import { call, drop, fail, say, stop, think, usage } from "../src/script.ts"
import { events, messages, simulate } from "./lib/speak.ts"

const hi = { role: "user", content: "Hi" }
const use = (...ids: Array<string>) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "look", input: {} }))
})
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "seen" })

describe("an answer", () => {
  test("streams thinking with its signature, text and calls in pieces, in the real order of events", async () => {
    const simulation = simulate({
      script: () => [
        think("Let me see."),
        say("I will look."),
        call("look", { path: "/a", deep: true }, "toolu_1"),
        call("look", { path: "/b" }),
        usage({ input: 7, output: 9, cacheRead: 3, cacheWrite: 2 })
      ]
    })
    const response = await messages(simulation, [hi])
    expect(response.headers.get("content-type")).toStartWith("text/event-stream")
    expect(response.headers.get("request-id")).toStartWith("req_")
    const { sent, broke } = await events(response)
    expect(broke).toBe(false)
    expect(sent.every(({ event, data }) => event === data.type)).toBe(true)
    const order = sent.map(({ event }) => event).filter((event, at, all) => event !== all[at - 1])
    const block = ["content_block_start", "content_block_delta", "content_block_stop"]
    expect(order).toEqual([
      "message_start",
      "ping",
      ...block,
      ...block,
      ...block,
      ...block,
      "message_delta",
      "message_stop"
    ])
    expect(sent[0]!.data.message).toMatchObject({
      role: "assistant",
      model: "claude-test",
      content: [],
      usage: { input_tokens: 7, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 1 }
    })
    const deltas = (index: number) =>
      sent
        .filter(({ data }) => data.type === "content_block_delta" && data.index === index)
        .map(({ data }) => data.delta)
    expect(
      deltas(0)
        .map((delta) => delta.thinking ?? "")
        .join("")
    ).toBe("Let me see.")
    expect(deltas(0).at(-1)).toEqual({ type: "signature_delta", signature: signature("Let me see.") })
    expect(deltas(1).map((delta) => delta.text)).toEqual(["I", " will", " look."])
    const starts = sent
      .filter(({ data }) => data.type === "content_block_start")
      .map(({ data }) => data.content_block)
    expect(starts[2]).toEqual({ type: "tool_use", id: "toolu_1", name: "look", input: {} })
    expect(starts[3].id).toMatch(/^toolu_\w{24}$/u)
    expect(deltas(2).length).toBeGreaterThan(3)
    expect(
      deltas(2)
        .map((delta) => delta.partial_json)
        .join("")
    ).toBe('{"path":"/a","deep":true}')
    expect(sent.at(-2)!.data).toMatchObject({
      delta: { stop_reason: "tool_use" },
      usage: { output_tokens: 9 }
    })
  })

  test("ends with the reason that the script gives", async () => {
    const simulation = simulate({ script: () => [say("I"), stop("length")] })
    const { sent } = await events(await messages(simulation, [hi]))
    expect(sent.at(-2)!.data.delta.stop_reason).toBe("max_tokens")
  })

  test("may fail in the middle", async () => {
    const simulation = simulate({ script: () => [say("Well"), fail({ status: 529, message: "Overloaded" })] })
    const { sent, broke } = await events(await messages(simulation, [hi]))
    expect(broke).toBe(false)
    expect(sent.at(-1)).toEqual({
      event: "error",
      data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
    })
    expect(await simulation.requests[0]!.outcome).toBe("failed")
  })

  test("breaks after so many fragments, and what was said before has come", async () => {
    const simulation = simulate({ script: () => [say("one two three"), drop({ after: 2 })] })
    const { sent, broke } = await events(await messages(simulation, [hi]))
    expect(broke).toBe(true)
    expect(sent.flatMap(({ data }) => data.delta?.text ?? [])).toEqual(["one", " two"])
    expect(await simulation.requests[0]!.outcome).toBe("dropped")
  })

  test("closes without its end marks", async () => {
    const simulation = simulate({ script: () => [say("one"), drop({ how: "close" })] })
    const { sent, broke } = await events(await messages(simulation, [hi]))
    expect(broke).toBe(false)
    expect(sent.at(-1)!.event).toBe("content_block_stop")
  })
})

describe("a request", () => {
  const good: ReadonlyArray<readonly [what: string, messages: ReadonlyArray<unknown>]> = [
    ["a prompt", [hi]],
    ["several user messages in a row", [hi, hi, { role: "assistant", content: "Yes?" }, hi]],
    [
      "results first, then text",
      [hi, use("a", "b"), { role: "user", content: [result("b"), result("a"), { type: "text", text: "!" }] }]
    ],
    [
      "an empty result",
      [hi, use("a"), { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "" }] }]
    ],
    [
      "its own thinking, unaltered",
      [
        hi,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: signature("Hm") },
            { type: "text", text: "Hi" }
          ]
        },
        hi
      ]
    ]
  ]
  for (const [what, conversation] of good) {
    test(`with ${what} is answered`, async () => {
      const simulation = simulate({ script: () => "Good." })
      const response = await messages(simulation, conversation)
      expect(response.status).toBe(200)
      await response.body!.cancel()
    })
  }

  const text = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
  const bad: ReadonlyArray<
    readonly [what: string, messages: ReadonlyArray<unknown>, message: string, more?: object]
  > = [
    ["without max_tokens", [hi], "max_tokens: Field required", { max_tokens: undefined }],
    ["without messages", [], "at least one message"],
    [
      "that begins with the assistant",
      [{ role: "assistant", content: "Hi" }, hi],
      'first message must use the "user" role'
    ],
    [
      "that ends with the assistant",
      [hi, { role: "assistant", content: "Hi" }],
      "must end with a user message"
    ],
    ["with an empty text", [text("")], "text content blocks must be non-empty"],
    ["with a blank text", [text(" \n")], "non-whitespace"],
    [
      "with empty content",
      [{ role: "user", content: "" }],
      "messages.0: all messages must have non-empty content"
    ],
    [
      "with an empty system text",
      [hi],
      "system: text content blocks",
      { system: [{ type: "text", text: "" }] }
    ],
    [
      "with a missing result",
      [hi, use("a", "b"), { role: "user", content: [result("a")] }],
      "immediately after: b."
    ],
    [
      "with a late result",
      [hi, use("a"), hi, { role: "assistant", content: "?" }, { role: "user", content: [result("a")] }],
      "immediately after: a."
    ],
    [
      "with text before its result",
      [hi, use("a"), { role: "user", content: [{ type: "text", text: "!" }, result("a")] }],
      "immediately after: a."
    ],
    ["with a call and nothing behind it", [hi, use("a")], "immediately after: a."],
    [
      "with a doubled result",
      [hi, use("a"), { role: "user", content: [result("a"), result("a")] }],
      "must have a single result"
    ],
    [
      "with a result for an unknown id",
      [hi, use("a"), { role: "user", content: [result("a"), result("b")] }],
      "unexpected `tool_use_id` found in `tool_result` blocks: b."
    ],
    ["with a result without a call", [{ role: "user", content: [result("a")] }], "unexpected `tool_use_id`"],
    [
      "with one id for two calls",
      [
        hi,
        use("a"),
        { role: "user", content: [result("a")] },
        use("a"),
        { role: "user", content: [result("a")] }
      ],
      "ids must be unique"
    ],
    [
      "with unsigned thinking",
      [hi, { role: "assistant", content: [{ type: "thinking", thinking: "Hm" }] }, hi],
      "signature: Field required"
    ],
    [
      "with altered thinking",
      [
        hi,
        { role: "assistant", content: [{ type: "thinking", thinking: "Ha", signature: signature("Hm") }] },
        hi
      ],
      "Invalid `signature`"
    ],
    [
      "with a call whose input is no object",
      [
        hi,
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: "{" }] },
        { role: "user", content: [result("a")] }
      ],
      "input: Input should be a valid dictionary"
    ],
    ["with a tool without a schema", [hi], "input_schema: Field required", { tools: [{ name: "look" }] }],
    [
      "with two tools of one name",
      [hi],
      "unique",
      { tools: [1, 2].map(() => ({ name: "look", input_schema: { type: "object" } })) }
    ],
    [
      "with five cache marks",
      [
        {
          role: "user",
          content: [1, 2, 3, 4, 5].map((n) => ({
            type: "text",
            text: `${n}`,
            cache_control: { type: "ephemeral" }
          }))
        }
      ],
      "Found 5."
    ]
  ]
  for (const [what, conversation, message, more] of bad) {
    test(`${what} is refused`, async () => {
      const simulation = simulate({ script: () => "Good." })
      const response = await messages(simulation, conversation, more)
      expect(response.status).toBe(400)
      const body = await response.json()
      expect(body).toMatchObject({ type: "error", error: { type: "invalid_request_error" } })
      expect(body.error.message).toContain(message)
      expect(simulation.requests[0]!.refusal!.message).toContain(message)
    })
  }

  test("that is too long says by how much", async () => {
    const simulation = simulate({ script: () => "Good.", contextWindow: 50 })
    const response = await messages(simulation, [{ role: "user", content: "long ".repeat(100) }])
    expect(response.status).toBe(400)
    expect((await response.json()).error.message).toMatch(/^prompt is too long: \d+ tokens > 50 maximum$/u)
  })
})
