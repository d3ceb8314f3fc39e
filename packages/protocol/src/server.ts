/** The server itself: whether it is there, what it can ask, what holds, and its feed. */
import { ConfigInvalid, EffectiveConfig } from "@vigil/schema/config"
import { ModelList } from "@vigil/schema/model"
import { Natural } from "@vigil/schema/natural"
import { AbsolutePath } from "@vigil/schema/path"
import { FeedEvent, Health, Ticket } from "@vigil/schema/server"
import { SessionId } from "@vigil/schema/session"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { described } from "./describe.ts"

const directory = Schema.optionalKey(AbsolutePath).annotate({
  description: "Whose vigil.json counts besides the user's; without it the user's alone"
})

export const ServerGroup = HttpApiGroup.make("server").add(
  HttpApiEndpoint.get("health", "/health", { success: Health }).pipe(
    described("Says that the server is there. Needs no token")
  ),
  HttpApiEndpoint.post("ticket", "/ticket", { success: Ticket }).pipe(
    described("Returns a ticket that opens one feed within a minute, for a browser's EventSource")
  )
)

export const ModelGroup = HttpApiGroup.make("model").add(
  HttpApiEndpoint.get("list", "/model", {
    query: {
      directory,
      remote: Schema.optionalKey(Schema.Literals(["true", "false"])).annotate({
        description: "`true` asks each usable provider for its models, 10 seconds at most"
      })
    },
    success: ModelList,
    error: ConfigInvalid
  }).pipe(described("Returns which providers can be asked, and what is missing for the others"))
)

export const ConfigGroup = HttpApiGroup.make("config").add(
  HttpApiEndpoint.get("get", "/config", {
    query: { directory },
    success: EffectiveConfig,
    error: ConfigInvalid
  }).pipe(described("Returns the settings that hold, and where each comes from"))
)

/** Declared for the document and the client; the edge streams it. */
export const EventGroup = HttpApiGroup.make("event").add(
  HttpApiEndpoint.get("follow", "/event", {
    headers: {
      "last-event-id": Schema.optionalKey(Natural).annotate({
        description: "The last event that was received: everything behind it follows. Goes before `after`"
      })
    },
    query: {
      session: Schema.optionalKey(SessionId).annotate({ description: "Only this session's events" }),
      after: Schema.optionalKey(Natural).annotate({
        description: "For a first read: a `Vigil-Seq`; everything behind it follows. Without it, what is new"
      }),
      store: Schema.optionalKey(Schema.String).annotate({
        description: "The store whose position was asked for, as `connected` named it"
      }),
      ticket: Schema.optionalKey(Schema.String).annotate({
        description: "In place of the token, for a browser's EventSource"
      })
    },
    success: HttpApiSchema.StreamSse({ data: FeedEvent })
  }).pipe(described("Follows what happens, without gap or repeat, as server-sent events"))
)
