/** Sessions over HTTP: what is kept of them, and what is said to them. */
import { Environment } from "@vigil/schema/environment"
import { Delivery, Input, InputConflict, InputId, InputNotFound } from "@vigil/schema/input"
import { MessageWithParts } from "@vigil/schema/message"
import { Natural, naturalBetween } from "@vigil/schema/natural"
import { AbsolutePath } from "@vigil/schema/path"
import { Rule } from "@vigil/schema/permission"
import { DirectoryNotFound, SessionId, SessionNotFound } from "@vigil/schema/session"
import { SessionInfo } from "@vigil/schema/session-info"
import { Turn } from "@vigil/schema/turn"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { described } from "./describe.ts"
import { pageOf, reading } from "./page.ts"
import { sessionParams } from "./params.ts"

/** Most of a page. */
export const maxPage = 1_000

const limit = Schema.optionalKey(naturalBetween(1, maxPage)).annotate({
  description: `How many at most: 1 to ${maxPage}, 100 without it`
})

const Title = Schema.String.check(Schema.isMaxLength(200, { expected: "at most 200 characters" }))
const ModelName = Schema.String.check(
  Schema.isPattern(/^[^\s/]+\/\S{1,300}$/u, { expected: "provider/model" })
)
const rules = Schema.Array(Rule).check(Schema.isMaxLength(1_000, { expected: "at most 1000 rules" }))

export const NewSession = Schema.Struct({
  directory: AbsolutePath,
  title: Schema.optionalKey(Title),
  model: Schema.optionalKey(ModelName),
  /** Rules of this session alone, behind those of the configuration. */
  rules: Schema.optionalKey(rules),
  /** Nobody is there to answer asks: what would ask fails instead. */
  unattended: Schema.optionalKey(Schema.Boolean),
  /** What its commands run with; without it, the server's own. */
  environment: Schema.optionalKey(Environment)
}).annotate({ identifier: "NewSession" })

export const SessionChange = Schema.Struct({
  title: Schema.optionalKey(Title),
  model: Schema.optionalKey(ModelName),
  /** In place of those there are. */
  rules: Schema.optionalKey(rules),
  unattended: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "SessionChange" })

export const PromptDraft = Schema.Struct({
  /** The same id twice is one prompt. */
  id: Schema.optionalKey(InputId),
  text: Schema.String.check(
    Schema.isPattern(/\S/u, { expected: "some text" }),
    Schema.isMaxLength(1_048_576, { expected: "at most 1048576 characters" })
  ),
  delivery: Schema.optionalKey(Delivery)
}).annotate({ identifier: "PromptDraft" })

export const SessionGroup = HttpApiGroup.make("session").add(
  HttpApiEndpoint.get("list", "/session", {
    query: {
      after: Schema.optionalKey(SessionId).annotate({ description: "Sessions older than this one" }),
      limit
    },
    success: reading(pageOf("SessionPage", SessionInfo))
  }).pipe(described("Lists sessions, newest first")),
  HttpApiEndpoint.post("create", "/session", {
    payload: NewSession,
    success: SessionInfo,
    error: DirectoryNotFound
  }).pipe(described("Creates a session in a directory of the server's machine")),
  HttpApiEndpoint.get("get", "/session/:sessionID", {
    params: sessionParams,
    success: reading(SessionInfo),
    error: SessionNotFound
  }).pipe(described("Returns a session, what it is doing, and its newest turn")),
  HttpApiEndpoint.patch("update", "/session/:sessionID", {
    params: sessionParams,
    payload: SessionChange,
    success: SessionInfo,
    error: SessionNotFound
  }).pipe(described("Changes what is given; a changed model lets waiting events be read again")),
  HttpApiEndpoint.delete("remove", "/session/:sessionID", {
    params: sessionParams,
    success: HttpApiSchema.NoContent,
    error: SessionNotFound
  }).pipe(described("Deletes a session with all that runs in it and all that is kept of it")),
  HttpApiEndpoint.post("prompt", "/session/:sessionID/prompt", {
    params: sessionParams,
    payload: PromptDraft,
    success: Input,
    error: [SessionNotFound, InputConflict]
  }).pipe(
    described(
      "Admits a prompt and wakes the session. Answers before the agent does: follow the feed, or wait for idle"
    )
  ),
  HttpApiEndpoint.post("interrupt", "/session/:sessionID/interrupt", {
    params: sessionParams,
    success: Schema.Struct({ interrupted: Schema.Boolean }).annotate({ identifier: "Interrupted" }),
    error: SessionNotFound
  }).pipe(described("Stops the turn that runs, if one does. Monitors go on")),
  HttpApiEndpoint.get("wait", "/session/:sessionID/wait", {
    params: sessionParams,
    query: {
      until: Schema.Literals(["idle", "quiet"]).annotate({
        description:
          "`idle`: nothing runs and nothing will by itself, rests included. `quiet`: besides, no monitor and no background shell is active"
      }),
      timeoutMs: Schema.optionalKey(naturalBetween(0, 300_000)).annotate({
        description: "How long to wait, in ms: 0 to 300000, 30000 without it"
      })
    },
    success: Schema.Struct({ reached: Schema.Boolean }).annotate({ identifier: "Waited" }),
    error: SessionNotFound
  }).pipe(described("Answers once the session is idle or quiet, or when the time is over; then ask again"))
)

export const MessageGroup = HttpApiGroup.make("message").add(
  HttpApiEndpoint.get("list", "/session/:sessionID/message", {
    params: sessionParams,
    query: {
      after: Schema.optionalKey(Natural).annotate({ description: "Messages behind this place (`seq`)" }),
      before: Schema.optionalKey(Natural).annotate({
        description: "The newest messages in front of this place, in order; `next` leads to older ones"
      }),
      limit
    },
    success: reading(pageOf("MessagePage", MessageWithParts)),
    error: SessionNotFound
  }).pipe(described("Returns what was said, in order, with the text of unfinished parts so far"))
)

export const TurnGroup = HttpApiGroup.make("turn").add(
  HttpApiEndpoint.get("list", "/session/:sessionID/turn", {
    params: sessionParams,
    query: { limit },
    success: reading(pageOf("TurnPage", Turn)),
    error: SessionNotFound
  }).pipe(described("Returns the newest turns, newest first: how each ended, and what it took"))
)

export const InboxGroup = HttpApiGroup.make("inbox").add(
  HttpApiEndpoint.get("list", "/session/:sessionID/inbox", {
    params: sessionParams,
    success: reading(pageOf("InputPage", Input)),
    error: SessionNotFound
  }).pipe(described("Returns what the session was told and has not read yet, in order")),
  HttpApiEndpoint.delete("withdraw", "/session/:sessionID/inbox/:inputID", {
    params: { ...sessionParams, inputID: InputId },
    success: Input,
    error: [SessionNotFound, InputNotFound]
  }).pipe(described("Takes an input back that was not read yet"))
)
