import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { InputId } from "@vigil/schema/input"
import { type Message, MessageId, type MessageWithParts, type Part, PartId } from "@vigil/schema/message"
import { SessionId } from "@vigil/schema/session"
import { TurnId } from "@vigil/schema/turn"
import { signature } from "@vigil/simulation/anthropic"
import { startSimulation } from "@vigil/simulation/server"
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { type HiddenContext, renderPrompt } from "../src/prompt.ts"
import { Provider } from "../src/provider.ts"
import { promptFaults, promptText, textsOf } from "./lib/prompt.ts"

const context: HiddenContext = { now: 0, monitors: [], shells: [], asks: [] }
const model = "anthropic/scripted"

const render = (messages: ReadonlyArray<MessageWithParts>, more: Partial<HiddenContext> = {}) =>
  renderPrompt({ system: "You watch.", messages, context: { ...context, ...more }, model })

let count = 0
const common = () => {
  count++
  return { sessionID: SessionId.make("ses_1"), turnID: TurnId.make("trn_1"), createdAt: count }
}
const message = (message: Message, parts: ReadonlyArray<Part> = []): MessageWithParts => ({
  seq: ++count,
  message,
  parts
})
const said = (text: string) =>
  message({ ...common(), id: InputId.make(`inp_${count}`), role: "user", payload: { type: "prompt", text } })
const event = (line: string) =>
  message({
    ...common(),
    id: InputId.make(`inp_${count}`),
    role: "event",
    origin: "monitor",
    payload: { type: "lines", source: { id: "mon_1", description: "log" }, lines: [line] }
  })

type Draft =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly complete: boolean }
  | {
      readonly type: "tool"
      readonly callID?: string
      readonly name?: string
      readonly input?: string
      readonly status?: "running" | "completed" | "failed" | "interrupted"
      readonly output?: string
    }
type Status = "completed" | "interrupted" | "failed" | "streaming"

const answer = (drafts: ReadonlyArray<Draft>, status: Status = "completed", from = model) => {
  const id = MessageId.make(`msg_${++count}`)
  const parts = drafts.map((draft): Part => {
    const own = { id: PartId.make(`prt_${++count}`), messageID: id, sessionID: SessionId.make("ses_1") }
    if (draft.type === "text") return { ...own, ...draft }
    if (draft.type === "reasoning") {
      return { ...own, ...draft, metadata: { anthropic: { signature: signature(draft.text) } } }
    }
    const call = { callID: `call_${count}`, name: "shell", input: "{}", status: "completed" as const }
    return { ...own, ...call, startedAt: 0, ...draft }
  })
  return message({ ...common(), id, role: "assistant", model: from, status }, parts)
}

const rolesOf = (prompt: LanguageModelV4Prompt) => prompt.map(({ role }) => role)
const marked = (value: object) =>
  "providerOptions" in value && JSON.stringify(value.providerOptions).includes("ephemeral")

describe("renderPrompt", () => {
  test("a session may begin with an event", () => {
    const prompt = render([event("ready")])
    expect(rolesOf(prompt)).toEqual(["system", "user"])
    expect(promptText(prompt)).toStartWith(
      "[background event from monitor 'log' — not a user message]: ready\n<vigil-context>"
    )
  })

  test("each call has one result directly behind its message, also when it was interrupted", () => {
    const prompt = render([
      said("Go"),
      answer([
        { type: "text", text: "I look" },
        { type: "tool", output: "fine" },
        { type: "tool", status: "interrupted", output: "Interrupted by the user." },
        { type: "tool", status: "running" }
      ]),
      said("Go on")
    ])
    expect(promptFaults(prompt)).toEqual([])
    expect(prompt[3]!.content).toMatchObject([
      { type: "tool-result", output: { type: "text", value: "fine" } },
      { type: "tool-result", output: { type: "error-text", value: "Interrupted by the user." } },
      { type: "tool-result", output: { type: "error-text", value: "(no output)" } }
    ])
  })

  test("events stand behind all results", () => {
    const prompt = render([
      said("Go"),
      answer([
        { type: "tool", output: "a" },
        { type: "tool", output: "b" }
      ]),
      event("late")
    ])
    expect(rolesOf(prompt)).toEqual(["system", "user", "assistant", "tool", "user"])
    expect(textsOf(prompt[4]!)[0]).toContain("late")
  })

  test("neighbours of the user's role are one message", () => {
    const prompt = render([
      said("One"),
      event("two"),
      said("Three"),
      answer([{ type: "text", text: "4" }]),
      event("5")
    ])
    expect(rolesOf(prompt)).toEqual(["system", "user", "assistant", "user"])
    expect(textsOf(prompt[1]!)).toHaveLength(3)
  })

  test("empty texts are left out, and an answer of nothing else with them", () => {
    const prompt = render([said("Go"), answer([{ type: "text", text: " \n" }], "interrupted"), said("On")])
    expect(rolesOf(prompt)).toEqual(["system", "user"])
    const mixed = render([
      said("Go"),
      answer([
        { type: "text", text: "" },
        { type: "text", text: "Yes" }
      ])
    ])
    expect(textsOf(mixed[2]!)).toEqual(["Yes"])
  })

  test("a prompt without text still begins the conversation", () => {
    expect(promptFaults(render([said("  "), answer([{ type: "text", text: "What?" }]), said("Go")]))).toEqual(
      []
    )
  })

  test("unfinished reasoning is left out, and reasoning alone is no answer", () => {
    const half = answer(
      [
        { type: "reasoning", text: "If", complete: false },
        { type: "text", text: "So" }
      ],
      "interrupted"
    )
    expect(render([said("Go"), half, said("On")])[2]!.content).toMatchObject([{ type: "text", text: "So" }])
    const alone = answer([{ type: "reasoning", text: "Hm", complete: true }], "interrupted")
    expect(rolesOf(render([said("Go"), alone, said("On")]))).toEqual(["system", "user"])
  })

  test("reasoning goes back, with its signature, only to the model it came from", () => {
    const parts: ReadonlyArray<Draft> = [
      { type: "reasoning", text: "Hm", complete: true },
      { type: "text", text: "So" }
    ]
    const own = render([said("Go"), answer(parts), said("On")])
    expect(own[2]!.content).toMatchObject([
      { type: "reasoning", text: "Hm", providerOptions: { anthropic: { signature: signature("Hm") } } },
      { type: "text" }
    ])
    const foreign = render([said("Go"), answer(parts, "completed", "other/model"), said("On")])
    expect(foreign[2]!.content).toEqual([{ type: "text", text: "So" }])
  })

  test("an answer that broke off and was tried again is left out", () => {
    const prompt = render([
      said("Go"),
      answer([{ type: "text", text: "Hal" }], "failed"),
      answer([{ type: "text", text: "Half" }])
    ])
    expect(promptText(prompt)).not.toContain("Hal\n")
  })

  test("input that is no JSON object is sent back as one", () => {
    const prompt = render([
      said("Go"),
      answer([
        { type: "tool", input: '{"a"' },
        { type: "tool", input: "[1]" },
        { type: "tool", input: '{"a":1}' }
      ])
    ])
    expect(prompt[2]!.content).toMatchObject([{ input: {} }, { input: {} }, { input: { a: 1 } }])
  })

  test("a model that repeats an id, in a step or later, has each of its results in its place", () => {
    const first = answer([
      { type: "tool", callID: "call_0", output: "a" },
      { type: "tool", callID: "call_0", output: "b" },
      { type: "tool", callID: "", output: "c" }
    ])
    const prompt = render([said("Go"), first, answer([{ type: "tool", callID: "call_0", output: "d" }])])
    expect(promptFaults(prompt)).toEqual([])
    expect(prompt[2]!.content).toMatchObject([{ toolCallId: "call_0" }, {}, {}])
    const [, second] = first.parts
    expect(prompt[3]!.content).toMatchObject([
      { output: { value: "a" } },
      { toolCallId: second!.id, output: { value: "b" } },
      { output: { value: "c" } }
    ])
  })

  test("an id that only its own provider takes is another one elsewhere", () => {
    const calls: ReadonlyArray<Draft> = [{ type: "tool", callID: "functions.shell:0" }]
    const idIn = (prompt: LanguageModelV4Prompt) => prompt[2]!.content[0]
    expect(idIn(render([said("Go"), answer(calls)]))).toMatchObject({ toolCallId: "functions.shell:0" })
    const foreign = answer(calls, "completed", "other/model")
    const prompt = render([said("Go"), foreign])
    expect(idIn(prompt)).toMatchObject({ toolCallId: foreign.parts[0]!.id })
    expect(promptFaults(prompt)).toEqual([])
  })

  test("a tool's name that no provider takes goes back as one it does", () => {
    const names = ["", "no such tool!\n", "x".repeat(300)]
    const prompt = render([said("Go"), answer(names.map((name) => ({ type: "tool", name })))])
    const expected = ["_", "no_such_tool__", "x".repeat(64)].map((toolName) => ({ toolName }))
    expect(prompt[2]!.content).toMatchObject(expected)
    expect(prompt[3]!.content).toMatchObject(expected)
  })

  test("the hidden context is the last block of the last user-role message, behind the cache mark", () => {
    for (const messages of [
      [said("Go")],
      [said("Go"), answer([{ type: "tool", output: "x" }])],
      [said("Go"), answer([{ type: "text", text: "Done" }])]
    ]) {
      const prompt = render(messages)
      const last = prompt.at(-1)!
      const blocks = prompt.slice(1).flatMap(({ content }) => content as ReadonlyArray<object>)
      expect(last.role).toBe("user")
      expect(textsOf(last).at(-1)).toStartWith("<vigil-context>")
      expect(promptText(prompt).match(/<vigil-context>/g)).toHaveLength(1)
      expect(blocks.map(marked)).toEqual(blocks.map((_, index) => index === blocks.length - 2))
      expect(marked(prompt[0]!)).toBe(true)
    }
  })

  test("the hidden context tells the time and what is active, and why events had waited", () => {
    const prompt = render([said("Go")], {
      now: Date.UTC(2026, 0, 2),
      monitors: [{ id: "mon_1", description: "the 'log'" } as never],
      shells: [{ id: "sh_1", command: "make\nall" } as never],
      asks: [{ title: "rm -rf x" } as never],
      held: "budget"
    })
    expect(textsOf(prompt[1]!).at(-1)!.split("\n")).toEqual([
      "<vigil-context>",
      "Time: 2026-01-02T00:00:00.000Z",
      "Events waited for the user's prompt: they had been read too often without one.",
      "Active monitors:",
      "- mon_1 'the ’log’'",
      "Active background shells:",
      "- sh_1 'make all'",
      "Waiting for the user's permission:",
      "- 'rm -rf x'",
      "</vigil-context>"
    ])
  })
})

const someText = fc.constantFrom(
  "",
  " \n",
  "Yes",
  "[background event from monitor 'x' — not a user message]: y",
  "ü\u0000"
)
const someDraft = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: someText }),
  fc.record({ type: fc.constant("reasoning" as const), text: someText, complete: fc.boolean() }),
  fc.record({
    type: fc.constant("tool" as const),
    input: fc.constantFrom("", "{}", '{"a":1}', "[]", "null", '{"a"'),
    status: fc.constantFrom(
      "completed" as const,
      "failed" as const,
      "interrupted" as const,
      "running" as const
    ),
    output: fc.constantFrom("", " ", "out")
  })
)
const someInputs = fc.array(
  fc.oneof(
    someText.map((text) => ["user", text] as const),
    someText.map((text) => ["event", text] as const)
  ),
  {
    minLength: 1,
    maxLength: 3
  }
)
const someStep = fc.record({
  parts: fc.array(someDraft, { maxLength: 4 }),
  status: fc.constantFrom<Status>("completed", "interrupted", "failed", "streaming"),
  own: fc.boolean()
})
const someTurn = fc.record({ inputs: someInputs, steps: fc.array(someStep, { maxLength: 3 }) })
/** Turns as the runner writes them: only what was completed has calls. */
const someSession = fc.array(someTurn, { minLength: 1, maxLength: 5 }).map((turns) =>
  turns.flatMap(({ inputs, steps }) => [
    ...inputs.map(([role, text]) => (role === "user" ? said(text) : event(text))),
    ...steps.map(({ parts, status, own }) =>
      answer(
        parts.filter(({ type }) => type !== "tool" || status === "completed"),
        status,
        own ? model : "other/model"
      )
    )
  ])
)

/** Blocks by role, without what changes from request to request. */
const blocks = (prompt: LanguageModelV4Prompt): ReadonlyArray<string> =>
  prompt.flatMap((message: LanguageModelV4Message) =>
    (typeof message.content === "string" ? [{ text: message.content }] : message.content)
      .filter((part) => !("text" in part && part.text.startsWith("<vigil-context>")))
      .map((part) =>
        JSON.stringify([message.role, part]).replace(
          /,"providerOptions":\{"anthropic":\{"cacheControl":[^}]*\}\}\}/,
          ""
        )
      )
  )

describe("renderPrompt, whatever was said", () => {
  const simulation = startSimulation({ script: () => "Fine", key: "key" })
  afterAll(() => simulation.stop())
  const env = {
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: simulation.url,
    OPENAI_API_KEY: "key",
    OPENAI_BASE_URL: `${simulation.url}/v1`
  }
  const ask = (name: string, prompt: LanguageModelV4Prompt) =>
    Provider.use((provider) => Stream.runDrain(provider.step({ model: name, prompt, tools: [] }))).pipe(
      Effect.provide(Provider.layerWith({ providers: () => Effect.succeed({}), env })),
      Effect.runPromise
    )

  test("has what every provider asks for", () => {
    fc.assert(
      fc.property(someSession, (messages) => {
        expect(promptFaults(render(messages))).toEqual([])
      }),
      { numRuns: 300 }
    )
  })

  for (const name of ["anthropic/scripted", "openai/scripted"]) {
    test(`is accepted by ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(someSession, (messages) =>
          ask(name, renderPrompt({ system: "You watch.", messages, context, model: name }))
        ),
        { numRuns: 40 }
      )
    }, 20_000)
  }

  test("what is said later leaves all before it as it was", () => {
    fc.assert(
      fc.property(someSession, fc.nat(), (messages, cut) => {
        const before = blocks(render(messages.slice(0, 1 + (cut % messages.length)), { now: 1 }))
        const after = blocks(render(messages, { now: 2, held: "failure" }))
        expect(after.slice(0, before.length)).toEqual([...before])
      }),
      { numRuns: 300 }
    )
  })
})
