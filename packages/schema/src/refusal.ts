/** What any route may answer instead of doing its work. */
import { Schema } from "effect"
import { sentence } from "./sentence.ts"

/** Names the field and what it should be, never what was sent. */
export class BadRequest extends Schema.TaggedError<BadRequest>()(
  "BadRequest",
  {
    /** For example `body.command`, `query.limit`, `path.sessionID`, `header.last-event-id`. */
    field: Schema.String,
    expected: Schema.String,
    message: sentence("A part of the request is not what it should be")
  },
  { httpApiStatus: 400 }
) {}

export class Unauthorized extends Schema.TaggedError<Unauthorized>()(
  "Unauthorized",
  { message: sentence("The bearer token is missing or wrong") },
  { httpApiStatus: 401 }
) {}

/** A page on any domain can have that domain resolve to this machine: its requests are known by their headers. */
export class StrangerRefused extends Schema.TaggedError<StrangerRefused>()(
  "StrangerRefused",
  {
    header: Schema.Literals(["host", "origin"]),
    message: sentence("This server does not answer to that host or origin")
  },
  { httpApiStatus: 403 }
) {}

export class RouteNotFound extends Schema.TaggedError<RouteNotFound>()(
  "RouteNotFound",
  { message: sentence("There is no such route; GET /api/openapi.json lists those there are") },
  { httpApiStatus: 404 }
) {}

export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()(
  "BodyTooLarge",
  { maxBytes: Schema.Int, message: sentence("The body is too large") },
  { httpApiStatus: 413 }
) {}

/** The details are in the server's log, under `errorID`. */
export class ServerFault extends Schema.TaggedError<ServerFault>()(
  "ServerFault",
  { errorID: Schema.String, message: sentence("The server failed; its log says why") },
  { httpApiStatus: 500 }
) {}

export class ServerStopping extends Schema.TaggedError<ServerStopping>()(
  "ServerStopping",
  { message: sentence("The server is stopping") },
  { httpApiStatus: 503 }
) {}
