/** What any route may answer instead of doing its work. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { sentence } from "./sentence.ts"

export class BadRequest extends Schema.TaggedError<BadRequest>()(
  "BadRequest",
  {
    field: about(
      "For example `body.command`, `query.limit`, `path.sessionID`, `header.last-event-id`",
      Schema.String
    ),
    expected: about("What it should be; what was sent is never repeated", Schema.String),
    message: sentence("A part of the request is not what it should be")
  },
  {
    httpApiStatus: 400,
    description:
      "A part of the request is not what it should be. Mend the field that is named, then send it again."
  }
) {}

export class Unauthorized extends Schema.TaggedError<Unauthorized>()(
  "Unauthorized",
  { message: sentence("The bearer token is missing or wrong") },
  {
    httpApiStatus: 401,
    description:
      "The bearer token is missing or wrong. The server's is in the file `token` of its state directory."
  }
) {}

export class StrangerRefused extends Schema.TaggedError<StrangerRefused>()(
  "StrangerRefused",
  {
    header: about("Which of them was foreign", Schema.Literals(["host", "origin"])),
    message: sentence("This server does not answer to that host or origin")
  },
  {
    httpApiStatus: 403,
    description:
      "The request came by a host name, or from a page, that this server does not answer to. Use its address, or allow the origin."
  }
) {}

export class RouteNotFound extends Schema.TaggedError<RouteNotFound>()(
  "RouteNotFound",
  { message: sentence("There is no such route; GET /api/openapi.json lists those there are") },
  { httpApiStatus: 404 }
) {}

export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()(
  "BodyTooLarge",
  { maxBytes: about("The most it takes", Schema.Int), message: sentence("The body is too large") },
  { httpApiStatus: 413, description: "The body is larger than the server takes. Send less." }
) {}

export class ServerFault extends Schema.TaggedError<ServerFault>()(
  "ServerFault",
  {
    errorID: about("What the log calls it", Schema.String),
    message: sentence("The server failed; its log says why")
  },
  {
    httpApiStatus: 500,
    description:
      "The server failed, and nothing that the client does mends it. Its log has the details under the id."
  }
) {}

export class ServerStopping extends Schema.TaggedError<ServerStopping>()(
  "ServerStopping",
  { message: sentence("The server is stopping") },
  { httpApiStatus: 503, description: "The server is stopping. Ask again when it is back." }
) {}
