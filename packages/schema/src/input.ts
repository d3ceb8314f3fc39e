/** What was admitted to a session's inbox and not yet read by its agent. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { sentence } from "./sentence.ts"
import { SessionId } from "./session.ts"

/** Chosen by who admits it: an id like `inp_…`, or `<monitorID>:<seq>`. It becomes the message's id. */
export const InputId = Schema.String.check(
  Schema.isPattern(/^[a-z]+_[a-z0-9]{1,40}(:[a-z0-9]{1,20})?$/u, { expected: "an id like inp_7k2" })
).pipe(Schema.brand("InputId"), Schema.annotate({ identifier: "InputId" }))
export type InputId = typeof InputId.Type

export const Delivery = Schema.Literals(["steer", "queue"]).annotate({
  identifier: "Delivery",
  description: "`steer` is read at the next safe step boundary, `queue` when the turn ends."
})
export type Delivery = typeof Delivery.Type

export const Origin = Schema.Literals(["user", "monitor", "shell", "timer", "plugin"]).annotate({
  identifier: "Origin",
  description: "Who told it: the user, or what runs for the session."
})
export type Origin = typeof Origin.Type

export const Source = Schema.Struct({
  id: about("For example a monitor's", Schema.String),
  description: about("As it was named when it began", Schema.String)
}).annotate({
  identifier: "Source",
  description: "Whose words an event carries: a monitor, a background shell, a plugin."
})
export interface Source extends Schema.Schema.Type<typeof Source> {}

export const Lines = Schema.Struct({
  type: Schema.Literal("lines"),
  source: about("The monitor", Source),
  lines: about(
    "Cleaned: without control characters, none of them blank, long ones clipped",
    Schema.Array(Schema.String)
  )
}).annotate({ identifier: "Lines", description: "Lines that a monitor's command printed." })
export interface Lines extends Schema.Schema.Type<typeof Lines> {}

export const Notice = Schema.Struct({
  type: Schema.Literal("notice"),
  source: Source,
  text: about("As the agent reads it", Schema.String)
}).annotate({ identifier: "Notice", description: "How something in the background ended." })
export interface Notice extends Schema.Schema.Type<typeof Notice> {}

export const Counts = Schema.Struct({
  type: Schema.Literal("counts"),
  suppressed: about(
    "How many lines of each source are left out",
    Schema.Array(Schema.Struct({ source: Source, lines: Schema.Int }))
  )
}).annotate({ identifier: "Counts", description: "Stands for lines that no longer had room in the inbox." })
export interface Counts extends Schema.Schema.Type<typeof Counts> {}

export const Remark = Schema.Struct({
  type: Schema.Literal("remark"),
  source: Source,
  text: about("As the agent reads it", Schema.String)
}).annotate({
  identifier: "Remark",
  description: "Something else that a session is told, for example by a plugin."
})
export interface Remark extends Schema.Schema.Type<typeof Remark> {}

export const Prompt = Schema.Struct({ type: Schema.Literal("prompt"), text: Schema.String }).annotate({
  identifier: "Prompt",
  description: "The user's words."
})
export interface Prompt extends Schema.Schema.Type<typeof Prompt> {}

export const Synthetic = Schema.Union([Lines, Notice, Counts, Remark]).annotate({
  identifier: "Synthetic",
  description: "What a session is told by anything but its user. `type` tells which it is."
})
export type Synthetic = typeof Synthetic.Type

export const Payload = Schema.Union([Prompt, Lines, Notice, Counts, Remark]).annotate({
  identifier: "Payload",
  description: "What an input says. `type` tells which it is."
})
export type Payload = typeof Payload.Type

export const Input = Schema.Struct({
  id: InputId,
  sessionID: SessionId,
  kind: about("The user's words, or anything else", Schema.Literals(["prompt", "synthetic"])),
  delivery: about("When it is read", Delivery),
  origin: about("Who admitted it", Origin),
  payload: about("What it says", Payload),
  seq: about("Order of admission, across sessions", Schema.Int),
  createdAt: about("When it was admitted", Schema.Int),
  wakes: about("Whether its admission is owed a wake", Schema.Boolean)
}).annotate({ identifier: "Input", description: "What a session was told and has not read yet." })
export interface Input extends Schema.Schema.Type<typeof Input> {}

export class InputConflict extends Schema.TaggedError<InputConflict>()(
  "InputConflict",
  { inputID: about("The id", Schema.String), message: sentence("Another input was admitted under this id") },
  {
    httpApiStatus: 409,
    description: "Another input was admitted under this id. Send this one with a new id."
  }
) {}

export class InputNotFound extends Schema.TaggedError<InputNotFound>()(
  "InputNotFound",
  {
    inputID: about("The id that was asked for", Schema.String),
    message: sentence("No such input waits; it may have been read already")
  },
  {
    httpApiStatus: 404,
    description: "No such input waits: it was read, withdrawn, or never admitted. Nothing is left to do."
  }
) {}
