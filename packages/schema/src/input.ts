/** What was admitted to a session's inbox and not yet read by its agent. */
import { Schema } from "effect"
import { sentence } from "./sentence.ts"
import { SessionId } from "./session.ts"

/** Chosen by who admits it: an id like `inp_…`, or `<monitorID>:<seq>`. It becomes the message's id. */
export const InputId = Schema.String.check(
  Schema.isPattern(/^[a-z]+_[a-z0-9]{1,40}(:[a-z0-9]{1,20})?$/u, { expected: "an id like inp_7k2" })
).pipe(Schema.brand("InputId"), Schema.annotate({ identifier: "InputId" }))
export type InputId = typeof InputId.Type

/** `steer` is read at the next safe step boundary, `queue` when the turn ends. */
export const Delivery = Schema.Literals(["steer", "queue"]).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

export const Origin = Schema.Literals(["user", "monitor", "shell", "timer", "plugin"]).annotate({
  identifier: "Origin"
})
export type Origin = typeof Origin.Type

/** Whose words an event carries: a monitor, a background shell, a plugin. */
export const Source = Schema.Struct({ id: Schema.String, description: Schema.String }).annotate({
  identifier: "Source"
})
export interface Source extends Schema.Schema.Type<typeof Source> {}

/** Lines that a monitor's command printed, cleaned. */
export const Lines = Schema.Struct({
  type: Schema.Literal("lines"),
  source: Source,
  lines: Schema.Array(Schema.String)
}).annotate({ identifier: "Lines" })
export interface Lines extends Schema.Schema.Type<typeof Lines> {}

/** How something in the background ended. */
export const Notice = Schema.Struct({
  type: Schema.Literal("notice"),
  source: Source,
  text: Schema.String
}).annotate({ identifier: "Notice" })
export interface Notice extends Schema.Schema.Type<typeof Notice> {}

/** What stands for lines that no longer had room in the inbox. */
export const Counts = Schema.Struct({
  type: Schema.Literal("counts"),
  suppressed: Schema.Array(Schema.Struct({ source: Source, lines: Schema.Int }))
}).annotate({ identifier: "Counts" })
export interface Counts extends Schema.Schema.Type<typeof Counts> {}

/** Something else that a session is told, for example by a plugin. */
export const Remark = Schema.Struct({
  type: Schema.Literal("remark"),
  source: Source,
  text: Schema.String
}).annotate({ identifier: "Remark" })
export interface Remark extends Schema.Schema.Type<typeof Remark> {}

export const Prompt = Schema.Struct({ type: Schema.Literal("prompt"), text: Schema.String }).annotate({
  identifier: "Prompt"
})
export interface Prompt extends Schema.Schema.Type<typeof Prompt> {}

export const Synthetic = Schema.Union([Lines, Notice, Counts, Remark]).annotate({ identifier: "Synthetic" })
export type Synthetic = typeof Synthetic.Type

export const Payload = Schema.Union([Prompt, Lines, Notice, Counts, Remark]).annotate({
  identifier: "Payload"
})
export type Payload = typeof Payload.Type

export const Input = Schema.Struct({
  id: InputId,
  sessionID: SessionId,
  kind: Schema.Literals(["prompt", "synthetic"]),
  delivery: Delivery,
  origin: Origin,
  payload: Payload,
  /** Order of admission, across sessions. */
  seq: Schema.Int,
  createdAt: Schema.Int,
  /** Whether its admission is owed a wake. */
  wakes: Schema.Boolean
}).annotate({ identifier: "Input" })
export interface Input extends Schema.Schema.Type<typeof Input> {}

/** The same id was admitted before with other content. */
export class InputConflict extends Schema.TaggedError<InputConflict>()(
  "InputConflict",
  { inputID: Schema.String, message: sentence("Another input was admitted under this id") },
  { httpApiStatus: 409 }
) {}

export class InputNotFound extends Schema.TaggedError<InputNotFound>()(
  "InputNotFound",
  { inputID: Schema.String, message: sentence("No such input waits; it may have been read already") },
  { httpApiStatus: 404 }
) {}
