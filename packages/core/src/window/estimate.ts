/** How many tokens a request takes, before anybody has counted them. Pure. */
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { ToolSpec } from "../provider/step.ts"
import { toolDefinition } from "../provider/model.ts"

/** English and code have about four bytes a token; a script of three bytes a character about one token each. */
const bytesPerToken = 4
/** What a message or part takes around its text, roughly. */
const framing = 6

export const textTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

export const messageTokens = (messages: ReadonlyArray<LanguageModelV4Message>): number =>
  messages.reduce((sum, message) => sum + framing + contentTokens(message), 0)

const contentTokens = (message: LanguageModelV4Message): number => {
  if (message.role === "system") return textTokens(message.content)
  let sum = 0
  for (const part of message.content) {
    sum += framing
    switch (part.type) {
      case "text":
      case "reasoning":
        sum += textTokens(part.text)
        break
      case "tool-call":
        sum += textTokens(part.toolName) + textTokens(JSON.stringify(part.input))
        break
      case "tool-result":
        sum += textTokens(JSON.stringify(part.output))
    }
  }
  return sum
}

const known = new WeakMap<object, number>()

export const toolTokens = (tools: ReadonlyArray<ToolSpec>): number =>
  tools.reduce((sum, tool) => {
    const tokens = known.get(tool) ?? textTokens(JSON.stringify(toolDefinition(tool)))
    known.set(tool, tokens)
    return sum + tokens
  }, 0)

/** A provider that counts no tokens, or only those that were not cached, is not believed. */
const credible = { least: 0.5, most: 4 }

/**
 * By how much estimates are to be multiplied: what the provider counted in the last request, against what it was
 * estimated at.
 */
export const calibration = (counted: number, estimated: number): number =>
  counted <= 0 || estimated <= 0 ? 1 : Math.min(credible.most, Math.max(credible.least, counted / estimated))
