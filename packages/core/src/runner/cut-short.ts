/** What a turn that nobody goes on with had begun: brought to its end, so that the next request is valid. */
import type { MessageWithParts } from "@vigil/schema/message"
import { Clock, Effect, Option, Schema } from "effect"
import { Sessions } from "../session.ts"

/** The newest input of a turn that has to be tried again, and how often it was, over restarts. */
export const Owed = Schema.Struct({ inputID: Schema.String, attempts: Schema.Int })
export interface Owed extends Schema.Schema.Type<typeof Owed> {}

export const decodeOwed = Schema.decodeUnknownOption(Owed)

/** What is owed for `inputID`; `stored` counts only where it was for the same one. */
export const owing = (stored: unknown, inputID: string): { inputID: string; attempts: number } =>
  Option.getOrElse(
    Option.filter(decodeOwed(stored), (owed) => owed.inputID === inputID),
    () => ({ inputID, attempts: 0 })
  )

/**
 * Closes messages that were still streaming as interrupted, and fails calls that were still running, with `output`
 * for their result. In the open transaction.
 */
export const closeMessages = Effect.fnUntraced(function* (
  messages: ReadonlyArray<MessageWithParts>,
  output: string
) {
  const sessions = yield* Sessions
  const endedAt = yield* Clock.currentTimeMillis
  for (const { message, parts } of messages) {
    if (message.role !== "assistant") continue
    for (const part of parts) {
      if (part.type === "tool") {
        if (part.status === "running")
          yield* sessions.completePart({ ...part, status: "failed", output, endedAt })
        // What streamed of it went with its server: whoever saw it hears what is left.
      } else if (part.text === "" && message.status === "streaming") yield* sessions.completePart(part)
    }
    if (message.status === "streaming") yield* sessions.revise({ ...message, status: "interrupted", endedAt })
  }
})
