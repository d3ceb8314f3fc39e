/** A project whose configuration file the user trusts, with exactly this text. */
import { Schema } from "effect"
import { about } from "./about.ts"

export const TrustedDirectory = Schema.Struct({
  directory: about("Absolute, without symbolic links", Schema.String),
  digest: about("SHA-256 of the file's text", Schema.String),
  trustedAt: about("When it was trusted", Schema.Int)
}).annotate({
  identifier: "TrustedDirectory",
  description: "A project whose vigil.json the user trusts, with exactly this text."
})
export interface TrustedDirectory extends Schema.Schema.Type<typeof TrustedDirectory> {}
