/** What a plugin says of a tool's input, as a schema of ours and as what the model is told. */
import type { EffectSchema, InputSchema, Issue, JsonSchema, StandardSchema } from "@vigil/plugin/input-schema"
import {
  Effect,
  JsonSchema as EffectJsonSchema,
  Schema,
  SchemaGetter,
  SchemaIssue,
  SchemaRepresentation
} from "effect"
import { foreignWithin } from "../hook/foreign.ts"

export interface ReadSchema {
  readonly input: Schema.ConstraintDecoder<any>
  readonly inputSchema: Readonly<Record<string, unknown>>
}

const known = new WeakMap<object, ReadSchema>()

/** Throws, with what its author has to know, where it is none, or one that providers would refuse. */
export const readInputSchema = (schema: InputSchema, validateMs: number): ReadSchema => {
  const before = known.get(schema)
  if (before) return before
  const read = isStandard(schema)
    ? ofStandard(schema, validateMs)
    : isEffect(schema)
      ? ofEffect(schema)
      : ofJson(schema)
  known.set(schema, read)
  return read
}

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

const isStandard = (schema: InputSchema): schema is StandardSchema =>
  isObject(schema) && "~standard" in schema && isObject(schema["~standard"])

const isEffect = (schema: InputSchema): schema is EffectSchema => Schema.isSchema(schema)

const ofEffect = (schema: EffectSchema): ReadSchema => {
  const input = schema as unknown as Schema.ConstraintDecoder<any>
  const document = Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(input))["~standard"].jsonSchema
  return { input, inputSchema: objectSchema(document.input({ target: "draft-07" })) }
}

const ofStandard = (schema: StandardSchema, validateMs: number): ReadSchema => {
  const { jsonSchema } = schema["~standard"]
  const inputSchema = objectSchema(jsonSchema?.input({ target: "draft-07" }) ?? { type: "object" })
  const input = Schema.Unknown.pipe(
    Schema.decodeTo(Schema.Unknown, {
      decode: SchemaGetter.transformEffect((value: unknown) =>
        foreignWithin(validateMs, async () => {
          const result = await schema["~standard"].validate(value)
          if (result.issues) throw new Error(result.issues.map(sentence).join("\n"))
          return result.value
        }).pipe(Effect.mapError(({ message }) => new SchemaIssue.InvalidValue({ message })))
      ),
      encode: SchemaGetter.passthrough()
    })
  )
  return { input, inputSchema }
}

const sentence = ({ message, path = [] }: Issue): string => {
  const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  return at === "" ? message : `${at}: ${message}`
}

const ofJson = (schema: JsonSchema): ReadSchema => {
  const inputSchema = objectSchema(schema)
  return { input: checked(inputSchema), inputSchema }
}

/** What can't be checked here is left to the tool. */
const checked = (schema: EffectJsonSchema.JsonSchema): Schema.ConstraintDecoder<any> => {
  try {
    return SchemaRepresentation.fromJsonSchemaDocument(EffectJsonSchema.fromSchemaDraft2020_12(schema), {
      patterns: "ignore"
    }) as unknown as Schema.ConstraintDecoder<any>
  } catch {
    return Schema.Record(Schema.String, Schema.Unknown)
  }
}

/** A copy that is JSON and nothing else. */
const objectSchema = (schema: object): EffectJsonSchema.JsonSchema => {
  const copy: unknown = JSON.parse(JSON.stringify(schema) ?? "null")
  const rooted = isObject(copy) ? atRoot(copy as Record<string, unknown>) : undefined
  if (rooted?.["type"] !== "object") {
    throw new TypeError(
      `inputSchema must describe an object: JSON Schema with type: "object", or such a schema`
    )
  }
  return rooted
}

/** Where the root is a reference, what it refers to stands there. */
const atRoot = ({ $ref, ...rest }: Record<string, unknown>): Record<string, unknown> => {
  const [, section, name] =
    /^#\/(definitions|\$defs)\/(.+)$/u.exec(typeof $ref === "string" ? $ref : "") ?? []
  if (section === undefined || name === undefined) return rest
  const definitions = rest[section] as Record<string, object> | undefined
  return { ...definitions?.[name], ...rest }
}
