/** The command line as a whole. */
import { Effect, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { existingDirectory } from "../configured.ts"
import { inStateDirectory } from "../contained.ts"
import { ownEnvironment } from "../environment.ts"
import { findOwner, ownerOrDetached } from "../owner.ts"
import { StateDirFlag } from "../state-directory.ts"
import { lastingClient } from "../tui/lasting-client.ts"
import { checkTerminal, openTui } from "../tui/open.ts"
import { attach } from "./attach.ts"
import { auth } from "./auth.ts"
import { completions } from "./completions.ts"
import { config } from "./config.ts"
import { doctor } from "./doctor.ts"
import { models } from "./models.ts"
import { monitor } from "./monitor.ts"
import { permission } from "./permission.ts"
import { run } from "./run.ts"
import { serve } from "./serve.ts"
import { session } from "./session.ts"
import { trust } from "./trust.ts"

const flags = {
  session: Flag.String("session").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Goes on with a session"),
    Flag.optional
  ),
  dir: Flag.String("dir").pipe(
    Flag.withAlias("C"),
    Flag.withMetavar("DIR"),
    Flag.withDescription("Where new sessions work; else the current directory"),
    Flag.filter(
      (dir) => dir !== "",
      () => "a directory"
    ),
    Flag.optional
  )
}

const openOwn = Effect.fnUntraced(function* ({
  session,
  dir
}: {
  readonly session: Option.Option<string>
  readonly dir: Option.Option<string>
}) {
  if (Option.isSome(session) && Option.isSome(dir)) {
    const message = "--dir can't be used with --session: a session stays in its directory"
    return yield* new CliError.ShowHelp({
      commandPath: ["vigil"],
      errors: [new CliError.ValidationError({ message })]
    })
  }
  yield* checkTerminal
  const directory = yield* existingDirectory(Option.getOrElse(dir, () => "."))
  const environment = ownEnvironment()
  yield* inStateDirectory((stateDir) =>
    Effect.gen(function* () {
      const start = ownerOrDetached(stateDir)
      const client = lastingClient(yield* start, { find: findOwner(stateDir), start })
      yield* openTui({
        client,
        stateDir,
        directory,
        environment,
        ...(Option.isSome(session) && { sessionID: session.value })
      })
    })
  )
})

export const vigil = Command.make("vigil", flags, openOwn).pipe(
  Command.withDescription(
    "An agent that watches the world instead of polling it. It starts a monitor on a command, ends its turn, and is woken by what the command prints. Without a command it opens the terminal UI on the current directory."
  ),
  Command.withExamples([
    {
      command: "vigil",
      description: "the terminal UI; it starts a server, which leaves once nobody needs it"
    },
    { command: 'vigil run "Which tests are slow?"' },
    {
      command: `vigil run "Watch CI run 42, tell me what breaks" --allow 'gh run *' --wait --timeout 1h`,
      description: "is woken by what happens, and stays until the run is over"
    },
    { command: "vigil session list", description: "what was said, to look at or go on with" },
    { command: "vigil monitor list", description: "what is and was watched" },
    { command: "vigil doctor", description: "whether all is set up, and how to mend what is not" }
  ]),
  Command.withSubcommands([
    run,
    session,
    monitor,
    serve,
    attach,
    trust,
    permission,
    auth,
    models,
    config,
    doctor,
    completions
  ]),
  Command.withGlobalFlags([StateDirFlag])
)
