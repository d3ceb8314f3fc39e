/** A conversation in one directory. */
import { Schema } from "effect"
import { idSchema } from "./id.ts"
import { Rule } from "./permission.ts"
import { sentence } from "./sentence.ts"

export const SessionId = idSchema("ses").pipe(
  Schema.brand("SessionId"),
  Schema.annotate({ identifier: "SessionId" })
)
export type SessionId = typeof SessionId.Type

/** `watching`: nothing to do, but monitors or background shells are active. `asking`: a permission ask waits. */
export const SessionStatus = Schema.Literals(["idle", "running", "asking", "watching"]).annotate({
  identifier: "SessionStatus"
})
export type SessionStatus = typeof SessionStatus.Type

/**
 * Why events wait for the user's next prompt: they were read too often (`budget`), or the last turn
 * ended by an error that no retry mends (`failure`).
 */
export const EventsHeld = Schema.Literals(["budget", "failure"]).annotate({ identifier: "EventsHeld" })
export type EventsHeld = typeof EventsHeld.Type

export const Session = Schema.Struct({
  id: SessionId,
  /** Absolute path. */
  directory: Schema.String,
  title: Schema.optionalKey(Schema.String),
  /** `provider/model`; the configured default where it is absent. */
  model: Schema.optionalKey(Schema.String),
  /** Rules of this session alone, behind those of the configuration. */
  rules: Schema.Array(Rule),
  /** Nobody is there to answer asks: what would ask fails instead. */
  unattended: Schema.Boolean,
  eventsHeld: Schema.optionalKey(EventsHeld),
  createdAt: Schema.Int,
  updatedAt: Schema.Int
}).annotate({ identifier: "Session" })
export interface Session extends Schema.Schema.Type<typeof Session> {}

/** What a session is created with. */
export const SessionDraft = Schema.Struct({
  directory: Schema.String,
  title: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  rules: Schema.optionalKey(Schema.Array(Rule)),
  unattended: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "SessionDraft" })
export interface SessionDraft extends Schema.Schema.Type<typeof SessionDraft> {}

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()(
  "SessionNotFound",
  { sessionID: Schema.String, message: sentence("There is no such session") },
  { httpApiStatus: 404 }
) {}

export class DirectoryNotFound extends Schema.TaggedError<DirectoryNotFound>()(
  "DirectoryNotFound",
  {
    directory: Schema.String,
    message: sentence("A session needs an existing directory, named by its absolute path")
  },
  { httpApiStatus: 400 }
) {}
