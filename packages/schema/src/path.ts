/** A place on the server's machine. */
import { Schema } from "effect"

export const AbsolutePath = Schema.String.check(
  Schema.isPattern(/^\/[^\u0000]{0,4095}$/u, { expected: "an absolute path" })
).annotate({ identifier: "AbsolutePath", description: "Absolute, as text that a file system takes." })
