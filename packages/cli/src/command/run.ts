/** `vigil run`: one prompt without anybody there, for scripts and CI. */
import { parseAllow } from "@vigil/core/permission/rule"
import { Effect, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { asClient } from "../client.ts"
import { runHeadless } from "../run/headless.ts"
import { readPrompt } from "../run/prompt.ts"
import { parseDuration } from "../view/quantity.ts"

const flags = {
  prompt: Argument.String("prompt").pipe(
    Argument.withDescription("What to do; - reads it from stdin, and so does a pipe"),
    Argument.optional
  ),
  model: Flag.String("model").pipe(
    Flag.withAlias("m"),
    Flag.withMetavar("PROVIDER/MODEL"),
    Flag.withDescription('Else "model" in vigil.json'),
    Flag.optional
  ),
  dir: Flag.String("dir").pipe(
    Flag.withAlias("C"),
    Flag.withMetavar("DIR"),
    Flag.withDescription("Where to work; else the current directory"),
    // An unset variable is no directory.
    Flag.filter(
      (dir) => dir !== "",
      () => "a directory"
    ),
    Flag.optional
  ),
  session: Flag.String("session").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Goes on with a session"),
    Flag.optional
  ),
  allow: Flag.String("allow").pipe(
    Flag.withMetavar("PATTERN"),
    Flag.withDescription("Commands that may run, or edit:… and directory:…; repeat it for more"),
    Flag.filter(
      (text) => parseAllow(text).pattern.trim() !== "",
      () => "a pattern, such as 'npm test *'"
    ),
    Flag.atLeast(0)
  ),
  wait: Flag.Boolean("wait").pipe(
    Flag.withDescription("Until monitors and background commands have ended and were read"),
    Flag.withDefault(false)
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription("Bounds the whole run: 30s, 5m, 1h"),
    Flag.mapTryCatch(
      (text) => parseDuration(text) ?? raise(),
      () => "a time like 30s, 5m or 1h, a week at most"
    ),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Prints every event as a line of JSON instead of the answer"),
    Flag.withDefault(false)
  )
}

const raise = (): never => {
  throw new Error("not a time")
}

export const run = Command.make(
  "run",
  flags,
  Effect.fnUntraced(function* ({ model, dir, session, allow, wait, timeout, json, prompt: argument }) {
    if (Option.isSome(session) && Option.isSome(dir)) {
      return yield* new CliError.ShowHelp({
        commandPath: ["vigil", "run"],
        errors: [
          new CliError.ValidationError({
            message: "--dir can't be used with --session: a session stays in its directory"
          })
        ]
      })
    }
    const prompt = yield* readPrompt(Option.getOrUndefined(argument))
    yield* asClient((client) =>
      Effect.scoped(
        runHeadless(client, {
          prompt,
          wait,
          json,
          directory: resolve(Option.getOrElse(dir, () => ".")),
          rules: allow.map(parseAllow),
          ...(Option.isSome(model) && { model: model.value }),
          ...(Option.isSome(session) && { sessionID: session.value }),
          ...(Option.isSome(timeout) && { timeoutMs: timeout.value })
        })
      )
    )
  })
).pipe(
  Command.withDescription(
    "Runs a prompt to its answer. The answer goes to stdout, progress to stderr. What needs permission and was not allowed fails, and says what would allow it."
  ),
  Command.withShortDescription("Run a prompt, for scripts and CI"),
  Command.withExamples([
    { command: 'vigil run "Which tests are slow?"' },
    {
      command: `vigil run "Fix the failing test" --allow 'npm test *' --allow 'edit:*'`,
      description: "may run the tests and edit files of this directory"
    },
    {
      command: `vigil run "Watch CI run 42, tell me what breaks" --allow 'gh run *' --wait --timeout 1h`,
      description: "is woken by what happens, and stays until the run is over"
    },
    { command: "git diff | vigil run", description: "the prompt comes from stdin" },
    {
      command: `vigil run "And the others?" --session ses_4c1r9kq2vd7h0x`,
      description: "goes on where that session was"
    },
    {
      command: `vigil run "List the open questions" --json | jq -c 'select(.type == "turn.ended")'`,
      description: "every event, for programs"
    }
  ])
)
