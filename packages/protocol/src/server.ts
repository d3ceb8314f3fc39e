/** The server itself: whether it is there, what it can ask, what holds, and its feed. */
import { about } from "@vigil/schema/about"
import { ConfigInvalid, EffectiveConfig } from "@vigil/schema/config"
import { ModelList } from "@vigil/schema/model"
import { Natural } from "@vigil/schema/natural"
import { AbsolutePath } from "@vigil/schema/path"
import { FeedEvent, Health, Ticket } from "@vigil/schema/server"
import { SessionId } from "@vigil/schema/session"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NeedsNoToken, described } from "./describe.ts"

const directory = about(
  "Whose vigil.json counts besides the user's; without it the user's alone",
  Schema.optionalKey(AbsolutePath)
)

export const ServerGroup = HttpApiGroup.make("server")
  .annotate(OpenApi.Description, "The server itself.")
  .add(
    HttpApiEndpoint.get("health", "/health", { success: Health }).pipe(
      described("Says that the server is there. Needs no token"),
      (endpoint) => endpoint.annotate(NeedsNoToken, true)
    ),
    HttpApiEndpoint.post("ticket", "/ticket", { success: Ticket }).pipe(
      described("Returns a ticket that opens one feed within a minute, for a browser's EventSource")
    )
  )

export const ModelGroup = HttpApiGroup.make("model")
  .annotate(OpenApi.Description, "The models that can be used.")
  .add(
    HttpApiEndpoint.get("list", "/model", {
      query: {
        directory,
        remote: about(
          "`true` asks each usable provider for its models, 10 seconds at most",
          Schema.optionalKey(Schema.Literals(["true", "false"]))
        )
      },
      success: ModelList,
      error: ConfigInvalid
    }).pipe(described("Returns which providers can be asked, and what is missing for the others"))
  )

export const ConfigGroup = HttpApiGroup.make("config")
  .annotate(OpenApi.Description, "The settings that hold.")
  .add(
    HttpApiEndpoint.get("get", "/config", {
      query: { directory },
      success: EffectiveConfig,
      error: ConfigInvalid
    }).pipe(described("Returns the settings that hold, and where each comes from"))
  )

/** Declared for the document and the client; the edge streams it. */
export const EventGroup = HttpApiGroup.make("event")
  .annotate(OpenApi.Description, "The feed of all that happens.")
  .add(
    HttpApiEndpoint.get("follow", "/event", {
      headers: {
        "last-event-id": about(
          "The last event that was received: everything behind it follows. Goes before `after`",
          Schema.optionalKey(Natural)
        )
      },
      query: {
        session: about("Only this session's events", Schema.optionalKey(SessionId)),
        after: about(
          "For a first read: a `Vigil-Seq`; everything behind it follows. Without it, what is new",
          Schema.optionalKey(Natural)
        ),
        store: about(
          "The store whose position was asked for, as `connected` named it",
          Schema.optionalKey(Schema.String)
        ),
        ticket: about("In place of the token, for a browser's EventSource", Schema.optionalKey(Schema.String))
      },
      success: HttpApiSchema.StreamSse({ data: FeedEvent })
    }).pipe(described("Follows what happens, without gap or repeat, as server-sent events"))
  )
