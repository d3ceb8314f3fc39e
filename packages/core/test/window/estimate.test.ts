import { expect, test } from "bun:test"
import { calibration, messageTokens, textTokens } from "../../src/window/estimate.ts"

test("a longer text is never fewer tokens, and a dense script counts more than its characters say", () => {
  expect(textTokens("a".repeat(400))).toBe(100)
  expect(textTokens("監".repeat(400))).toBe(300)
})

test("all that a message carries counts", () => {
  const bare = messageTokens([{ role: "assistant", content: [{ type: "text", text: "" }] }])
  const calling = messageTokens([
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "read", input: { path: "x".repeat(400) } }]
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c",
          toolName: "read",
          output: { type: "text", value: "y".repeat(400) }
        }
      ]
    }
  ])
  expect(calling - bare).toBeGreaterThan(200)
})

test("what the provider counted corrects the estimate, as far as it can be believed", () => {
  expect(calibration(150, 100)).toBe(1.5)
  expect(calibration(0, 100)).toBe(1)
  expect(calibration(1, 100)).toBe(0.5)
  expect(calibration(9_999, 100)).toBe(4)
})
