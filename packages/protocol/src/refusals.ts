/** What every route may refuse, and a request that does not fit the contract as a typed 400. */
import {
  BadRequest,
  BodyTooLarge,
  ServerFault,
  ServerStopping,
  StrangerRefused,
  Unauthorized
} from "@vigil/schema/refusal"
import { Effect, SchemaIssue } from "effect"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"

export class Refusals extends HttpApiMiddleware.Service<Refusals>()("protocol/Refusals", {
  error: [BadRequest, Unauthorized, StrangerRefused, BodyTooLarge, ServerFault, ServerStopping]
}) {
  /** Provide it last: it wraps the routes that are there when it comes. */
  static readonly layer = HttpApiMiddleware.layerSchemaErrorTransform(this, (error) => {
    const part = parts[error.kind]
    return part === undefined ? Effect.die(error) : Effect.fail(badRequest(part, error))
  })
}

// An answer that does not fit the contract is the server's fault: it has no entry here.
const parts: { readonly [Kind in HttpApiError.HttpApiSchemaError["kind"]]?: string } = {
  Params: "path",
  Query: "query",
  Headers: "header",
  Payload: "body"
}

const badRequest = (part: string, error: HttpApiError.HttpApiSchemaError) => {
  const [issue] = format(error.cause.issue).issues
  const path = (issue?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step))
  const expected = issue?.message.replace(/^Expected /u, "") ?? "something else"
  return new BadRequest({ field: [part, ...path].join("."), expected })
}

// Messages quote what was sent only if parsing is told to report it, which nothing here does.
const format = SchemaIssue.makeFormatterStandardSchemaV1()
