/** The contract, a group a noun. */
import { HttpApi, OpenApi } from "effect/http-api"
import { MonitorGroup, ShellGroup } from "./monitor.ts"
import { PermissionGroup, TrustGroup } from "./permission.ts"
import { Refusals } from "./refusals.ts"
import { ConfigGroup, EventGroup, ModelGroup, ServerGroup } from "./server.ts"
import { InboxGroup, MessageGroup, SessionGroup, TurnGroup } from "./session.ts"

// A name that is not known is a typing error, and nothing is done for it; headers hold what is nobody's business.
const handled = HttpApi.make("vigil")
  .add(
    ServerGroup,
    SessionGroup,
    MessageGroup,
    TurnGroup,
    InboxGroup,
    MonitorGroup,
    ShellGroup,
    PermissionGroup,
    TrustGroup,
    ModelGroup,
    ConfigGroup
  )
  .middleware(Refusals)
  .prefix("/api")
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})

/** What handlers are written for. */
export class Api extends handled {}

/** What clients are written for: with the feed, which the edge streams. */
export class Contract extends HttpApi.make("vigil")
  .addHttpApi(handled)
  .add(EventGroup.middleware(Refusals).prefix("/api"))
  .annotateMerge(
    OpenApi.annotations({
      title: "Vigil",
      version: "1",
      license: { name: "MIT" },
      description: [
        "Agents that watch the world instead of polling it.",
        "Times are epoch milliseconds, ids carry a prefix, and what is not known in a query or a body is refused.",
        "Every route but `/api/health` needs the bearer token.",
        "Lists are pages, `{ items, next? }`. A read tells in `Vigil-Seq` which feed position it reflects.",
        "An error is `{ _tag, message, … }` with the facts beside; the status is the same for a tag everywhere."
      ].join(" ")
    })
  ) {}
