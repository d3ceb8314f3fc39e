/** The tool that changes one place of a file, or all alike. */
import { Effect, Schema } from "effect"
import { Permissions } from "../permission.ts"
import { fill } from "../prompt/fill.ts"
import { defineTool, ToolFailed } from "../tool.ts"
import { editText } from "./edit-text.ts"
import description from "./edit.txt" with { type: "text" }
import { onFiles } from "./file-error.ts"
import { permitted } from "./path.ts"
import { Readings } from "./reading.ts"
import { changedMeanwhile, readText, replaceFile } from "./text-file.ts"
import { boundedLines, counted } from "./visible.ts"

const maxExcerptBytes = 8 * 1024

const Input = Schema.Struct({
  path: Schema.String.annotate({ description: "The file" }),
  oldText: Schema.String.annotate({ description: "What stands there now" }),
  newText: Schema.String.annotate({ description: "What shall stand there" }),
  replaceAll: Schema.optionalKey(Schema.Boolean.annotate({ description: "Replace it wherever it stands" }))
})

export const edit = Effect.gen(function* () {
  const permissions = yield* Permissions
  const readings = yield* Readings
  return defineTool({
    name: "edit",
    description: fill(description),
    input: Input,
    edits: true,
    execute: Effect.fn("tools.edit")(function* (input, call) {
      const located = yield* permitted(permissions, call, {
        tool: "edit",
        verb: "Edit",
        action: "edit",
        path: input.path
      })
      const { real, shown } = located
      if (located.kind === "missing")
        return yield* new ToolFailed({ message: `There is no ${shown}. Create it with write.` })
      const file = yield* onFiles(shown, () => readText(real, shown))
      const known = yield* readings.known(call.session.id, real)
      if (known !== undefined && known !== file.stamp) return yield* changedMeanwhile(shown)
      const { oldText, newText, replaceAll = false } = input
      const edited = editText(shown, file.text, { oldText, newText, replaceAll })
      if (!edited.ok) return yield* new ToolFailed({ message: edited.reason })
      const content = `${file.mark ? "\ufeff" : ""}${edited.text}`
      const stamp = yield* onFiles(shown, (signal) => replaceFile(real, shown, content, file.stamp, signal))
      yield* readings.note(call.session.id, real, stamp)
      const excerpt = boundedLines(maxExcerptBytes)
      const whole = edited.excerpt.every(excerpt.add)
      return {
        output: [
          `Edited ${shown} (${counted(edited.replacements, "replacement")}):`,
          ...excerpt.lines,
          ...(whole ? [] : ["(the rest is not shown)"])
        ].join("\n"),
        structure: { path: located.name, replacements: edited.replacements }
      }
    })
  })
})
