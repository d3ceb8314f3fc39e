/** The tool that reads a file, numbered line by line. */
import { readdir } from "node:fs/promises"
import { Effect, Schema } from "effect"
import { Permissions } from "../permission.ts"
import { fill } from "../prompt/fill.ts"
import { visiblePath } from "../prompt/path.ts"
import { defineTool, ToolFailed } from "../tool.ts"
import { onFiles } from "./file-error.ts"
import { nearNames } from "./near-names.ts"
import { type Located, permitted } from "./path.ts"
import { readLines } from "./read-lines.ts"
import description from "./read.txt" with { type: "text" }
import { Readings } from "./reading.ts"
import { boundedLines, counted } from "./visible.ts"

const defaultLimit = 2_000
const maxListBytes = 16 * 1024

const Input = Schema.Struct({
  path: Schema.String.annotate({ description: "The file" }),
  offset: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "First line to read; the file's first is 1"
    })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "How many lines; 2000 by default"
    })
  )
})

export const read = Effect.gen(function* () {
  const permissions = yield* Permissions
  const readings = yield* Readings
  return defineTool({
    name: "read",
    description: fill(description),
    input: Input,
    execute: Effect.fn("tools.read")(function* ({ path, offset, limit }, call) {
      const located = yield* permitted(permissions, call, {
        tool: "read",
        verb: "Read",
        action: "read",
        path
      })
      if (located.kind === "missing") return yield* missing(located, call.session.directory)
      if (located.kind === "directory") return yield* listing(located)
      const page = yield* onFiles(located.shown, (signal) =>
        readLines(
          located,
          {
            from: offset ?? 1,
            limit: limit ?? defaultLimit,
            ranged: offset !== undefined || limit !== undefined
          },
          signal
        )
      )
      yield* readings.note(call.session.id, located.real, page.stamp)
      return {
        output: [...page.lines, ...page.remarks.map((remark) => `(${remark})`)].join("\n"),
        structure: { path: located.name, from: page.from, to: page.to, more: page.more }
      }
    })
  })
})

const missing = Effect.fnUntraced(function* (located: Located, directory: string) {
  const near = yield* onFiles(located.shown, () => nearNames(located.real, directory))
  const hint = near.length === 0 ? "Find it with glob." : `Near it: ${near.join(", ")}.`
  return yield* new ToolFailed({ message: `There is no ${located.shown}. ${hint}` })
})

const listing = Effect.fnUntraced(function* (located: Located) {
  const entries = yield* onFiles(located.shown, () => readdir(located.real, { withFileTypes: true }))
  const names = entries
    .map((entry) => `${visiblePath(entry.name)}${entry.isDirectory() ? "/" : ""}`)
    .toSorted()
  const shown = boundedLines(maxListBytes)
  for (const name of names) if (!shown.add(name)) break
  const left = names.length - shown.lines.length
  const end = left === 0 ? [] : [`(${counted(left, "entry", "entries")} more; narrow it with glob)`]
  return {
    output: [
      `${located.shown} is a directory with ${counted(names.length, "entry", "entries")}:`,
      ...shown.lines,
      ...end
    ].join("\n"),
    structure: { path: located.name, entries: names.length }
  }
})
