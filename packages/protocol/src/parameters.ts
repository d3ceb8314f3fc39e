/** What stands in a URL or a header is text; the document tells what it means. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  type Document,
  type Node,
  type Json,
  at,
  isNode,
  mapOperations,
  mapValues,
  plain
} from "./document.ts"
import { flatten } from "./flatten.ts"
import type { Operations } from "./operations.ts"

/** Numbers as numbers with their bounds, `true` and `false` as a boolean, and a description at each parameter and header itself. */
export const parameters =
  (declared: Operations) =>
  (document: Document): Document =>
    mapOperations(document, (operation) => {
      const { endpoint, successes } = declared.get(operation.operationId)!
      const meanings: Record<string, Json> = {
        path: meaning(endpoint.params),
        query: meaning(endpoint.query),
        header: meaning(endpoint.headers)
      }
      return {
        ...operation,
        parameters: operation.parameters.map((parameter) =>
          told(parameter, at(meanings[parameter.in], parameter.name))
        ),
        responses: mapValues(operation.responses, ({ headers, ...answer }, status) => {
          const [success] = successes.get(Number(status)) ?? []
          if (!isNode(headers) || !success || !HttpApiSchema.isWithHeaders(success)) return answer
          const meanings = meaning(success.headers)
          return {
            ...answer,
            headers: mapValues(headers as Headers, (header, name) => told(header, at(meanings, name)))
          }
        })
      }
    })

type Headers = { readonly [name: string]: Node }

/** The decoded side, by name. */
const meaning = (schema: Schema.Top | undefined): Json =>
  schema
    ? (at(flatten(plain(Schema.toJsonSchemaDocument(Schema.toType(schema)))), "schema", "properties") ?? {})
    : {}

const told = <A extends Node>(parameter: A, meaning: Json | undefined): A => {
  if (!isNode(meaning)) return parameter
  const { description, ...schema } = meaning
  const { description: _, ...text } = isNode(parameter["schema"]) ? parameter["schema"] : {}
  return { ...parameter, description, schema: schema["type"] === "integer" ? schema : truth(text) }
}

const truth = (schema: Node): Node =>
  JSON.stringify(schema["enum"]) === '["true","false"]' ? { type: "boolean" } : schema
