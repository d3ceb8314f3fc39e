/** Outputs of tools that are left out of requests, with a word in their place. Pure. */
import type { MessageWithParts, Part } from "@vigil/schema/message"
import { textTokens } from "./estimate.ts"

export const leftOut =
  "[Vigil left this output out, to make room. If it is needed, call the tool again and ask for less at a time.]"

/** Tokens that are saved where it is left out. */
export const savedTokens = (part: Part): number =>
  part.type === "tool" ? Math.max(0, textTokens(part.output ?? "") - textTokens(leftOut)) : 0

/** The outputs of all messages up to a place are left out, but for those that are shorter than what says so. */
export const withoutOutputs = (
  conversation: ReadonlyArray<MessageWithParts>,
  through: number
): ReadonlyArray<MessageWithParts> =>
  through === 0
    ? conversation
    : conversation.map((message) => {
        if (message.seq > through || !message.parts.some((part) => savedTokens(part) > 0)) return message
        const parts = message.parts.map((part) =>
          savedTokens(part) > 0 ? { ...part, output: leftOut } : part
        )
        return { ...message, parts }
      })
