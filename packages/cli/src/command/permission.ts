/** `vigil permission`: what was answered with "always" in a directory, and taking it back. */
import { Permissions } from "@vigil/core/permission"
import { parseAllow, type SavedAllow } from "@vigil/core/permission/rule"
import { Effect, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { dirFlag } from "../configured.ts"
import { Failed } from "../failed.ts"
import { asOwner } from "../owned.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import { readStored } from "../stored.ts"
import { visible } from "../view/visible.ts"

const nothing: ReadonlyArray<SavedAllow> = []

const list = Command.make(
  "list",
  {
    dir: dirFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ dir, json }) {
    const screen = yield* Screen
    const directory = resolve(dir)
    const saved = yield* readStored(Effect.succeed(nothing), () =>
      Permissions.use((permissions) => permissions.saved(directory))
    )
    if (json) for (const allow of saved) yield* screen.print(JSON.stringify(allow))
    else if (saved.length === 0) yield* screen.tell(`Nothing is saved for ${visible(directory)}.`)
    else for (const allow of saved) yield* screen.print(visible(allowText(allow)))
  })
).pipe(
  Command.withDescription('Lists what was answered with "always" in a directory.'),
  Command.withShortDescription("List what is allowed for good"),
  Command.withExamples([
    { command: "vigil permission list" },
    { command: "vigil permission list -C ~/src/shop" }
  ])
)

const forget = Command.make(
  "forget",
  {
    pattern: Argument.String("pattern").pipe(
      Argument.withDescription("As the list has it: git push *, or edit:src/*"),
      Argument.optional
    ),
    all: Flag.Boolean("all").pipe(Flag.withDescription("All of the directory's"), Flag.withDefault(false)),
    dir: dirFlag
  },
  Effect.fnUntraced(function* ({ pattern, all, dir }) {
    const screen = yield* Screen
    const directory = resolve(dir)
    if (Option.isSome(pattern) === all) {
      return yield* new CliError.ShowHelp({
        commandPath: ["vigil", "permission", "forget"],
        errors: [new CliError.ValidationError({ message: "Name a pattern, or all of them by --all" })]
      })
    }
    yield* asOwner(
      Permissions.use((permissions) =>
        Effect.gen(function* () {
          if (Option.isNone(pattern)) return yield* permissions.forget(directory)
          const { action, pattern: wanted } = parseAllow(pattern.value)
          const found = (yield* permissions.saved(directory)).find(
            (allow) => allow.action === action && allow.pattern === wanted
          )
          if (found) return yield* permissions.forget(directory, found)
          return yield* new Failed({
            code: exitCodes.failed,
            message: `${visible(pattern.value)} is not saved for ${visible(directory)}. \`vigil permission list\` shows what is.`
          })
        })
      )
    )
    yield* screen.tell("Forgotten: it will be asked for again.")
  })
).pipe(
  Command.withDescription('Takes back what was answered with "always" in a directory.'),
  Command.withShortDescription("Take back what is allowed for good"),
  Command.withExamples([
    { command: "vigil permission forget 'git push *'" },
    { command: "vigil permission forget --all" }
  ])
)

/** As it would be typed: `git push *`, `edit:src/*`. */
const allowText = (allow: SavedAllow) => {
  const { action, pattern } = allow
  const bare = parseAllow(pattern)
  return action === "shell" && bare.action === "shell" ? pattern : `${action}:${pattern}`
}

export const permission = Command.make("permission").pipe(
  Command.withDescription('What was answered with "always", which is kept for its directory.'),
  Command.withShortDescription("List and take back what is allowed for good"),
  Command.withExamples([
    { command: "vigil permission list" },
    { command: "vigil permission forget 'git push *'" }
  ]),
  Command.withSubcommands([list, forget])
)
