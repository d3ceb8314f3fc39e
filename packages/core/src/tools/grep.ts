/** The tool that finds lines by what they hold. */
import { Effect, Schema, Stream } from "effect"
import { Settings } from "../config.ts"
import { Permissions } from "../permission.ts"
import { fill } from "../prompt/fill.ts"
import { visiblePath } from "../prompt/path.ts"
import { defineTool, ToolFailed } from "../tool.ts"
import { filePattern } from "./file-pattern.ts"
import { escapes, type Finder, literalFinder, patternFinder, PatternRefused } from "./finder.ts"
import description from "./grep.txt" with { type: "text" }
import type { MatchingLine } from "./matching-lines.ts"
import { type Located, permitted } from "./path.ts"
import { readableBelow } from "./readable.ts"
import { newSearch, type Searched, searchFile } from "./search-file.ts"
import { boundedLines, counted, cutText, fileLine, sizeText } from "./visible.ts"
import { walk } from "./walk.ts"

const maxMatches = 100
/** Larger files are mostly data; named by path they are searched, whatever their size. */
const maxFileBytes = 8 * 1024 * 1024
const maxLineLength = 500
const maxOutputBytes = 16 * 1024
const concurrency = 32
const budget = "20 seconds"

const Input = Schema.Struct({
  pattern: Schema.String.annotate({ description: "What a line must hold" }),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "A directory or a file; the session's directory by default" })
  ),
  include: Schema.optionalKey(
    Schema.String.annotate({ description: "Only files like this glob, as for glob" })
  ),
  literal: Schema.optionalKey(Schema.Boolean.annotate({ description: "pattern is plain text" }))
})

/** What the search has so far; also when it is stopped. */
interface Findings {
  readonly matches: Array<MatchingLine & { readonly file: string }>
  more: boolean
  huge: number
  /** Files that a rule keeps from being read. */
  kept: number
}

export const grep = Effect.gen(function* () {
  const permissions = yield* Permissions
  const settings = yield* Settings
  return defineTool({
    name: "grep",
    description: fill(description),
    input: Input,
    execute: Effect.fn("tools.grep")(function* ({ pattern, path = ".", include, literal = false }, call) {
      const finder = yield* finderOf(pattern, literal)
      const included = include === undefined ? undefined : yield* filePattern(include)
      const located = yield* permitted(permissions, call, {
        tool: "grep",
        verb: "Search",
        action: "read",
        path
      })
      const readable = yield* readableBelow(settings, permissions, call.session, located)
      const findings: Findings = { matches: [], more: false, huge: 0, kept: 0 }
      const finished = yield* search(located, finder, { included, readable }, findings).pipe(
        Effect.timeoutOption(budget)
      )
      return present(located, findings, finished._tag === "Some")
    })
  })
})

const finderOf = (pattern: string, literal: boolean): Effect.Effect<Finder, ToolFailed> =>
  Effect.suspend(() => {
    if (pattern === "") return Effect.fail(new ToolFailed({ message: "The pattern is empty." }))
    if (/[\r\n]/u.test(pattern) || (!literal && escapes(pattern).some((escape) => /[nr]/u.test(escape))))
      return Effect.fail(
        new ToolFailed({
          message: "Each line is searched by itself, so a pattern with a line break finds nothing."
        })
      )
    if (literal) return Effect.succeed(literalFinder(pattern))
    try {
      return Effect.succeed(patternFinder(pattern))
    } catch (error) {
      if (error instanceof PatternRefused) return Effect.fail(new ToolFailed({ message: error.message }))
      throw error
    }
  })

/** The files to open, by their names from where the search begins, and as rules see them. */
interface Which {
  readonly included: ((name: string) => boolean) | undefined
  readonly readable: (name: string) => boolean
}

const search = Effect.fnUntraced(function* (
  located: Located,
  finder: Finder,
  which: Which,
  findings: Findings
) {
  const { kind, name, real, shown } = located
  if (kind === "missing") return yield* new ToolFailed({ message: `There is no ${shown}.` })
  const shared = newSearch(finder)
  const bounds = { maxBytes: maxFileBytes, maxMatches: maxMatches + 1 }
  if (kind !== "directory") {
    const { matches, skipped } = yield* searchFile(real, shown, shared, { ...bounds, maxBytes: Infinity })
    if (skipped) return yield* new ToolFailed({ message: `${shown} is ${skipped}; it holds no lines.` })
    collect(findings, name, { matches, skipped })
    return
  }
  const prefix = name === "." ? "" : name === "/" ? "/" : `${name}/`
  yield* walk(real, shown).pipe(
    Stream.runForEachWhile(
      Effect.fnUntraced(function* (batch) {
        const wanted = batch.filter((file) => !file.isLink && (which.included?.(file.name) ?? true))
        const files = wanted.filter((file) => which.readable(`${prefix}${file.name}`))
        findings.kept += wanted.length - files.length
        const searched = yield* Effect.forEach(
          files,
          // A file that vanished or may not be read is passed over.
          (file) =>
            searchFile(file.path, file.name, shared, bounds).pipe(Effect.orElseSucceed(() => nothing)),
          { concurrency }
        )
        for (const [index, found] of searched.entries())
          collect(findings, `${prefix}${files[index]!.name}`, found)
        return !findings.more
      })
    )
  )
})

const nothing: Searched = { matches: [], skipped: undefined }

const collect = (findings: Findings, file: string, { matches, skipped }: Searched) => {
  if (skipped === "huge") findings.huge += 1
  for (const match of matches) {
    if (findings.matches.length === maxMatches) {
      findings.more = true
      return
    }
    findings.matches.push({ ...match, file })
  }
}

const present = (located: Located, { matches, more, huge, kept }: Findings, finished: boolean) => {
  const lines = boundedLines(maxOutputBytes)
  for (const { file, line, text, end } of matches)
    if (!lines.add(`${visiblePath(file)}:${line}: ${around(text, end)}`)) break
  const shown = lines.lines.length
  const files = new Set(matches.slice(0, shown).map(({ file }) => file)).size
  const remarks = [
    `${counted(shown, "match", "matches")} in ${counted(files, "file")}`,
    ...(more || shown < matches.length ? ["there are more: narrow the pattern, path or include"] : []),
    ...(huge > 0
      ? [`${counted(huge, "file")} over ${sizeText(maxFileBytes)} not searched; name one as path`]
      : []),
    ...(kept > 0 ? [`${counted(kept, "file")} not searched: a rule keeps them from being read`] : []),
    ...(finished ? [] : [`stopped after ${budget}: not all was searched; give a path or include`])
  ]
  const where = shown === 0 && located.kind === "directory" ? ` below ${located.shown}` : ""
  return {
    output: [...lines.lines, `(${remarks.join("; ")}${where})`].join("\n"),
    structure: { matches: shown, files, more: more || shown < matches.length || !finished }
  }
}

/** The line, cut so that the match is in what is shown. */
const around = (text: string, end: number) =>
  fileLine(cutText(text, maxLineLength, end <= maxLineLength ? 0 : end - Math.floor(maxLineLength * 0.8)))
