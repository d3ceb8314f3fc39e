/** The tools that Vigil comes with. They arrive as a plugin's do: on the transform path. */
import { Effect, Layer } from "effect"
import { Tools } from "../tool.ts"
import { edit } from "./edit.ts"
import { glob } from "./glob.ts"
import { grep } from "./grep.ts"
import { monitor, monitorOutput, monitorStop } from "./monitor.ts"
import { read } from "./read.ts"
import { shell } from "./shell.ts"
import { write } from "./write.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { transform } = yield* Tools
    const tools = yield* Effect.all([
      shell,
      read,
      write,
      edit,
      glob,
      grep,
      monitor,
      monitorStop,
      monitorOutput
    ])
    yield* transform((editor) => {
      for (const tool of tools) editor.add(tool)
    })
  })
)
