/** The AI SDK's model for an endpoint, and tools as it wants them. */
// What it does is done by loading it.
// oxlint-disable-next-line import/no-unassigned-import
import "./blank-variables.ts"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4, LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import { Schema } from "effect"
import type { Endpoint } from "./endpoint.ts"
import type { ToolSpec } from "./step.ts"

export const languageModel = ({ provider, model, format, baseUrl, key }: Endpoint): LanguageModelV4 => {
  // Never undefined: provider code would look into the environment by itself.
  const settings = { baseURL: baseUrl, apiKey: key ?? "" }
  switch (format) {
    case "anthropic":
      return createAnthropic(settings)(model)
    case "openai":
      return createOpenAI(settings).chat(model)
    case "google":
      return createGoogle(settings)(model)
    case "openai-compatible":
      return createOpenAICompatible({ ...settings, name: provider, includeUsage: true }).chatModel(model)
  }
}

export const toolDefinition = ({
  name,
  description,
  input,
  inputSchema
}: ToolSpec): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: inputSchema ?? jsonSchema(input)
})

type JsonSchema = LanguageModelV4FunctionTool["inputSchema"]

const known = new WeakMap<object, JsonSchema>()

const jsonSchema = (schema: ToolSpec["input"]): JsonSchema => {
  const before = known.get(schema)
  if (before) return before
  const document = Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))[
    "~standard"
  ].jsonSchema.input({
    target: "draft-07"
  })
  const made = objectAtRoot(document)
  known.set(schema, made)
  return made
}

/** Providers want `type: "object"` at the root, where a schema with an identifier has a reference. */
const objectAtRoot = ({ $ref, ...rest }: Record<string, unknown>): JsonSchema => {
  const [, section, name] =
    /^#\/(definitions|\$defs)\/(.+)$/u.exec(typeof $ref === "string" ? $ref : "") ?? []
  if (section === undefined || name === undefined) return rest
  const definitions = rest[section] as Record<string, object>
  return { ...definitions[name], ...rest }
}
