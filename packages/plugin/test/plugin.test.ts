/** What an author writes, held against the contract alone: no server, no Effect. */
import { expect, test } from "bun:test"
import announcedShell from "../examples/announced-shell/plugin.ts"
import politeMonitors from "../examples/polite-monitors/plugin.ts"
import type { BeforeCall } from "../src/hook.ts"
import { type AfterResult, type BeforeResult } from "../src/hook.ts"
import { definePlugin, type Host, type On } from "../src/plugin.ts"
import type { Execute, Tool, ToolCall, ToolEditor, ToolResult } from "../src/tool.ts"

const call: ToolCall = {
  sessionID: "ses_1",
  directory: "/project",
  callID: "call_1",
  signal: new AbortController().signal
}

/** A host that keeps what it is told. */
const listening = () => {
  const tools = new Map<string, Tool>()
  const wrapped = new Map<string, Parameters<ToolEditor["wrap"]>[1]>()
  const events: Array<string> = []
  const befores: Array<(call: BeforeCall) => unknown> = []
  const on = ((event: string, handler: (call: BeforeCall) => unknown) => {
    if (event === "tool.before") befores.push(handler)
    return () => {}
  }) as On
  const host: Host = {
    trial: false,
    tools: {
      transform: (edit) => {
        edit({
          add: (tool) => void tools.set(tool.name, tool),
          remove: (name) => void tools.delete(name),
          wrap: (name, wrap) => void wrapped.set(name, wrap)
        })
        return () => {}
      }
    },
    session: { synthetic: async (_, { text }) => void events.push(text) },
    on,
    signal: call.signal,
    log: () => {}
  }
  return { host, tools, wrapped, events, befores }
}

test("a plugin is what was defined", () => {
  const setup = () => {}
  expect(definePlugin({ name: "mine", setup })).toEqual({ name: "mine", setup })
})

test("the announced shell counts commands, and tells of the first", async () => {
  const { host, tools, wrapped, events } = listening()
  await announcedShell.setup(host)
  const execute: Execute = async ({ command }) => ({ output: `ran ${command}` })
  const run = wrapped.get("shell")!(execute)
  const output = (result: ToolResult) => (typeof result === "string" ? result : result.output)
  expect(output(await run({ command: "ls" }, call))).toBe("ran ls\n[command 1 of this session]")
  expect(output(await run({ command: "pwd" }, call))).toBe("ran pwd\n[command 2 of this session]")
  expect(events).toEqual(["The first command of this session was: ls"])
  expect(await tools.get("command_count")!.execute({}, call)).toEqual({
    output: "2 so far",
    structure: { count: 2 }
  })
})

test("polite monitors are those that ask no server, or ask it seldom", async () => {
  const { host, befores } = listening()
  await politeMonitors.setup(host)
  const said = (tool: string, command: string) =>
    befores[0]!({ ...call, tool, command, input: { command } }) as BeforeResult | AfterResult | undefined
  expect(said("monitor", "while curl -s x; do sleep 5; done")).toEqual({
    deny: "Poll a server every 30 seconds at most, not every 5."
  })
  expect(said("monitor", "while curl -s x; do sleep 30; done")).toBeUndefined()
  expect(said("monitor", "tail -F log")).toBeUndefined()
  expect(said("shell", "curl -s x; sleep 5")).toBeUndefined()
})

test("what a tool gets has the type that its schema says", () => {
  const { host } = listening()
  const text = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => ({ value: String(value) }),
      types: undefined as { readonly input: unknown; readonly output: string } | undefined
    }
  } as const
  host.tools.transform((tools) => {
    tools.add({
      name: "shout",
      description: "Shouts",
      inputSchema: text,
      execute: (input) => input.toUpperCase()
    })
    tools.add({
      name: "count",
      description: "Counts",
      inputSchema: { type: "object", properties: { n: { type: "integer" } } },
      execute: ({ n }: { readonly n: number }) => `${n + 1}`
    })
  })
})
