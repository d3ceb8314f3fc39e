/** What every route may refuse, and a request that does not fit the contract as a typed 400. */
import {
  BadRequest,
  BodyTooLarge,
  ServerFault,
  ServerStopping,
  StrangerRefused,
  Unauthorized
} from "@vigil/schema/refusal"
import { Effect, SchemaAST, SchemaIssue } from "effect"
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
  const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: expectation(part) })
  const [issue] = format(error.cause.issue).issues
  // Of a body that is none it would name the type.
  if (part === "body" && !issue?.path?.length) return new BadRequest({ field: part, expected: "an object" })
  const path = (issue?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step))
  const expected = issue?.message.replace(/^Expected /u, "") ?? "something else"
  return new BadRequest({ field: [part, ...path].join("."), expected })
}

/** What stands behind "should be". Quotes what was sent only if parsing is told to report it, which nothing here does. */
const expectation =
  (part: string): SchemaIssue.LeafHook =>
  (issue) => {
    if (issue._tag === "MissingKey") return "given"
    if (issue._tag === "UnexpectedKey") return "left out: nothing has that name"
    // All that stands in a URL or a header is text, or a list of texts.
    if (issue._tag === "InvalidType" && part !== "body" && SchemaAST.isString(issue.ast)) return "given once"
    return SchemaIssue.defaultLeafHook(issue)
  }
