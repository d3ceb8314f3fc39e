/** Who can be asked for a model, and what the others lack. */
import { Schema } from "effect"

export const ProviderInfo = Schema.Struct({
  provider: Schema.String,
  /** It can be asked: an address is known, and a key where one is needed. */
  usable: Schema.Boolean,
  /** The default model is one of its. */
  default: Schema.Boolean,
  format: Schema.optionalKey(Schema.String),
  /** Without a password. */
  baseUrl: Schema.optionalKey(Schema.String),
  /** `config`, `none`, `stored`, or the environment variable; never the key. */
  keyFrom: Schema.optionalKey(Schema.String),
  /** What to do about it where it can't be asked. */
  missing: Schema.optionalKey(Schema.String),
  /** As it lists them itself; only where that was asked for. */
  models: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Why it did not list them. */
  failed: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ProviderInfo" })
export interface ProviderInfo extends Schema.Schema.Type<typeof ProviderInfo> {}

export const ModelList = Schema.Struct({
  /** `provider/model` of sessions that name none. */
  default: Schema.optionalKey(Schema.String),
  /** The file that says so. */
  defaultFrom: Schema.optionalKey(Schema.String),
  providers: Schema.Array(ProviderInfo)
}).annotate({ identifier: "ModelList" })
export interface ModelList extends Schema.Schema.Type<typeof ModelList> {}
