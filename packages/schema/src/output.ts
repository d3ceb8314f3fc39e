/** A page of a process's log. Cursors and sizes count bytes from the first one ever printed. */
import { Schema } from "effect"

export const OutputPage = Schema.Struct({
  output: Schema.String,
  /** Where the next page starts. */
  cursor: Schema.Int,
  /** The oldest byte that is kept. */
  start: Schema.Int,
  /** All that was ever printed. */
  size: Schema.Int,
  /** What was asked for, or lies before this page, is no longer kept. */
  truncated: Schema.Boolean,
  /** The process has ended: nothing more will come. */
  ended: Schema.Boolean
}).annotate({ identifier: "OutputPage" })
export interface OutputPage extends Schema.Schema.Type<typeof OutputPage> {}

/** How much of a log there is. */
export const LogState = Schema.Struct({
  start: Schema.Int,
  size: Schema.Int,
  /** Why it could not be written, for a person. */
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "LogState" })
export interface LogState extends Schema.Schema.Type<typeof LogState> {}
