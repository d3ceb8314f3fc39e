/** A page of a process's log. Cursors and sizes count bytes from the first one ever printed. */
import { Schema } from "effect"
import { about } from "./about.ts"

export const OutputPage = Schema.Struct({
  output: about("Text, cut between characters", Schema.String),
  cursor: about("Where the next page starts", Schema.Int),
  start: about("The oldest byte that is kept", Schema.Int),
  size: about("All that was ever printed", Schema.Int),
  truncated: about("What was asked for, or lies before this page, is no longer kept", Schema.Boolean),
  ended: about("The process has ended: nothing more will come", Schema.Boolean)
}).annotate({
  identifier: "OutputPage",
  description: "A page of a process's output. Cursors and sizes count bytes from the first one ever printed."
})
export interface OutputPage extends Schema.Schema.Type<typeof OutputPage> {}

export const LogState = Schema.Struct({
  start: about("The oldest byte that is kept", Schema.Int),
  size: about("All that was ever printed", Schema.Int),
  error: about("Why it could not be written, for a person", Schema.optionalKey(Schema.String))
}).annotate({
  identifier: "LogState",
  description: "How much of a log there is, in bytes from the first one ever printed."
})
export interface LogState extends Schema.Schema.Type<typeof LogState> {}
