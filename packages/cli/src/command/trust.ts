/** `vigil trust`: a project's own settings count once the user has seen what they change. */
import { Settings } from "@vigil/core/config"
import { Trust } from "@vigil/core/trust"
import { Clock, Effect } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { asked } from "../asked.ts"
import { existingDirectory, withSettings } from "../configured.ts"
import { Failed } from "../failed.ts"
import { looking } from "../look/looking.ts"
import { asOwner } from "../owned.ts"
import { confirm, somebodyThere } from "../question.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import { quoted } from "../view/command-line.ts"
import { age, count } from "../view/quantity.ts"
import { loosenedLines } from "../view/settings.ts"
import { table } from "../view/table.ts"
import { visible } from "../view/visible.ts"

const flags = {
  directory: Argument.String("dir").pipe(
    Argument.withDescription("The project's directory; else the current one"),
    Argument.withDefault(".")
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withAlias("y"),
    Flag.withDescription("Trusts without asking, for scripts"),
    Flag.withDefault(false)
  ),
  revoke: Flag.Boolean("revoke").pipe(Flag.withDescription("Takes the trust back"), Flag.withDefault(false)),
  list: Flag.Boolean("list").pipe(Flag.withDescription("Lists what is trusted"), Flag.withDefault(false)),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Lists as JSON"), Flag.withDefault(false))
}

export const trust = Command.make(
  "trust",
  flags,
  Effect.fnUntraced(function* ({ directory, yes, revoke, list, json }) {
    const contradiction =
      [yes, revoke, list].filter(Boolean).length > 1
        ? "--yes, --revoke and --list can't be used together"
        : json && !list
          ? "--json belongs to --list"
          : undefined
    if (contradiction !== undefined) {
      return yield* new CliError.ShowHelp({
        commandPath: ["vigil", "trust"],
        errors: [new CliError.ValidationError({ message: contradiction })]
      })
    }
    if (list) return yield* listTrusted(json)
    if (revoke) return yield* revokeTrust(resolve(directory))
    return yield* giveTrust(yield* existingDirectory(directory), yes)
  })
).pipe(
  Command.withDescription(
    "Shows what a project's vigil.json would change, and asks whether to trust it. Until then the file can only tighten rules and lower limits. It is trusted as it was shown: when it changes, it is asked for anew."
  ),
  Command.withShortDescription("Let a project's own settings count"),
  Command.withExamples([
    { command: "vigil trust", description: "the current directory, after a look at what it changes" },
    { command: "vigil trust ~/src/shop --yes", description: "without a question, for scripts" },
    { command: "vigil trust --list" },
    { command: "vigil trust --revoke" }
  ])
)

const giveTrust = Effect.fnUntraced(function* (directory: string, yes: boolean) {
  const screen = yield* Screen
  const project = yield* withSettings(() => Settings.use((settings) => settings.project(directory)))
  if (!project)
    return yield* screen.tell(`There is no vigil.json in ${visible(directory)}: nothing needs trust.`)
  const file = visible(project.file)
  if (project.loosens.length === 0) {
    return yield* screen.tell(`${file} only tightens rules and lowers limits: it counts without trust.`)
  }
  if (project.trusted) return yield* screen.tell(`${file} is trusted already.`)

  const { paint } = screen.stdout
  const changes = loosenedLines(project.content, project.loosens)
  yield* screen.print(`${file} changes:`)
  for (const line of changes) yield* screen.print(`  ${paint.yellow(line)}`)
  if (!yes && !(yield* somebodyThere)) {
    return yield* new Failed({
      code: exitCodes.failed,
      message: `Nobody is there to be asked. Trust it with: vigil trust ${quoted(directory)} --yes`
    })
  }
  if (!yes && !(yield* confirm(`Trust ${count(changes.length, "setting")} of ${file}?`))) {
    return yield* new Failed({ code: exitCodes.failed, message: "Not trusted; nothing was changed." })
  }
  // The text that was shown, whatever the file says by now.
  const { text } = project
  yield* asOwner({
    through: (client) => asked<unknown>((signal) => client.trust.add({ body: { directory, text }, signal })),
    here: Trust.use((trust) => trust.trust(directory, text))
  })
  yield* screen.tell(
    `Trusted: ${file}, until it changes. Take it back with: vigil trust ${quoted(directory)} --revoke`
  )
})

const revokeTrust = Effect.fnUntraced(function* (directory: string) {
  const screen = yield* Screen
  const trusted = yield* asOwner({
    through: (client) =>
      Effect.map(
        asked<{ readonly revoked: boolean }>((signal) =>
          client.trust.revoke({ query: { directory }, signal })
        ),
        ({ revoked }) => revoked
      ),
    here: Trust.use((trust) => trust.revoke(directory))
  })
  yield* screen.tell(
    trusted ? `${visible(directory)} is not trusted any more.` : `${visible(directory)} was not trusted.`
  )
})

const listTrusted = Effect.fnUntraced(function* (json: boolean) {
  const screen = yield* Screen
  const trusted = yield* looking((look) => look.trusted)
  if (json) {
    for (const record of trusted) yield* screen.print(JSON.stringify(record))
    return
  }
  if (trusted.length === 0) return yield* screen.tell("Nothing is trusted.")
  const now = yield* Clock.currentTimeMillis
  const rows = yield* withSettings(() =>
    Settings.use((settings) =>
      Effect.forEach(trusted, ({ directory, trustedAt }) =>
        Effect.map(state(settings, directory), (state) => [visible(directory), age(now - trustedAt), state])
      )
    )
  )
  for (const row of table([["DIRECTORY", "TRUSTED", "NOW"], ...rows])) yield* screen.print(row)
})

/** Whether what was trusted is still what is there. */
const state = (settings: Settings["Service"], directory: string) =>
  settings.project(directory).pipe(
    Effect.map((project) =>
      project === undefined
        ? "has no vigil.json"
        : project.trusted
          ? "counts"
          : "has changed, so it does not count"
    ),
    Effect.orElseSucceed(() => "can't be read")
  )
