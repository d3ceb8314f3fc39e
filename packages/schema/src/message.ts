/** What was said in a session, and by whom. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { idSchema } from "./id.ts"
import { InputId, Origin, Prompt, Synthetic } from "./input.ts"
import { SessionId } from "./session.ts"
import { TurnId } from "./turn.ts"
import { Usage } from "./usage.ts"

export const MessageId = Schema.String.pipe(
  Schema.brand("MessageId"),
  Schema.annotate({ identifier: "MessageId" })
)
export type MessageId = typeof MessageId.Type

export const PartId = idSchema("prt").pipe(Schema.brand("PartId"), Schema.annotate({ identifier: "PartId" }))
export type PartId = typeof PartId.Type

const part = {
  id: PartId,
  messageID: about("The message that it is a part of", MessageId),
  sessionID: SessionId
}

const metadata = about(
  "What a provider wants back with the part, as it gave it",
  Schema.optionalKey(Schema.Json)
)

export const TextPart = Schema.Struct({
  ...part,
  type: Schema.Literal("text"),
  text: about("Empty until the part has ended", Schema.String),
  metadata
}).annotate({ identifier: "TextPart", description: "Text that the agent wrote." })
export interface TextPart extends Schema.Schema.Type<typeof TextPart> {}

export const ReasoningPart = Schema.Struct({
  ...part,
  type: Schema.Literal("reasoning"),
  text: about("Empty where the provider keeps it to itself", Schema.String),
  complete: about("Ended well: only then it may be sent back", Schema.Boolean),
  metadata
}).annotate({
  identifier: "ReasoningPart",
  description: "What the model thought before it answered, as far as its provider tells."
})
export interface ReasoningPart extends Schema.Schema.Type<typeof ReasoningPart> {}

export const ToolStatus = Schema.Literals(["running", "completed", "failed", "interrupted"]).annotate({
  identifier: "ToolStatus",
  description: "What became of a tool call so far."
})
export type ToolStatus = typeof ToolStatus.Type

export const ToolPart = Schema.Struct({
  ...part,
  type: Schema.Literal("tool"),
  callID: about("The provider's id of the call", Schema.String),
  name: about("The tool", Schema.String),
  input: about("The model's JSON, as it wrote it", Schema.String),
  status: about("`interrupted`: the turn was, or the server ended", ToolStatus),
  output: about("What the model reads of the result", Schema.optionalKey(Schema.String)),
  structure: about("The result for clients; its shape is the tool's", Schema.optionalKey(Schema.Json)),
  startedAt: about("When the call began", Schema.Int),
  endedAt: about("When it had its result", Schema.optionalKey(Schema.Int)),
  metadata
}).annotate({ identifier: "ToolPart", description: "A tool call, and what came of it." })
export interface ToolPart extends Schema.Schema.Type<typeof ToolPart> {}

export const Part = Schema.Union([TextPart, ReasoningPart, ToolPart]).annotate({
  identifier: "Part",
  description: "What an assistant's message is made of. `type` tells which it is."
})
export type Part = typeof Part.Type

const message = {
  sessionID: SessionId,
  turnID: about("The turn in which it was read, or written", TurnId),
  createdAt: about("When it was read, or begun", Schema.Int)
}

export const UserMessage = Schema.Struct({
  ...message,
  id: InputId,
  role: Schema.Literal("user"),
  payload: about("The user's words", Prompt)
}).annotate({ identifier: "UserMessage", description: "A prompt that was read. Its id is the input's." })
export interface UserMessage extends Schema.Schema.Type<typeof UserMessage> {}

export const EventMessage = Schema.Struct({
  ...message,
  id: InputId,
  role: Schema.Literal("event"),
  origin: about("Who admitted it", Origin),
  payload: about("What it says", Synthetic)
}).annotate({
  identifier: "EventMessage",
  description: "A synthetic input that was read: never the user's words. Its id is the input's."
})
export interface EventMessage extends Schema.Schema.Type<typeof EventMessage> {}

export const AssistantMessage = Schema.Struct({
  ...message,
  id: MessageId,
  role: Schema.Literal("assistant"),
  model: about("`provider/model`", Schema.String),
  status: about(
    "`streaming` until the request has ended",
    Schema.Literals(["streaming", "completed", "interrupted", "failed"])
  ),
  error: about("Why it failed, for a person", Schema.optionalKey(Schema.String)),
  usage: about("Tokens of the request, once it has ended", Schema.optionalKey(Usage)),
  endedAt: about("When the request ended", Schema.optionalKey(Schema.Int))
}).annotate({ identifier: "AssistantMessage", description: "One step of the agent: one model request." })
export interface AssistantMessage extends Schema.Schema.Type<typeof AssistantMessage> {}

export const SummaryMessage = Schema.Struct({
  ...message,
  id: MessageId,
  role: Schema.Literal("summary"),
  text: about("By a model, of data that is not to be trusted", Schema.String),
  through: about("The place of the last message that it stands for", Schema.Int),
  keeps: about(
    "The place of the user's last prompt where that is among them: the model still reads it as it was",
    Schema.optionalKey(Schema.Int)
  ),
  model: about("`provider/model`", Schema.String),
  usage: about("Of the request that made it", Usage)
}).annotate({
  identifier: "SummaryMessage",
  description:
    "Stands, to the model alone, for what was said before it: all up to `through`, but for the prompt that it keeps. People still see everything."
})
export interface SummaryMessage extends Schema.Schema.Type<typeof SummaryMessage> {}

export const Message = Schema.Union([UserMessage, EventMessage, AssistantMessage, SummaryMessage]).annotate({
  identifier: "Message",
  description: "What was said, and by whom. `role` tells which it is."
})
export type Message = typeof Message.Type

export const MessageWithParts = Schema.Struct({
  seq: about("The place: what `after` and `before` ask with", Schema.Int),
  message: Message,
  parts: about("In the order in which they began", Schema.Array(Part))
}).annotate({
  identifier: "MessageWithParts",
  description: "A message with its place in the session and its parts; only an assistant's has any."
})
export interface MessageWithParts extends Schema.Schema.Type<typeof MessageWithParts> {}
