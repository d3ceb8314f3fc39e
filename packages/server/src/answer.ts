/** A refusal as its answer, for what the edge says itself. */
import {
  BadRequest,
  BodyTooLarge,
  RouteNotFound,
  ServerFault,
  ServerStopping,
  StrangerRefused,
  Unauthorized
} from "@vigil/schema/refusal"
import { Effect, Schema, SchemaAST } from "effect"

export type Refusal = typeof Refusals.Type

/** The status stands on the class. */
export const answer = (refusal: Refusal, headers: Record<string, string> = {}): Response =>
  Response.json(encode(refusal), { status: statusOf(classOf(refusal).ast)!, headers })

/** A defect becomes an id: the body carries it, the log explains it. */
export const fault = Effect.fnUntraced(function* (defect: unknown) {
  const errorID = `err_${crypto.randomUUID()}`
  yield* Effect.logError("A request died", defect).pipe(Effect.annotateLogs({ errorID }))
  return answer(new ServerFault({ errorID }))
})

const Refusals = Schema.Union([
  BadRequest,
  Unauthorized,
  StrangerRefused,
  RouteNotFound,
  BodyTooLarge,
  ServerFault,
  ServerStopping
])
const encode = Schema.encodeSync(Refusals)
const classOf = (refusal: Refusal) => refusal.constructor as (typeof Refusals.members)[number]
const statusOf = SchemaAST.resolveAt<number>("httpApiStatus")
