/** The variables that a session's commands run with, as its client has them. */
import { Schema } from "effect"

const name = Schema.String.check(
  Schema.isPattern(/^[^=\u0000]{1,1000}$/u, { expected: "the name of an environment variable" })
)
const value = Schema.String.check(
  Schema.isPattern(/^[^\u0000]{0,131071}$/u, { expected: "text without NUL, at most 131,071 characters" })
)

export const Environment = Schema.Record(name, value)
  .check(Schema.isMaxProperties(2_000, { expected: "at most 2000 variables" }))
  .annotate({
    identifier: "Environment",
    description:
      "2,000 variables at most. What providers read, and Vigil's own, is left out of it before it is kept."
  })
export type Environment = typeof Environment.Type
