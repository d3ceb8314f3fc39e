/** docs/spec-map.md names a test for each rule of the specification; each of those tests exists. */
import type { SourceFile } from "./source.ts"

/** One test as its file names it; `name` matches what a template literal leaves open. */
interface NamedTest {
  readonly file: string
  readonly name: RegExp
}

interface Row {
  readonly line: number
  readonly rule: string
  readonly tests: ReadonlyArray<string>
}

const literal = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/.source

/** A test file's own way to declare tests: `const crash = (name: string, …) => test(name, …)`. */
const declarer = /\bconst (\w+) = (?:<[^>]*>)?\(name: string\b/g

/** The calls that declare a test in this text, their first argument captured; `])(` ends a `test.each`. */
const declarations = (text: string) => {
  const own = [...text.matchAll(declarer)].map(([, name]) => name)
  const callee = ["it", "test", "property", "effect", "live", ...own].join("|")
  return new RegExp(`(?:\\b(?:${callee})(?:\\.\\w+)*(?:\\([^()\\n]*\\))?|\\]\\))\\(\\s*${literal}`, "g")
}

/** A template that leaves nearly all open would match any name. */
const minFixedLength = 6

/** A path as the map writes it: `core/monitor` is packages/core/test/monitor.test.ts. */
const shortPath = (path: string) =>
  path
    .replace(/^packages\//, "")
    .replace("/test/", "/")
    .replace(/\.test\.tsx?$/, "")

const unescaped = (text: string) => text.replace(/\\(.)/g, "$1")

const pattern = (literal: string): RegExp | undefined => {
  const inner = literal.slice(1, -1)
  const parts = literal.startsWith("`") ? inner.split(/\$\{[^}]*\}/) : inner.split(/%[sdijfop#]/)
  if (parts.length > 1 && parts.join("").length < minFixedLength) return undefined
  return new RegExp(`^${parts.map((part) => RegExp.escape(unescaped(part))).join(".+")}$`)
}

/** The tests that the files declare. */
export const namedTests = (files: ReadonlyArray<SourceFile>): ReadonlyArray<NamedTest> =>
  files
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(declarations(text))].flatMap(([, literal]) => {
        const name = literal === undefined ? undefined : pattern(literal)
        return name === undefined ? [] : [{ file: shortPath(path), name }]
      })
    )

/** The rows of every table with the columns Rule | Test. */
const rows = (map: string): ReadonlyArray<Row> =>
  map.split("\n").flatMap((text, index) => {
    const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"))
    const [before, rule, test, after] = cells
    if (cells.length !== 4 || before !== "" || after !== "" || rule === undefined || test === undefined) {
      return text.startsWith("|") ? [{ line: index + 1, rule: text, tests: ["?"] }] : []
    }
    if (rule === "Rule" || /^:?-+:?$/.test(rule)) return []
    const tests = test.split("<br>").map((name) => name.trim().replace(/^`+|`+$/g, ""))
    return [{ line: index + 1, rule, tests: tests.filter((name) => name !== "") }]
  })

const problemWith = (test: string, tests: ReadonlyArray<NamedTest>): string | undefined => {
  const [, file, name = test] = /^(\S+) › (.+)$/.exec(test) ?? []
  const named = tests.filter((test) => test.name.test(name))
  if (file !== undefined) {
    return named.some((test) => test.file === file) ? undefined : `no test "${name}" in ${file}`
  }
  const files = new Set(named.map((test) => test.file))
  if (files.size === 0) return `no test "${name}"`
  return files.size === 1
    ? undefined
    : `"${name}" is in ${[...files].join(" and ")}: say which, as file › name`
}

/** What is wrong with the map, a line each. */
export const specMapProblems = (map: string, files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const tests = namedTests(files)
  return rows(map).flatMap(({ line, rule, tests: names }) => {
    const where = `docs/spec-map.md:${line}`
    if (names.length === 0) return [`${where}: no test for "${rule}"`]
    return names.flatMap((name) => {
      const problem = name === "?" ? `not a row of two cells: ${rule}` : problemWith(name, tests)
      return problem === undefined ? [] : [`${where}: ${problem}`]
    })
  })
}
