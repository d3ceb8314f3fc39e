/**
 * The contract as the document that clients are generated from.
 *
 * What Effect writes is right but speaks of encodings; here each schema has its own name,
 * a stream is typed by its events, and nothing stands in it that nothing refers to.
 */
import { OpenApi } from "effect/http-api"
import { Contract } from "./api.ts"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Node = { readonly [key: string]: Json }
interface Document extends Node {
  readonly paths: Node
  readonly components: Node & { readonly schemas: Node }
}

export const openapi = (): Document => secure(prune(rename(typeStreams(plain(OpenApi.fromApi(Contract))))))

/** Committed, so that a change of the contract is seen in review. */
export const render = (document: Document): string => `${JSON.stringify(document, null, 2)}\n`

const typeStreams = (document: Document): Document =>
  rewrite(document, (key, value) => {
    if (key !== "text/event-stream") return value
    const data = at(value, "schema", "properties", "data")
    return { schema: at(resolve(document, data), "contentSchema") ?? data ?? {} }
  })

const rename = (document: Document): Document => {
  const taken = document.components.schemas
  const short = (name: string) => {
    const bare = name.replace(/Encoded$/u, "")
    return bare in taken ? name : bare
  }
  const renamed = rewrite(document, (key, value) => (key === "$ref" ? refTo(short(nameIn(value))) : value))
  return withSchemas(
    renamed,
    Object.entries(renamed.components.schemas).map(([name, schema]) => [short(name), schema])
  )
}

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
    Object.entries(document.components.schemas).filter(([name]) => used.has(name))
  )
}

// An empty list on an operation would say that it needs no token.
const secure = (document: Document): Document => ({
  ...rewrite(document, (key, value) => (key === "security" ? undefined : value)),
  components: { ...document.components, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
  security: [{ bearer: [] }]
})

const plain = (value: unknown): Document => JSON.parse(JSON.stringify(value))

/** A copy with every property passed through `f`, the innermost first; undefined removes it. */
const rewrite = <A extends Json>(value: A, f: (key: string, value: Json) => Json | undefined): A =>
  JSON.parse(JSON.stringify(value), f)

const at = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((node, key) => (isNode(node) ? node[key] : undefined), value)

const isNode = (value: Json | undefined): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const prefix = "#/components/schemas/"
const refTo = (name: string) => prefix + name
const nameIn = (ref: Json) => String(ref).slice(prefix.length)
const resolve = (document: Document, value: Json | undefined) => {
  const ref = at(value, "$ref")
  return ref === undefined ? value : document.components.schemas[nameIn(ref)]
}

const withSchemas = (document: Document, schemas: ReadonlyArray<readonly [string, Json]>): Document => ({
  ...document,
  components: { schemas: Object.fromEntries(schemas.toSorted(([a], [b]) => (a < b ? -1 : 1))) }
})
