import { describe, expect, test } from "bun:test"
import { call, fail, hold, inOrder, say } from "../src/script.ts"
import { completions, events, messages, simulate } from "./lib/speak.ts"

const hi = { role: "user", content: "Hi" }

const speak = [
  ["anthropic", messages, (key: string) => ({ "x-api-key": key })],
  ["openai", completions, (key: string) => ({ authorization: `Bearer ${key}` })]
] as const

for (const [format, ask, auth] of speak) {
  describe(`in the ${format} format`, () => {
    test("a wrong or missing key is refused, the right one is not", async () => {
      const simulation = simulate({ script: () => "Hi", key: "right" })
      for (const headers of [{}, auth("wrong")]) {
        const response = await ask(simulation, [hi], {}, headers)
        expect(response.status).toBe(401)
        const { error } = await response.json()
        expect(error.type).toBe(format === "anthropic" ? "authentication_error" : "invalid_request_error")
      }
      const response = await ask(simulation, [hi], {}, auth("right"))
      expect(response.status).toBe(200)
      await response.body!.cancel()
    })

    test("a model that is not there is not found", async () => {
      const simulation = simulate({ script: () => "Hi", models: ["other"] })
      const response = await ask(simulation, [hi])
      expect(response.status).toBe(404)
      expect(await response.text()).toContain(format === "anthropic" ? "not_found_error" : "model_not_found")
    })

    test("models are listed", async () => {
      const simulation = simulate({ script: () => "Hi", models: ["a", "b"], key: "right" })
      const list = (key: string) =>
        fetch(`${simulation.url}/v1/models`, {
          headers: { ...auth(key), ...(format === "anthropic" && { "anthropic-version": "2023-06-01" }) }
        })
      expect((await list("wrong")).status).toBe(401)
      expect((await (await list("right")).json()).data.map(({ id }: any) => id)).toEqual(["a", "b"])
    })

    test("a script's failure says when to come back", async () => {
      const at = new Date("2030-01-01T00:00:00Z")
      const simulation = simulate({
        script: inOrder(
          fail({ status: 429, retryAfter: 7 }),
          fail({ status: 429, retryAfter: at }),
          fail({ status: 529 })
        )
      })
      const limited = await ask(simulation, [hi])
      expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"])
      expect(await limited.text()).toContain(
        format === "anthropic" ? "rate_limit_error" : "rate_limit_exceeded"
      )
      expect((await ask(simulation, [hi])).headers.get("retry-after")).toBe("Tue, 01 Jan 2030 00:00:00 GMT")
      expect((await ask(simulation, [hi])).status).toBe(529)
      expect(await (await ask(simulation, [hi])).text()).toContain("The script ends after 3 replies.")
    })

    test("the script reads the conversation", async () => {
      const seen: Array<unknown> = []
      const simulation = simulate({
        script: (conversation, { number }) => {
          seen.push([
            number,
            conversation.model,
            conversation.system,
            conversation.tools.map(({ name }) => name)
          ])
          seen.push([
            conversation.lastUserText,
            conversation.news,
            conversation.called("look"),
            conversation.results("look")
          ])
          return "Good."
        }
      })
      const schema = { type: "object", properties: {} }
      const more =
        format === "anthropic"
          ? { system: "Be kind.", tools: [{ name: "look", input_schema: schema }] }
          : { tools: [{ type: "function", function: { name: "look", parameters: schema } }] }
      const start = format === "anthropic" ? [] : [{ role: "system", content: "Be kind." }]
      const done =
        format === "anthropic"
          ? [
              { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: {} }] },
              { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "A tree." }] }
            ]
          : [
              {
                role: "assistant",
                content: null,
                tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: "{}" } }]
              },
              { role: "tool", tool_call_id: "a", content: "A tree." }
            ]
      await (await ask(simulation, [...start, hi], more)).text()
      await (await ask(simulation, [...start, hi, ...done], more)).text()
      const model = format === "anthropic" ? "claude-test" : "gpt-test"
      expect(seen).toEqual([
        [1, model, "Be kind.", ["look"]],
        ["Hi", "Hi", false, []],
        [2, model, "Be kind.", ["look"]],
        ["Hi", "", true, ["A tree."]]
      ])
    })
  })
}

test("a held answer goes on when it is released", async () => {
  const gate = Promise.withResolvers<void>()
  const simulation = simulate({ script: () => [say("Wait."), hold(gate.promise), say("Now.")] })
  const response = await messages(simulation, [hi])
  await simulation.request(1)
  gate.resolve()
  const { sent } = await events(response)
  expect(sent.flatMap(({ data }) => data.delta?.text ?? [])).toEqual(["Wait.", "Now."])
  expect(await simulation.requests[0]!.outcome).toBe("finished")
})

test("a client that hangs up is noticed, while it is spoken to and before", async () => {
  const asked = Promise.withResolvers<void>()
  const never = new Promise<never>(() => {})
  const simulation = simulate({
    script: inOrder([say("Wait."), hold(never)], () => {
      asked.resolve()
      return never
    })
  })
  const response = await messages(simulation, [hi])
  const reader = response.body!.getReader()
  await reader.read()
  await reader.cancel()
  expect(await simulation.requests[0]!.outcome).toBe("hung up")

  const client = new AbortController()
  const second = fetch(`${simulation.url}/v1/messages`, {
    method: "POST",
    headers: { "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "m", max_tokens: 1, stream: true, messages: [hi] }),
    signal: client.signal
  }).catch(() => "gone")
  await asked.promise
  client.abort()
  expect(await second).toBe("gone")
  expect(await (await simulation.request(2)).outcome).toBe("hung up")
})

test("a script that throws is a 500 that says what it threw", async () => {
  const simulation = simulate({
    script: () => {
      throw new Error("no such scene")
    }
  })
  const response = await messages(simulation, [hi])
  expect(response.status).toBe(500)
  expect(await response.text()).toContain("no such scene")
})

test("requests that are kept are bounded, and numbered from the first", async () => {
  const simulation = simulate({ script: () => "Hi", keepRequests: 2 })
  for (const content of ["one", "two", "three"]) {
    await (await messages(simulation, [{ role: "user", content }])).text()
  }
  expect(simulation.requests.map(({ conversation }) => conversation!.lastUserText)).toEqual(["two", "three"])
  expect((await simulation.request(3)).conversation!.lastUserText).toBe("three")
  await expect(simulation.request(1)).rejects.toThrow("no longer kept")
})

test("what is no JSON, or goes elsewhere, is refused", async () => {
  const simulation = simulate({ script: () => [call("look")] })
  const broken = await fetch(`${simulation.url}/v1/messages`, { method: "POST", body: "{" })
  expect([broken.status, (await broken.json()).error.message]).toEqual([
    400,
    "The request body is not valid JSON"
  ])
  expect((await fetch(`${simulation.url}/v1/complete`, { method: "POST" })).status).toBe(404)
})
