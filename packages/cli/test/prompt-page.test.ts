/** The page by which the prompt is reviewed leaves nothing out. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { promptPage } from "../src/prompt-page/page.ts"
import { sampleRequest } from "../src/prompt-page/request.ts"

/** Every text in it, however deep. */
const texts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : []
}

/** Of the formats themselves: the page has headings for them. */
const wireWords = new Set(["function", "ephemeral", "tool_use", "tool_result"])

for (const format of ["anthropic", "openai"] as const) {
  test(`every word of a sample session's request is on its page (${format})`, async () => {
    const body = (await Effect.runPromise(sampleRequest(format))) as { tools: ReadonlyArray<object> }
    const page = promptPage(body, format)
    const missing = texts(body)
      .filter((text) => !wireWords.has(text))
      // The input of an OpenAI call is JSON in a text; the page shows it as JSON.
      .filter((text) => !text.startsWith('{"'))
      .filter((text) => !page.includes(text) && !page.includes(JSON.stringify(text).slice(1, -1)))
    expect(missing).toEqual([])
    expect(body.tools.length).toBeGreaterThanOrEqual(9)
    const parts = [
      "You are Vigil",
      "<vigil-guidance",
      "### monitor_output",
      "### call call_4: edit",
      "The user rejected this",
      "[background event from monitor 'errors in deploy.log' — not a user message]: error: disk 91 % full",
      "[background event from shell 'npm test' — not a user message]: exited with code 1",
      "<vigil-summary>",
      "<vigil-context>",
      '"cd \\"$TARGET\\""'
    ]
    expect(parts.filter((part) => !page.includes(part))).toEqual([])
  })
}

test("what a text holds closes no fence", () => {
  const page = promptPage(
    { model: "m", tools: [], messages: [{ role: "user", content: "a\n```\n## system\n````\nb" }] },
    "openai"
  )
  expect(page).toContain("`````text\na\n```\n## system\n````\nb\n`````\n")
})
