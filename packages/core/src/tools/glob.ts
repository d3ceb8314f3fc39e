/** The tool that finds files by name. */
import { lstat } from "node:fs/promises"
import { Effect, Schema, Stream } from "effect"
import { Permissions } from "../permission.ts"
import { fill } from "../prompt/fill.ts"
import { visiblePath } from "../prompt/path.ts"
import { defineTool, ToolFailed } from "../tool.ts"
import { onFiles } from "./file-error.ts"
import { filePattern } from "./file-pattern.ts"
import description from "./glob.txt" with { type: "text" }
import { permitted } from "./path.ts"
import { boundedLines, counted } from "./visible.ts"
import { walk } from "./walk.ts"

const maxFiles = 100
const maxOutputBytes = 16 * 1024
const budget = "20 seconds"

const Input = Schema.Struct({
  pattern: Schema.String.annotate({ description: "A glob: * ** ? [a-z] {a,b}" }),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "Where to look; the session's directory by default" })
  )
})

interface Candidate {
  readonly name: string
  readonly changedAt: number
}

export const glob = Effect.gen(function* () {
  const permissions = yield* Permissions
  return defineTool({
    name: "glob",
    description: fill(description),
    input: Input,
    execute: Effect.fn("tools.glob")(function* ({ pattern, path = "." }, call) {
      const matches = yield* filePattern(pattern)
      const located = yield* permitted(permissions, call, {
        tool: "glob",
        verb: "Find files in",
        action: "read",
        path
      })
      const { kind, name, real, shown } = located
      if (kind === "missing") return yield* new ToolFailed({ message: `There is no ${shown}.` })
      if (kind !== "directory")
        return yield* new ToolFailed({ message: `${shown} is no directory; give one as path.` })

      let newest: ReadonlyArray<Candidate> = []
      let total = 0
      const finished = yield* walk(real, shown).pipe(
        Stream.runForEach(
          Effect.fnUntraced(function* (batch) {
            const found = batch.filter((file) => matches(file.name))
            total += found.length
            if (found.length === 0) return
            newest = newestOf([
              ...newest,
              ...(yield* onFiles(shown, () => Promise.all(found.map(candidate))))
            ])
          })
        ),
        Effect.timeoutOption(budget)
      )

      const prefix = name === "." ? "" : name === "/" ? "/" : `${name}/`
      const lines = boundedLines(maxOutputBytes)
      for (const file of newest) if (!lines.add(visiblePath(`${prefix}${file.name}`))) break
      const remarks = [
        ...(total === 0 ? [`no file in ${shown} matches ${visiblePath(pattern)}`] : []),
        ...(total > lines.lines.length
          ? [
              `the ${lines.lines.length} last changed of ${counted(total, "file")}; narrow the pattern or give a path`
            ]
          : []),
        ...(finished._tag === "None" ? [`stopped after ${budget}: not all was searched; give a path`] : [])
      ]
      return {
        output: [...lines.lines, ...remarks.map((remark) => `(${remark})`)].join("\n"),
        structure: { files: lines.lines.length, total }
      }
    })
  })
})

const candidate = async ({ path, name }: { readonly path: string; readonly name: string }) => ({
  name,
  // What vanished meanwhile comes last.
  changedAt: await lstat(path).then(
    (stat) => stat.mtimeMs,
    () => 0
  )
})

const newestOf = (candidates: ReadonlyArray<Candidate>) => candidates.toSorted(byChange).slice(0, maxFiles)

const byChange = (a: Candidate, b: Candidate) => b.changedAt - a.changedAt || (a.name < b.name ? -1 : 1)
