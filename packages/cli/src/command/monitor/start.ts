/** `vigil monitor start`: watches a command for a session, also after this process has ended. */
import { cleanText } from "@vigil/core/monitor/lines"
import { newId } from "@vigil/schema/id"
import type { Monitor } from "@vigil/schema/monitor"
import type { SessionInfo } from "@vigil/schema/session-info"
import type { Client } from "@vigil/sdk/client"
import { Effect, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { asked, whenRefused } from "../../asked.ts"
import { existingDirectory } from "../../configured.ts"
import { inStateDirectory } from "../../contained.ts"
import { ownEnvironment } from "../../environment.ts"
import { Failed } from "../../failed.ts"
import { sessionAbsent } from "../../look.ts"
import { joinOrDetach } from "../../owner.ts"
import { titleOf } from "../../run/prompt.ts"
import { checkUsable } from "../../run/usable.ts"
import { Screen } from "../../screen.ts"
import { exitCodes } from "../../signals.ts"
import { makeStateDirectory } from "../../state-directory.ts"
import { shellWords } from "../../view/command-line.ts"
import { commandText } from "../../view/monitor.ts"
import { duration, parseDuration } from "../../view/quantity.ts"

const flags = {
  session: Flag.String("session").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("The session that reads what is printed"),
    Flag.optional
  ),
  new: Flag.Boolean("new").pipe(
    Flag.withDescription("In a new session, in the current directory"),
    Flag.withDefault(false)
  ),
  description: Flag.String("description").pipe(
    Flag.withMetavar("TEXT"),
    Flag.withDescription("What is watched, shown with every event; else the command"),
    Flag.optional
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription("When it ends at the latest: 30s, 5m; 5m without it"),
    Flag.mapTryCatch(
      (text) => parseDuration(text) ?? raise(),
      () => "a time like 30s, 5m or 1h"
    ),
    Flag.optional
  ),
  delivery: Flag.Literals("delivery", ["steer", "queue"]).pipe(
    Flag.withDescription("Whether the agent reads at its next step, or when its turn has ended"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Prints the monitor as JSON"),
    Flag.withDefault(false)
  ),
  command: Argument.String("command").pipe(
    Argument.withDescription(
      "Behind --: one argument is a shell's command line as it is; of several each is a word, and is quoted"
    ),
    Argument.atLeast(1)
  )
}

const raise = (): never => {
  throw new Error("not a time")
}

export const start = Command.make(
  "start",
  flags,
  Effect.fnUntraced(function* (given) {
    const { session, new: fresh, description, timeout, delivery, json } = given
    if (Option.isSome(session) === fresh) {
      return yield* new CliError.ShowHelp({
        commandPath: ["vigil", "monitor", "start"],
        errors: [
          new CliError.ValidationError({ message: "Name a session by --session, or begin one by --new" })
        ]
      })
    }
    const screen = yield* Screen
    const directory = yield* existingDirectory(".")
    const command = given.command.length === 1 ? given.command[0]! : shellWords(given.command)
    const monitor = yield* inStateDirectory((stateDir) =>
      Effect.gen(function* () {
        yield* makeStateDirectory(stateDir)
        const { client } = yield* joinOrDetach(stateDir)
        return yield* startMonitor(client, {
          command,
          directory,
          description: Option.getOrElse(description, () => commandText(command)),
          ...(Option.isSome(session) && { sessionID: session.value }),
          ...(Option.isSome(timeout) && { timeoutMs: timeout.value }),
          ...(Option.isSome(delivery) && { delivery: delivery.value })
        })
      })
    )
    if (json) return yield* screen.print(JSON.stringify(monitor))
    const { id, sessionID } = monitor
    yield* screen.tell(`Watching '${cleanText(monitor.description)}' for session ${sessionID}.`)
    yield* screen.print(id)
    yield* screen.tell(`See what it prints: vigil monitor output ${id} --follow`)
    yield* screen.tell(`Stop it: vigil monitor stop ${id}`)
  })
).pipe(
  Command.withDescription(
    "Starts a monitor: each line that the command prints is read by the session's agent, which is woken by it. It goes on when this command has ended. Nobody is asked whether the command may run, but what a rule denies is denied."
  ),
  Command.withShortDescription("Watch a command for a session"),
  Command.withExamples([
    {
      command: "vigil monitor start --new --description 'the build' --timeout 30m -- npm run build",
      description: "several arguments are words"
    },
    {
      command:
        "vigil monitor start --session ses_4c1r9kq2vd7h0x -- 'tail -F app.log | grep --line-buffered ERROR'",
      description: "one argument is a shell's command line"
    },
    {
      command: "id=$(vigil monitor start --new -- ./deploy.sh) && vigil monitor output $id --follow",
      description: "its id is all that stdout gets"
    }
  ])
)

export interface MonitorStart {
  readonly command: string
  readonly description: string
  /** A new session in `directory` without it. */
  readonly sessionID?: string
  readonly directory: string
  readonly timeoutMs?: number
  readonly delivery?: "steer" | "queue"
}

export const startMonitor = Effect.fn("startMonitor")(function* (
  client: Client,
  { sessionID, directory, ...draft }: MonitorStart
) {
  if (sessionID === undefined) yield* tellUnread(client, directory)
  const session =
    sessionID ??
    (yield* asked<SessionInfo>((signal) =>
      client.session.create({
        body: { directory, title: titleOf(`Watch ${draft.description}`), environment: ownEnvironment() },
        signal
      })
    )).id
  return yield* asked<Monitor>((signal) =>
    client.monitor.start({ path: { sessionID: session }, body: { id: newId("mon"), ...draft }, signal })
  ).pipe(
    // What was begun for it alone has no use without it.
    Effect.tapErrorTag("Refused", () =>
      sessionID === undefined
        ? Effect.ignore(asked((signal) => client.session.remove({ path: { sessionID: session }, signal })))
        : Effect.void
    ),
    whenRefused("SessionNotFound", () => Effect.fail(sessionAbsent(session))),
    whenRefused("TimeoutOutOfRange", ({ facts }) =>
      Effect.fail(
        new Failed({
          code: exitCodes.failed,
          message: `--timeout must be from ${duration(Number(facts["min"]))} to ${duration(Number(facts["max"]))}; "monitor.maxTimeoutMs" in vigil.json sets the longest`
        })
      )
    )
  )
})

/** A watch is of use without a model too: it can be followed. */
const tellUnread = (client: Client, directory: string) =>
  checkUsable(client, directory, undefined).pipe(
    Effect.catchTag("Failed", ({ message }) =>
      Effect.flatMap(Screen, (screen) =>
        screen.tell(`vigil: no agent can read what is printed yet. ${message}`)
      )
    )
  )
