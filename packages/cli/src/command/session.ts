/** `vigil session`: what was said, also while another vigil works on it. */
import { Sessions } from "@vigil/core/session"
import { Clock, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Screen } from "../screen.ts"
import {
  newestTurns,
  readStored,
  sessionAbsent,
  storedMonitors,
  storedSession,
  storedTurns
} from "../stored.ts"
import { monitorTable } from "../view/monitor.ts"
import { sessionTable } from "../view/session.ts"
import { transcript } from "../view/transcript.ts"

const json = Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))

const list = Command.make(
  "list",
  { json },
  Effect.fnUntraced(function* ({ json }) {
    const screen = yield* Screen
    const found = yield* readStored(Effect.succeed([]), () =>
      Effect.gen(function* () {
        const monitors = yield* storedMonitors()
        const turns = yield* newestTurns
        return (yield* (yield* Sessions).list).map((session) => ({
          session,
          turn: turns.get(session.id),
          watching: monitors.filter(
            ({ sessionID, status }) => sessionID === session.id && status === "running"
          ).length
        }))
      })
    )
    if (json) for (const { session } of found) yield* screen.print(JSON.stringify(session))
    else if (found.length === 0) yield* screen.tell('There are no sessions yet. Begin with: vigil run "…"')
    else
      for (const row of sessionTable(found, yield* Clock.currentTimeMillis, screen.stdout.columns))
        yield* screen.print(row)
  })
).pipe(
  Command.withDescription("Lists sessions, newest first; with --json a session a line."),
  Command.withShortDescription("List sessions, newest first"),
  Command.withExamples([
    { command: "vigil session list" },
    { command: "vigil session list --json | jq -r .id", description: "their ids alone" }
  ])
)

const show = Command.make(
  "show",
  { id: Argument.String("id").pipe(Argument.withDescription("The session, like ses_4c1r9kq2vd7h0x")), json },
  Effect.fnUntraced(function* ({ id, json }) {
    const screen = yield* Screen
    const { session, messages, turns, monitors } = yield* readStored(Effect.fail(sessionAbsent(id)), () =>
      Effect.gen(function* () {
        return {
          session: yield* storedSession(id),
          messages: yield* (yield* Sessions).messages(id),
          turns: yield* storedTurns(id),
          monitors: yield* storedMonitors(id)
        }
      })
    )
    if (json) return yield* screen.print(JSON.stringify({ session, messages, turns, monitors }))
    const { paint, columns } = screen.stdout
    yield* screen.print(paint.dim(`${session.id} in ${session.directory}`))
    for (const line of transcript(messages, turns, paint)) yield* screen.print(line)
    if (monitors.length === 0) return
    yield* screen.print("")
    for (const row of monitorTable(monitors, yield* Clock.currentTimeMillis, columns))
      yield* screen.print(row)
  })
).pipe(
  Command.withDescription(
    "Shows what was said and done in a session, how its turns ended, and its monitors."
  ),
  Command.withShortDescription("Show what was said and done"),
  Command.withExamples([
    { command: "vigil session show ses_4c1r9kq2vd7h0x" },
    {
      command: "vigil session show ses_4c1r9kq2vd7h0x --json | jq '.monitors[].ledger'",
      description: "what became of every line its monitors read"
    }
  ])
)

export const session = Command.make("session").pipe(
  Command.withDescription("Looks at sessions. Nothing is changed, also beside a vigil that runs."),
  Command.withShortDescription("List and show sessions"),
  Command.withExamples([
    { command: "vigil session list" },
    { command: "vigil session show ses_4c1r9kq2vd7h0x" }
  ]),
  Command.withSubcommands([list, show])
)
