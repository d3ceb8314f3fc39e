/** `vigil config`: what holds in a directory, whose word it is, and what of the project's file does not count. */
import { Settings } from "@vigil/core/config"
import { withoutSecrets } from "@vigil/core/config/masked"
import { bind } from "@vigil/tui/keys"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { dirFlag, existingDirectory, withSettings } from "../configured.ts"
import { Screen } from "../screen.ts"
import { settingRows } from "../view/settings.ts"
import { table } from "../view/table.ts"
import { visible } from "../view/visible.ts"

export const config = Command.make(
  "config",
  {
    dir: dirFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ dir, json }) {
    const screen = yield* Screen
    const directory = yield* existingDirectory(dir)
    const { effective, project, userFile } = yield* withSettings(() =>
      Settings.use((settings) =>
        Effect.all({
          effective: settings.effective(directory),
          project: settings.project(directory),
          userFile: Effect.succeed(settings.userFile)
        })
      )
    )
    const { origins, ignored } = effective
    if (json) {
      return yield* screen.print(
        JSON.stringify({
          directory,
          userFile,
          ...(project && { projectFile: project.file, trusted: project.trusted }),
          settings: withoutSecrets(effective.config),
          origins,
          ignored
        })
      )
    }
    const { paint } = screen.stdout
    const rows = settingRows(effective).map(({ key, value, origin }) => [key, value, origin])
    for (const line of table([["SETTING", "VALUE", "FROM"], ...rows])) {
      yield* screen.print(line.endsWith("  default") ? paint.dim(line) : line)
    }
    const { problems } = bind(effective.config.keys)
    if (problems.length > 0) yield* screen.print("")
    for (const problem of problems) yield* screen.print(paint.yellow(visible(problem)))
    if (!project || ignored.length === 0) return
    yield* screen.print("")
    yield* screen.print(`Of ${visible(project.file)} this does not count:`)
    for (const line of table(ignored.map(({ key, reason }) => [`  ${visible(key)}`, visible(reason)]))) {
      yield* screen.print(paint.yellow(line))
    }
    if (!project.trusted) yield* screen.print("See what it changes, and trust it, with: vigil trust")
  })
).pipe(
  Command.withDescription(
    "Shows every setting that holds in a directory and the file it comes from, and what of the project's file does not count and why. Keys are masked."
  ),
  Command.withShortDescription("Show the settings, and where each comes from"),
  Command.withExamples([
    { command: "vigil config" },
    { command: "vigil config -C ~/src/shop" },
    { command: "vigil config --json | jq .ignored", description: "what of the project's file does not count" }
  ])
)
