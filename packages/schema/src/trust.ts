/** A project whose configuration file the user trusts, with exactly this text. */
import { Schema } from "effect"

export const TrustedDirectory = Schema.Struct({
  /** Absolute, without symbolic links. */
  directory: Schema.String,
  /** SHA-256 of the file's text. */
  digest: Schema.String,
  trustedAt: Schema.Int
}).annotate({ identifier: "TrustedDirectory" })
export interface TrustedDirectory extends Schema.Schema.Type<typeof TrustedDirectory> {}
