/**
 * The contract as the document that clients are generated from.
 *
 * What Effect writes is right but speaks of encodings. Here each schema has its own name and stands once, a
 * number is a number, a stream is typed by its events, and nothing stands in it that nothing refers to.
 */
import { OpenApi } from "effect/http-api"
import { answers } from "./answers.ts"
import { Contract } from "./api.ts"
import {
  type Document,
  type Json,
  type Node,
  at,
  isNode,
  mapOperations,
  mapValues,
  nameIn,
  namesOf,
  plain,
  refTo,
  rewrite,
  textOf,
  withSchemas
} from "./document.ts"
import { exemplify } from "./exemplify.ts"
import { flatten } from "./flatten.ts"
import { type Operations, operations } from "./operations.ts"
import { parameters } from "./parameters.ts"

/** The OpenAPI 3.1 document. */
export const openapi = (): Document => {
  const declared = operations()
  return [
    streams,
    flatten,
    named,
    parameters(declared),
    answers(declared),
    discriminators,
    exemplify,
    security(declared),
    prune
  ].reduce((document, step) => step(document), plain<Document>(OpenApi.fromApi(Contract)))
}

/** As it is committed, so that a change of the contract is seen in review. */
export const render = (document: Document): string => `${JSON.stringify(document, null, 2)}\n`

/** Typed by the events, not by the frames that carry them. */
const streams = (document: Document): Document =>
  mapOperations(document, (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, (answer) => {
      const frame = at(answer, "content", "text/event-stream", "schema")
      if (frame === undefined) return answer
      const [name = ""] = namesOf(at(frame, "properties", "data"))
      const schema = at(document.components.schemas[name], "contentSchema") ?? null
      const [event = ""] = namesOf(schema)
      const description = textOf(document.components.schemas[event]?.["description"])
      return { description, content: { "text/event-stream": { schema } } }
    })
  }))

/** Effect tells apart each use of a schema that is described, and the encoded side of a class. */
const named = (document: Document): Document => {
  const taken = document.components.schemas
  const nameOf = (name: string) => {
    const bare = name.replace(/_\d+$/u, "")
    const short = bare.replace(/Encoded$/u, "")
    return short !== bare && short in taken ? bare : short
  }
  const renamed = rewrite(document, (key, value) => (key === "$ref" ? refTo(nameOf(nameIn(value))) : value))
  const schemas: Record<string, Node> = {}
  for (const [long, schema] of Object.entries(renamed.components.schemas)) {
    const name = nameOf(long)
    if (JSON.stringify(schemas[name] ?? schema) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are called ${name}`)
    }
    schemas[name] = schema
  }
  return withSchemas(renamed, schemas)
}

/** Says by which field the members of a union are told apart. */
const discriminators = (document: Document): Document => {
  const valueOf = (name: string, property: string) => {
    const values = at(document.components.schemas[name], "properties", property, "enum")
    return Array.isArray(values) && values.length === 1 ? String(values[0]) : undefined
  }
  const mappingBy = (property: string, names: ReadonlyArray<string>) => {
    const entries = names.map((name) => [valueOf(name, property), refTo(name)] as const)
    return entries.every(([value]) => value !== undefined) ? Object.fromEntries(entries) : undefined
  }
  return rewrite(document, (_key, value) => {
    const members = at(value, "anyOf")
    const names = namesOf(value)
    if (!isNode(value) || !Array.isArray(members) || members.length !== names.length) return value
    for (const propertyName of ["_tag", "type", "role"]) {
      const mapping = mappingBy(propertyName, names)
      if (mapping) return { ...value, discriminator: { propertyName, mapping } }
    }
    return value
  })
}

// An empty list on an operation says that it needs no token: Effect writes one on each.
const security =
  (declared: Operations) =>
  (document: Document): Document => ({
    ...mapOperations(document, (operation) => {
      const { security: _, ...rest } = operation
      return declared.get(operation.operationId)?.needsToken === false ? { ...rest, security: [] } : rest
    }),
    components: {
      ...document.components,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The server's token: the file `token` in its state directory, or what the user set."
        }
      }
    },
    security: [{ bearer: [] }]
  })

const prune = (document: Document): Document => {
  const used = new Set<string>()
  const visit = (node: Json) =>
    void rewrite(node, (key, value) => {
      const name = key === "$ref" ? nameIn(value) : undefined
      if (name !== undefined && !used.has(name)) {
        used.add(name)
        visit(document.components.schemas[name] ?? null)
      }
      return value
    })
  visit(document.paths)
  return withSchemas(
    document,
    Object.fromEntries(Object.entries(document.components.schemas).filter(([name]) => used.has(name)))
  )
}
