/** The tool that writes a whole file. */
import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, Schema } from "effect"
import { Permissions } from "../permission.ts"
import { fill } from "../prompt/fill.ts"
import { defineTool, ToolFailed } from "../tool.ts"
import { onFiles } from "./file-error.ts"
import { permitted } from "./path.ts"
import { Readings } from "./reading.ts"
import { changedMeanwhile, currentStamp, replaceFile } from "./text-file.ts"
import { counted } from "./visible.ts"
import description from "./write.txt" with { type: "text" }

const Input = Schema.Struct({
  path: Schema.String.annotate({ description: "The file" }),
  content: Schema.String.annotate({ description: "All that shall be in it" })
})

export const write = Effect.gen(function* () {
  const permissions = yield* Permissions
  const readings = yield* Readings
  return defineTool({
    name: "write",
    description: fill(description),
    input: Input,
    edits: true,
    execute: Effect.fn("tools.write")(function* ({ path, content }, call) {
      const located = yield* permitted(permissions, call, {
        tool: "write",
        verb: "Write",
        action: "edit",
        path
      })
      const { real, shown } = located
      if (located.kind === "directory" || /[/\\]$/u.test(path))
        return yield* new ToolFailed({ message: `${shown} is a directory; name a file in it.` })
      const before = yield* onFiles(shown, () => currentStamp(real))
      const known = yield* readings.known(call.session.id, real)
      if (before !== undefined && known === undefined)
        return yield* new ToolFailed({
          message: `${shown} exists and this session has not read it. Read it first, or change a part of it with edit.`
        })
      if (before !== undefined && known !== before) return yield* changedMeanwhile(shown)
      const stamp = yield* onFiles(shown, async (signal) => {
        await mkdir(dirname(real), { recursive: true })
        return replaceFile(real, shown, content, before, signal)
      })
      yield* readings.note(call.session.id, real, stamp)
      const lines = content === "" ? 0 : content.replace(/\n$/u, "").split("\n").length
      const verb = before === undefined ? "Created" : "Overwrote"
      return {
        output: `${verb} ${shown} (${counted(lines, "line")}).`,
        structure: { path: located.name, created: before === undefined, lines }
      }
    })
  })
})
