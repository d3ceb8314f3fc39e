/** Examples, where the document has room for them. */
import {
  type Answer,
  type Document,
  type Node,
  isNode,
  mapOperations,
  mapValues,
  plain,
  withSchemas
} from "./document.ts"
import { ids } from "./examples/nouns.ts"
import { examples } from "./examples/operations.ts"
import { refusals } from "./examples/refusals.ts"

const byOperation: { readonly [id: string]: { readonly request?: unknown; readonly response?: unknown } } =
  examples
const byName: { readonly [name: string]: unknown } = { ...ids, ...refusals }

/** Each body has one, and each error and id at its schema. */
export const exemplify = (document: Document): Document =>
  withSchemas(
    mapOperations(document, (operation) => {
      const { request, response } = byOperation[operation.operationId] ?? {}
      const { requestBody } = operation
      return {
        ...operation,
        ...(isNode(requestBody) ? { requestBody: shown(requestBody, request) } : {}),
        responses: mapValues(operation.responses, (answer, status) =>
          status.startsWith("2") ? shown<Answer>(answer, response) : answer
        )
      }
    }),
    mapValues(document.components.schemas, (schema, name) =>
      name in byName ? { ...schema, examples: [plain(byName[name])] } : schema
    )
  )

const shown = <A extends Node>(body: A, value: unknown): A => {
  const { content } = body
  if (!isNode(content)) return body
  return {
    ...body,
    content: mapValues(content as { readonly [type: string]: Node }, (media, type) =>
      // A stream is typed by its events, and shown as it is read.
      type === "text/event-stream"
        ? { ...media, examples: { frames: { summary: "As it comes over the wire", value: plain(value) } } }
        : { ...media, example: plain(value) }
    )
  }
}
