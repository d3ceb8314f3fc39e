/** What a field holds, told where the field is: the OpenAPI document and the SDK show it. */
import type { Schema } from "effect"

/** Says it of the field alone. A schema with a name stays the one it is. */
export const about = <S extends Schema.Top>(description: string, schema: S): S["Rebuild"] =>
  schema.annotateKey({ description })
