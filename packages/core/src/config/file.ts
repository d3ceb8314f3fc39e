/** The text of one `vigil.json`, read strictly: whatever is not understood is named with its place. Pure. */
import { ConfigFile, ConfigInvalid, type ConfigProblem } from "@vigil/schema/config"
import { Cause, Exit, Option, Schema, SchemaAST, SchemaIssue } from "effect"
import {
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode
} from "jsonc-parser"

/** A configuration file may be this long, in UTF-16 units. */
export const maxFileLength = 1_048_576

/** What a file says, or everything that is wrong with it. `file` is named in the error. */
export const parseFile = (file: string, content: string): Exit.Exit<ConfigFile, ConfigInvalid> => {
  const text = content.replace(/^\uFEFF/u, " ")
  if (text.length > maxFileLength) {
    return invalid(file, [
      { line: 1, column: 1, key: "", message: `Longer than ${maxFileLength} characters` }
    ])
  }
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  if (errors.length > 0) {
    return invalid(
      file,
      errors.map(({ error, offset }) => ({
        ...place(text, offset),
        key: "",
        message: `Not JSON: ${spaced(printParseErrorCode(error))}`
      }))
    )
  }
  if (root === undefined) return Exit.succeed({})
  const repeated = repeats(root, text, [])
  const decoded = decode(getNodeValue(root))
  if (Exit.isSuccess(decoded)) {
    return repeated.length > 0 ? invalid(file, repeated) : Exit.succeed(decoded.value)
  }
  const issue = Option.getOrUndefined(Cause.findErrorOption(decoded.cause))?.issue
  const found = issue
    ? format(issue)
        .issues.filter(({ path }) => path?.at(-1) !== "__proto__")
        .map(({ path, message }) => problem(root, text, path, message))
    : []
  return invalid(file, [
    ...new Map([...repeated, ...found].map((entry) => [JSON.stringify(entry), entry])).values()
  ])
}

const decode = Schema.decodeUnknownExit(ConfigFile, {
  errors: "all",
  onExcessProperty: "error",
  reportInput: true
})

const unknownKey = "unknown key"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey"
      ? unknownKey
      : issue._tag === "MissingKey"
        ? "This key is required"
        : SchemaIssue.defaultLeafHook(issue)
})

const problem = (
  root: Node,
  text: string,
  path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> = [],
  message: string
): ConfigProblem => {
  const keys = path.map((part) => {
    const key = typeof part === "object" ? part.key : part
    return typeof key === "symbol" ? String(key) : key
  })
  return {
    ...place(text, nearest(root, keys, message === unknownKey)),
    key: named(keys),
    message: message === unknownKey ? unknown(keys) : (expected(root, keys) ?? message)
  }
}

/** What a key holds where its schema states bounds, whatever was wrong; a secret is not repeated. */
const expected = (root: Node, path: JSONPath) => {
  if (path.at(-1) === "apiKey") return "Expected text"
  const bounds = astAt(path)?.checks?.at(-1)?.annotations?.["expected"]
  const node = findNodeAtLocation(root, path)
  return bounds && node
    ? `Expected ${bounds}, got ${JSON.stringify(getNodeValue(node)).slice(0, 80)}`
    : undefined
}

/** Where a key stands, or the innermost thing around it. */
const nearest = (root: Node, path: JSONPath, key: boolean): number => {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node) return key && node.parent?.type === "property" ? node.parent.offset : node.offset
  }
  return root.offset
}

const named = (path: JSONPath) => path.join(".")

const unknown = (path: JSONPath) => {
  const known = knownKeys(path.slice(0, -1))
  const meant = closest(String(path.at(-1)), known)
  return `Unknown key${meant ? `, did you mean ${meant}?` : known.length > 0 ? `; known are ${known.join(", ")}` : ""}`
}

/** The keys that may stand at a path. */
const knownKeys = (path: JSONPath): ReadonlyArray<string> => {
  const ast = astAt(path)
  if (ast === undefined || !SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.map(({ name }) => String(name)).filter((name) => name !== "$schema")
}

const astAt = (path: JSONPath) =>
  path.reduce<SchemaAST.AST | undefined>((ast, segment) => ast && inner(ast, segment), ConfigFile.ast)

const inner = (ast: SchemaAST.AST, segment: string | number): SchemaAST.AST | undefined => {
  if (SchemaAST.isArrays(ast)) return ast.rest[0]
  if (!SchemaAST.isObjects(ast)) return undefined
  return ast.propertySignatures.find(({ name }) => name === segment)?.type ?? ast.indexSignatures[0]?.type
}

/** The candidate that differs least, if that may be a slip. */
export const closest = (word: string, candidates: ReadonlyArray<string>): string | undefined => {
  const near = candidates
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
  return near[0]?.candidate
}

/** How many letters must be put in, left out, changed or swapped; long words are not worth the time. */
const distance = (a: string, b: string): number => {
  if (a.length > 64) return Number.POSITIVE_INFINITY
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const above = rows[i - 1]!
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? changed) + 1 : changed
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, changed, swapped))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

/** Keys that are set twice, and `__proto__`, which would be no key at all. */
const repeats = (node: Node, text: string, path: JSONPath): Array<ConfigProblem> => {
  if (node.type === "array")
    return (node.children ?? []).flatMap((child, index) => repeats(child, text, [...path, index]))
  if (node.type !== "object") return []
  const seen = new Set<string>()
  return (node.children ?? []).flatMap(({ children, offset }) => {
    const [key, value] = children ?? []
    const name = String(key?.value)
    const at = [...path, name]
    const message = name === "__proto__" ? "Unknown key" : seen.has(name) ? "Set twice" : undefined
    seen.add(name)
    const here = message ? [{ ...place(text, offset), key: named(at), message }] : []
    return [...here, ...(value ? repeats(value, text, at) : [])]
  })
}

const place = (text: string, offset: number) => {
  const before = text.slice(0, offset)
  const start = before.lastIndexOf("\n") + 1
  return { line: before.split("\n").length, column: offset - start + 1 }
}

/** `CommaExpected` → `comma expected` */
const spaced = (code: string) => code.replace(/([a-z])([A-Z])/gu, "$1 $2").toLowerCase()

const invalid = (file: string, problems: ReadonlyArray<ConfigProblem>) =>
  Exit.fail(configInvalid(file, problems))

/** The error that says, a line each, what is wrong in a file. */
export const configInvalid = (file: string, problems: ReadonlyArray<ConfigProblem>) =>
  new ConfigInvalid({
    file,
    problems,
    message: problems
      .map(
        ({ line, column, key, message }) =>
          `${file}:${line}:${column}: ${key === "" ? "" : `${key}: `}${message}`
      )
      .join("\n")
  })
