/** A scene from its prompt to its last event: the real core, real processes, a real model. */
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type PlayOptions, playPrompt } from "../demo/play.ts"
import type { Scene } from "./scenes.ts"

/** Every event of the scene's session. Fails where a turn does, with its reason. */
export const play = Effect.fn("play")(function* ({ files, prompt }: Scene, options: PlayOptions) {
  const directory = join(options.folder, "project")
  mkdirSync(directory, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return yield* playPrompt({ ...options, directory, prompt })
})
