/** Who can be asked for a model, and what the others lack. */
import { Schema } from "effect"
import { about } from "./about.ts"

export const ProviderInfo = Schema.Struct({
  provider: about("Its name, the first half of `provider/model`", Schema.String),
  usable: about("It can be asked: an address is known, and a key where one is needed", Schema.Boolean),
  default: about("The default model is one of its", Schema.Boolean),
  format: about("The wire format that it speaks", Schema.optionalKey(Schema.String)),
  baseUrl: about("Without a password", Schema.optionalKey(Schema.String)),
  keyFrom: about(
    "`config`, `none`, `stored`, or the environment variable; never the key",
    Schema.optionalKey(Schema.String)
  ),
  missing: about("What to do about it where it can't be asked", Schema.optionalKey(Schema.String)),
  models: about(
    "As it lists them itself; only where that was asked for",
    Schema.optionalKey(Schema.Array(Schema.String))
  ),
  failed: about("Why it did not list them", Schema.optionalKey(Schema.String))
}).annotate({
  identifier: "ProviderInfo",
  description: "A provider, whether it can be asked for a model, and what it lacks."
})
export interface ProviderInfo extends Schema.Schema.Type<typeof ProviderInfo> {}

export const ModelList = Schema.Struct({
  default: about("`provider/model` of sessions that name none", Schema.optionalKey(Schema.String)),
  defaultFrom: about("The file that says so", Schema.optionalKey(Schema.String)),
  providers: about("Those that are known, and those that the configuration names", Schema.Array(ProviderInfo))
}).annotate({
  identifier: "ModelList",
  description: "Which providers can be asked, and what is missing for the others."
})
export interface ModelList extends Schema.Schema.Type<typeof ModelList> {}
