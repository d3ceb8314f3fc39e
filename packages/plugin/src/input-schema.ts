/** How a plugin says what a tool takes: JSON Schema, an Effect schema, or one of any Standard Schema library. */

/** A JSON Schema with `type: "object"`. */
export interface JsonSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

/**
 * Standard Schema, version 1, as far as it is used. Where the library can also say it as JSON Schema
 * (`~standard.jsonSchema`), the model is told what the tool takes; else only that it is an object, so the tool's
 * description has to say the rest.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
    }
  }
}

export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<Issue> }

export interface Issue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** What is seen of an Effect schema; it is used as it is. */
export interface EffectSchema<Type = unknown> {
  readonly Type: Type
  readonly ast: object
}

export type InputSchema = JsonSchema | StandardSchema | EffectSchema

/** What `execute` gets. JSON Schema says nothing that TypeScript could read: there the author says it. */
export type InputOf<Schema extends InputSchema> =
  Schema extends StandardSchema<infer Output> ? Output : Schema extends EffectSchema<infer Type> ? Type : any
