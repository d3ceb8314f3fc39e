/** A conversation in one directory. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { idSchema } from "./id.ts"
import { Rule } from "./permission.ts"
import { sentence } from "./sentence.ts"

export const SessionId = idSchema("ses").pipe(
  Schema.brand("SessionId"),
  Schema.annotate({ identifier: "SessionId" })
)
export type SessionId = typeof SessionId.Type

export const SessionStatus = Schema.Literals(["idle", "running", "asking", "watching"]).annotate({
  identifier: "SessionStatus",
  description:
    "`watching`: nothing to do, but monitors or background shells are active. `asking`: a permission ask waits."
})
export type SessionStatus = typeof SessionStatus.Type

export const EventsHeld = Schema.Literals(["budget", "failure"]).annotate({
  identifier: "EventsHeld",
  description:
    "Why events wait for the user's next prompt: they were read too often (`budget`), or the last turn ended by an error that no retry mends (`failure`)."
})
export type EventsHeld = typeof EventsHeld.Type

export const Session = Schema.Struct({
  id: SessionId,
  directory: about("Absolute path", Schema.String),
  title: about("For lists", Schema.optionalKey(Schema.String)),
  model: about(
    "`provider/model`; the configured default where it is absent",
    Schema.optionalKey(Schema.String)
  ),
  rules: about("Rules of this session alone, behind those of the configuration", Schema.Array(Rule)),
  unattended: about("Nobody is there to answer asks: what would ask fails instead", Schema.Boolean),
  eventsHeld: about(
    "Why events wait for the user's next prompt; absent where they do not",
    Schema.optionalKey(EventsHeld)
  ),
  createdAt: about("When it was created", Schema.Int),
  updatedAt: about("When any of this changed last", Schema.Int)
}).annotate({ identifier: "Session", description: "A conversation in one directory." })
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
  {
    sessionID: about("The id that was asked for", Schema.String),
    message: sentence("There is no such session")
  },
  {
    httpApiStatus: 404,
    description: "There is no such session, or it was deleted. List sessions for those there are."
  }
) {}

export class DirectoryNotFound extends Schema.TaggedError<DirectoryNotFound>()(
  "DirectoryNotFound",
  {
    directory: about("What was asked for", Schema.String),
    message: sentence("A session needs an existing directory, named by its absolute path")
  },
  {
    httpApiStatus: 400,
    description:
      "The directory is not there, or is none. Name an existing one of the server's machine by its absolute path."
  }
) {}
