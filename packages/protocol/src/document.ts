/** An OpenAPI document as data, and how it is walked. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | Node
export interface Node {
  readonly [key: string]: Json
}

export interface Document extends Node {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: Node & { readonly schemas: { readonly [name: string]: Node } }
}

export interface Operation extends Node {
  readonly operationId: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly responses: { readonly [status: string]: Answer }
}

export interface Parameter extends Node {
  readonly name: string
  readonly in: string
  readonly schema: Node
}

/** Of one status: `content` by media type. */
export interface Answer extends Node {
  readonly description: string
}

/** As JSON has it. */
export const plain = <A extends Json>(value: unknown): A => JSON.parse(JSON.stringify(value))

/** A copy with every property passed through `f`, the innermost first; undefined removes it. */
export const rewrite = <A extends Json>(value: A, f: (key: string, value: Json) => Json | undefined): A =>
  JSON.parse(JSON.stringify(value), f)

export const at = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((node, key) => (isNode(node) ? node[key] : undefined), value)

export const isNode = (value: Json | undefined): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const prefix = "#/components/schemas/"
export const refTo = (name: string) => prefix + name
export const nameIn = (ref: Json) => textOf(ref).slice(prefix.length)
export const textOf = (value: Json | undefined) => (typeof value === "string" ? value : "")

/** The names that a schema refers to itself, one or any of several. */
export const namesOf = (schema: Json | undefined): ReadonlyArray<string> => {
  const ref = at(schema, "$ref")
  if (ref !== undefined) return [nameIn(ref)]
  const members = at(schema, "anyOf")
  return Array.isArray(members) ? members.flatMap(namesOf) : []
}

export const mapOperations = (
  document: Document,
  f: (operation: Operation, method: string) => Operation
): Document => ({
  ...document,
  paths: mapValues(document.paths, (path) => mapValues(path, f))
})

export const withSchemas = (document: Document, schemas: { readonly [name: string]: Node }): Document => ({
  ...document,
  components: {
    ...document.components,
    schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
})

export const mapValues = <A, B>(
  record: { readonly [key: string]: A },
  f: (value: A, key: string) => B
): { readonly [key: string]: B } =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))
