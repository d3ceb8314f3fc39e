/** The contract's operations by the ids that the document and the SDK call them by. */
import { Context, type Schema } from "effect"
import {
  HttpApi,
  type HttpApiEndpoint,
  type HttpApiGroup,
  type HttpApiMiddleware,
  type HttpApiSchema
} from "effect/http-api"
import { Contract } from "./api.ts"
import { NeedsNoToken } from "./describe.ts"
import type { Refusals } from "./refusals.ts"

type Groups<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

type Named<Group> =
  Group extends HttpApiGroup.HttpApiGroup<infer Name, infer Endpoint, infer _TopLevel>
    ? Endpoint extends HttpApiEndpoint.ConstraintRequest
      ? { readonly id: `${Name}.${Endpoint["identifier"]}`; readonly endpoint: Endpoint }
      : never
    : never

type All = Named<Groups<typeof Contract>>

export type OperationId = All["id"]

type EndpointOf<Id extends OperationId> = Extract<All, { readonly id: Id }>["endpoint"]

type Json<Codec> = Codec extends Schema.toCodecJson<infer Written> ? Written["Encoded"] : never

type Body<Success> =
  Success extends HttpApiSchema.WithHeaders<infer Body, infer _Headers> ? Json<Body> : Json<Success>

/** The JSON of a request's body; `never` where it has none. */
export type RequestOf<Id extends OperationId> = Json<EndpointOf<Id>["~Payload"]>

/** The JSON of an answer's body; `void` where it has none. */
export type ResponseOf<Id extends OperationId> = Body<EndpointOf<Id>["~Success"]>

/** The JSON of every error that a route may answer with. */
export type Refusal = Json<All["endpoint"]["~Error"]> | HttpApiMiddleware.ErrorSchema<Refusals>["Encoded"]

/** What the document asks the contract about an operation. */
export interface Declared {
  readonly endpoint: HttpApiEndpoint.Top
  readonly needsToken: boolean
  /** By status. */
  readonly successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
  readonly errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

/** By operation id. */
export type Operations = ReadonlyMap<string, Declared>

export const operations = (): Operations => {
  const found = new Map<string, Declared>()
  HttpApi.reflect(Contract, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, mergedAnnotations, successes, errors }) =>
      void found.set(`${group.identifier}.${endpoint.identifier}`, {
        endpoint,
        successes,
        errors,
        needsToken: !Context.get(mergedAnnotations, NeedsNoToken)
      })
  })
  return found
}
