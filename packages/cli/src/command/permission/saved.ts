/** `vigil permission saved` and `forget`: what was answered with "always" in a directory, and taking it back. */
import { Permissions } from "@vigil/core/permission"
import { parseAllow } from "@vigil/core/permission/rule"
import type { SavedAllow } from "@vigil/schema/permission"
import { Effect, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { asked } from "../../asked.ts"
import { dirFlag } from "../../configured.ts"
import { Failed } from "../../failed.ts"
import { looking } from "../../look/looking.ts"
import { asOwner } from "../../owned.ts"
import { Screen } from "../../screen.ts"
import { exitCodes } from "../../signals.ts"
import { visible } from "../../view/visible.ts"

export const saved = Command.make(
  "saved",
  {
    dir: dirFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ dir, json }) {
    const screen = yield* Screen
    const directory = resolve(dir)
    const found = yield* looking((look) => look.saved(directory))
    if (json) for (const allow of found) yield* screen.print(JSON.stringify(allow))
    else if (found.length === 0) yield* screen.tell(`Nothing is saved for ${visible(directory)}.`)
    else for (const allow of found) yield* screen.print(visible(allowText(allow)))
  })
).pipe(
  Command.withDescription('Lists what was answered with "always" in a directory.'),
  Command.withShortDescription("List what is allowed for good"),
  Command.withExamples([
    { command: "vigil permission saved" },
    { command: "vigil permission saved -C ~/src/shop" }
  ])
)

export const forget = Command.make(
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
    const wanted = Option.isNone(pattern) ? undefined : parseAllow(pattern.value)
    const found = (yield* looking((look) => look.saved(directory))).find(
      (allow) => allow.action === wanted?.action && allow.pattern === wanted.pattern
    )
    if (Option.isSome(pattern) && found === undefined) {
      return yield* new Failed({
        code: exitCodes.failed,
        message: `${visible(pattern.value)} is not saved for ${visible(directory)}. \`vigil permission saved\` shows what is.`
      })
    }
    yield* asOwner({
      through: (client) =>
        Effect.asVoid(
          asked<unknown>((signal) => client.permission.forget({ query: { directory, ...found }, signal }))
        ),
      here: Permissions.use((permissions) => permissions.forget(directory, found))
    })
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
