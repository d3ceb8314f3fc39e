/** What was said in a session, and by whom. */
import { Schema } from "effect"
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

const part = { id: PartId, messageID: MessageId, sessionID: SessionId }

/** What a provider wants back with a part, as it gave it. */
const metadata = Schema.optionalKey(Schema.Json)

export const TextPart = Schema.Struct({
  ...part,
  type: Schema.Literal("text"),
  /** Empty until the part has ended. */
  text: Schema.String,
  metadata
}).annotate({ identifier: "TextPart" })
export interface TextPart extends Schema.Schema.Type<typeof TextPart> {}

export const ReasoningPart = Schema.Struct({
  ...part,
  type: Schema.Literal("reasoning"),
  text: Schema.String,
  /** Ended well: only then it may be sent back. */
  complete: Schema.Boolean,
  metadata
}).annotate({ identifier: "ReasoningPart" })
export interface ReasoningPart extends Schema.Schema.Type<typeof ReasoningPart> {}

export const ToolStatus = Schema.Literals(["running", "completed", "failed", "interrupted"]).annotate({
  identifier: "ToolStatus"
})
export type ToolStatus = typeof ToolStatus.Type

export const ToolPart = Schema.Struct({
  ...part,
  type: Schema.Literal("tool"),
  /** The provider's id of the call. */
  callID: Schema.String,
  name: Schema.String,
  /** The model's JSON, as it wrote it. */
  input: Schema.String,
  status: ToolStatus,
  /** For the model. */
  output: Schema.optionalKey(Schema.String),
  /** For clients. */
  structure: Schema.optionalKey(Schema.Json),
  startedAt: Schema.Int,
  endedAt: Schema.optionalKey(Schema.Int),
  metadata
}).annotate({ identifier: "ToolPart" })
export interface ToolPart extends Schema.Schema.Type<typeof ToolPart> {}

export const Part = Schema.Union([TextPart, ReasoningPart, ToolPart]).annotate({ identifier: "Part" })
export type Part = typeof Part.Type

const message = { sessionID: SessionId, turnID: TurnId, createdAt: Schema.Int }

/** A prompt that was read. Its id is the input's. */
export const UserMessage = Schema.Struct({
  ...message,
  id: InputId,
  role: Schema.Literal("user"),
  payload: Prompt
}).annotate({ identifier: "UserMessage" })
export interface UserMessage extends Schema.Schema.Type<typeof UserMessage> {}

/** A synthetic input that was read: never the user's words. Its id is the input's. */
export const EventMessage = Schema.Struct({
  ...message,
  id: InputId,
  role: Schema.Literal("event"),
  origin: Origin,
  payload: Synthetic
}).annotate({ identifier: "EventMessage" })
export interface EventMessage extends Schema.Schema.Type<typeof EventMessage> {}

/** One step of the agent: one model request. */
export const AssistantMessage = Schema.Struct({
  ...message,
  id: MessageId,
  role: Schema.Literal("assistant"),
  /** `provider/model` */
  model: Schema.String,
  status: Schema.Literals(["streaming", "completed", "interrupted", "failed"]),
  /** Why it failed, for a person. */
  error: Schema.optionalKey(Schema.String),
  usage: Schema.optionalKey(Usage),
  endedAt: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "AssistantMessage" })
export interface AssistantMessage extends Schema.Schema.Type<typeof AssistantMessage> {}

/**
 * Stands, to the model alone, for what was said before it: all up to `through`, but for the prompt that it keeps.
 * People still see everything.
 */
export const SummaryMessage = Schema.Struct({
  ...message,
  id: MessageId,
  role: Schema.Literal("summary"),
  /** By a model, of data that is not to be trusted. */
  text: Schema.String,
  /** The place of the last message that it stands for. */
  through: Schema.Int,
  /** The place of the user's last prompt where that is among them: the model still reads it as it was. */
  keeps: Schema.optionalKey(Schema.Int),
  /** `provider/model` */
  model: Schema.String,
  /** Of the request that made it. */
  usage: Usage
}).annotate({ identifier: "SummaryMessage" })
export interface SummaryMessage extends Schema.Schema.Type<typeof SummaryMessage> {}

export const Message = Schema.Union([UserMessage, EventMessage, AssistantMessage, SummaryMessage]).annotate({
  identifier: "Message"
})
export type Message = typeof Message.Type

/** A message with its place in the session and its parts; only an assistant's has any. */
export const MessageWithParts = Schema.Struct({
  seq: Schema.Int,
  message: Message,
  parts: Schema.Array(Part)
}).annotate({ identifier: "MessageWithParts" })
export interface MessageWithParts extends Schema.Schema.Type<typeof MessageWithParts> {}
