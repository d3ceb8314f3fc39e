/** What one model request says, and how it may fail. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { Usage } from "@vigil/schema/usage"
import { Schema } from "effect"

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** An object's schema; what the model sends is held against it by who runs the tool. */
  readonly input: Schema.ConstraintDecoder<any>
  /** What the model is told of its input, as JSON Schema; `input` says it where it is left out. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
}

export interface StepRequest {
  /** `provider/model` */
  readonly model: string
  /** Its `providerOptions` (cache marks, signatures) reach the provider untouched. */
  readonly prompt: LanguageModelV4Prompt
  readonly tools: ReadonlyArray<ToolSpec>
  /** The provider's own bound where it is left out. */
  readonly maxOutputTokens?: number
}

/**
 * Ids are unique in a step. `metadata` is what the provider wants back with the part as `providerOptions`;
 * a reasoning part may have it and no text.
 */
export type StepPart =
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text"; readonly id: string; readonly text: string }
  | { readonly type: "text-end"; readonly id: string; readonly metadata?: Schema.Json }
  | { readonly type: "reasoning-start"; readonly id: string }
  | { readonly type: "reasoning"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning-end"; readonly id: string; readonly metadata?: Schema.Json }
  /** Held back until the step has ended well. `input` is the model's JSON, as it wrote it. */
  | {
      readonly type: "tool-call"
      readonly callID: string
      readonly name: string
      readonly input: string
      readonly metadata?: Schema.Json
    }
  /** `reason`: stop, tool-calls, length, content-filter or other. */
  | { readonly type: "finish"; readonly reason: string; readonly usage: Usage }

/** Worth another try, after `retryAfterMs` where the provider said so. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Int)
}) {}

/** Worth another try: nothing came, the answer broke off, or the provider itself failed. */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  message: Schema.String
}) {}

/** The prompt, or the prompt and the answer asked for, passes the model's window. */
export class ContextTooLong extends Schema.TaggedError<ContextTooLong>()("ContextTooLong", {
  message: Schema.String
}) {}

/** The same request would be refused again: a wrong key, an unknown model, a spent quota. */
export class StepRefused extends Schema.TaggedError<StepRefused>()("StepRefused", {
  /** HTTP's; 400 where the provider's own code refused to send it. */
  status: Schema.Int,
  message: Schema.String
}) {}

/** No request was made: the model can't be asked until what the message names is set. */
export class ModelUnusable extends Schema.TaggedError<ModelUnusable>()("ModelUnusable", {
  model: Schema.String,
  reason: Schema.Literals(["malformed", "provider-unknown", "key-missing", "base-url-invalid"]),
  message: Schema.String
}) {}

/** What is said where neither a session nor the settings name a model. */
export const noModel = 'No model is set. Name one with --model provider/model, or as "model" in vigil.json.'

export type StepError = RateLimited | ConnectionLost | ContextTooLong | StepRefused | ModelUnusable
