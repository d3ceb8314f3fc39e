/** What each status of a route means, for those that it can answer with. */
import { Schema } from "effect"
import {
  type Answer,
  type Document,
  type Operation,
  mapOperations,
  mapValues,
  refTo,
  withSchemas
} from "./document.ts"
import type { Declared, Operations } from "./operations.ts"

interface Refusal {
  readonly name: string
  readonly description: string
}

/** Sentences in place of names. What a route never refuses is left out. */
export const answers =
  (declared: Operations) =>
  (document: Document): Document => {
    const known = new Map<string, string>()
    const told = mapOperations(document, (operation, method) => {
      const route = declared.get(operation.operationId)!
      const responses: Record<string, Answer> = {}
      for (const [status, answer] of Object.entries(operation.responses)) {
        const refusals = (route.errors.get(Number(status)) ?? []).map(refusalOf)
        for (const { name, description } of refusals) known.set(name, description)
        const possible = refusals.filter(({ name }) => occurs(name, route, operation, method))
        if (refusals.length === 0) responses[status] = answer
        else if (possible.length > 0) responses[status] = refusing(possible)
      }
      return { ...operation, responses }
    })
    return withSchemas(
      told,
      mapValues(told.components.schemas, (schema, name) => {
        const description = known.get(name)
        return description === undefined ? schema : { ...schema, description }
      })
    )
  }

const refusalOf = (schema: Schema.Top): Refusal => {
  const { identifier, description } = Schema.resolveAnnotations(schema) ?? {}
  if (typeof identifier !== "string" || typeof description !== "string") {
    throw new Error(`an error has no name or no description: ${identifier}`)
  }
  return { name: identifier, description }
}

const refusing = (refusals: ReadonlyArray<Refusal>): Answer => {
  const refs = refusals.map(({ name }) => ({ $ref: refTo(name) }))
  return {
    description: refusals.map(({ description }) => description).join(" Or: "),
    content: { "application/json": { schema: refs.length === 1 ? refs[0]! : { anyOf: refs } } }
  }
}

/** Every route has the same refusals in its type; here are the conditions of some. */
const occurs = (name: string, route: Declared, operation: Operation, method: string): boolean => {
  if (name === "Unauthorized") return route.needsToken
  if (name === "BodyTooLarge") return method !== "get"
  if (name === "BadRequest") return operation.parameters.length > 0 || "requestBody" in operation
  return true
}
