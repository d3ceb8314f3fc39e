/** How the plugins that a configuration names are doing. */
import { Schema } from "effect"
import { sentence } from "./sentence.ts"

export const PluginProblem = Schema.Struct({
  message: Schema.String,
  /** How often it came. */
  times: Schema.Int
}).annotate({ identifier: "PluginProblem" })
export interface PluginProblem extends Schema.Schema.Type<typeof PluginProblem> {}

export const PluginStatus = Schema.Struct({
  /** As the configuration names it: a path or a package. */
  source: Schema.String,
  /** Its own name, once it is known. */
  name: Schema.optionalKey(Schema.String),
  /** Where its module is, once it was found. */
  file: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["loaded", "failed"]),
  /** Why it failed. */
  reason: Schema.optionalKey(Schema.String),
  /** What went wrong in it, or what it replaced, newest last. */
  problems: Schema.Array(PluginProblem)
}).annotate({ identifier: "PluginStatus" })
export interface PluginStatus extends Schema.Schema.Type<typeof PluginStatus> {}

export class PluginNotFound extends Schema.TaggedError<PluginNotFound>()(
  "PluginNotFound",
  { name: Schema.String, message: sentence("No plugin of this name, path or package is configured") },
  { httpApiStatus: 404 }
) {}
