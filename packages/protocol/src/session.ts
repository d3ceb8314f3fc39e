/** Sessions over HTTP: what is kept of them, and what is said to them. */
import { about } from "@vigil/schema/about"
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
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { described } from "./describe.ts"
import { pageOf, reading } from "./page.ts"
import { sessionParams } from "./params.ts"

/** Most of a page. */
export const maxPage = 1_000

const limit = about(
  `How many at most: 1 to ${maxPage}, 100 without it`,
  Schema.optionalKey(naturalBetween(1, maxPage))
)

const Title = Schema.String.check(Schema.isMaxLength(200, { expected: "at most 200 characters" }))
const ModelName = Schema.String.check(
  Schema.isPattern(/^[^\s/]+\/\S{1,300}$/u, { expected: "provider/model" })
)
const PromptText = Schema.String.check(
  Schema.isPattern(/\S/u, { expected: "some text" }),
  Schema.isMaxLength(1_048_576, { expected: "at most 1048576 characters" })
)
const rules = Schema.Array(Rule).check(Schema.isMaxLength(1_000, { expected: "at most 1000 rules" }))

export const NewSession = Schema.Struct({
  directory: about("Where it works: an existing directory of the server's machine", AbsolutePath),
  title: about("For lists", Schema.optionalKey(Title)),
  model: about("`provider/model`", Schema.optionalKey(ModelName)),
  rules: about("Rules of this session alone, behind those of the configuration", Schema.optionalKey(rules)),
  unattended: about(
    "Nobody is there to answer asks: what would ask fails instead",
    Schema.optionalKey(Schema.Boolean)
  ),
  environment: about(
    "What its commands run with; without it, the server's own",
    Schema.optionalKey(Environment)
  )
}).annotate({ identifier: "NewSession", description: "What a session is created with." })

export const SessionChange = Schema.Struct({
  title: about("For lists", Schema.optionalKey(Title)),
  model: about("`provider/model`", Schema.optionalKey(ModelName)),
  rules: about("In place of those there are", Schema.optionalKey(rules)),
  unattended: about("Whether nobody is there to answer asks", Schema.optionalKey(Schema.Boolean))
}).annotate({ identifier: "SessionChange", description: "What is to change; the rest stays." })

export const PromptDraft = Schema.Struct({
  id: about("The same id twice is one prompt", Schema.optionalKey(InputId)),
  text: about("What the agent is to do, or to know", PromptText),
  delivery: about("When it is read; `steer` where it is absent", Schema.optionalKey(Delivery))
}).annotate({ identifier: "PromptDraft", description: "A prompt." })

const Interrupted = Schema.Struct({
  interrupted: about("False where no turn ran", Schema.Boolean)
}).annotate({ identifier: "Interrupted", description: "Whether there was a turn to stop." })

const Waited = Schema.Struct({
  reached: about("False where the time was over before: ask again", Schema.Boolean)
}).annotate({ identifier: "Waited", description: "Whether the session came to what was waited for." })

export const SessionGroup = HttpApiGroup.make("session")
  .annotate(OpenApi.Description, "Conversations, each in one directory.")
  .add(
    HttpApiEndpoint.get("list", "/session", {
      query: {
        after: about("Sessions older than this one", Schema.optionalKey(SessionId)),
        limit
      },
      success: reading(pageOf("SessionPage", "Sessions, newest first.", SessionInfo))
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
      success: HttpApiSchema.NoContent.annotate({ description: "It is gone, and all that was kept of it." }),
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
      success: Interrupted,
      error: SessionNotFound
    }).pipe(described("Stops the turn that runs, if one does. Monitors go on")),
    HttpApiEndpoint.get("wait", "/session/:sessionID/wait", {
      params: sessionParams,
      query: {
        until: about(
          "`idle`: nothing runs and nothing will by itself, rests included. `quiet`: besides, no monitor and no background shell is active",
          Schema.Literals(["idle", "quiet"])
        ),
        timeoutMs: about(
          "How long to wait, in ms: 0 to 300000, 30000 without it",
          Schema.optionalKey(naturalBetween(0, 300_000))
        )
      },
      success: Waited,
      error: SessionNotFound
    }).pipe(described("Answers once the session is idle or quiet, or when the time is over; then ask again"))
  )

export const MessageGroup = HttpApiGroup.make("message")
  .annotate(OpenApi.Description, "What was said in a session.")
  .add(
    HttpApiEndpoint.get("list", "/session/:sessionID/message", {
      params: sessionParams,
      query: {
        after: about("Messages behind this place (`seq`)", Schema.optionalKey(Natural)),
        before: about(
          "The newest messages in front of this place, in order; `next` leads to older ones",
          Schema.optionalKey(Natural)
        ),
        limit
      },
      success: reading(pageOf("MessagePage", "Messages, in order.", MessageWithParts)),
      error: SessionNotFound
    }).pipe(described("Returns what was said, in order, with the text of unfinished parts so far"))
  )

export const TurnGroup = HttpApiGroup.make("turn")
  .annotate(OpenApi.Description, "What the agent did from each wake until it had nothing left to do.")
  .add(
    HttpApiEndpoint.get("list", "/session/:sessionID/turn", {
      params: sessionParams,
      query: { limit },
      success: reading(pageOf("TurnPage", "Turns, newest first.", Turn)),
      error: SessionNotFound
    }).pipe(described("Returns the newest turns, newest first: how each ended, and what it took"))
  )

export const InboxGroup = HttpApiGroup.make("inbox")
  .annotate(OpenApi.Description, "What a session was told and has not read yet.")
  .add(
    HttpApiEndpoint.get("list", "/session/:sessionID/inbox", {
      params: sessionParams,
      success: reading(pageOf("InputPage", "Inputs, in the order in which they will be read.", Input)),
      error: SessionNotFound
    }).pipe(described("Returns what the session was told and has not read yet, in order")),
    HttpApiEndpoint.delete("withdraw", "/session/:sessionID/inbox/:inputID", {
      params: { ...sessionParams, inputID: about("The input", InputId) },
      success: Input,
      error: [SessionNotFound, InputNotFound]
    }).pipe(described("Takes an input back that was not read yet"))
  )
