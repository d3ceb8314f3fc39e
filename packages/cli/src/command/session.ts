/** `vigil session`: what was said, also while an agent works on it, and its end. */
import { Clock, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { asked, whenRefused } from "../asked.ts"
import { asClient } from "../client.ts"
import { Failed } from "../failed.ts"
import { sessionAbsent } from "../look.ts"
import { looking } from "../look/looking.ts"
import { confirm, somebodyThere } from "../question.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import { monitorTable } from "../view/monitor.ts"
import { count } from "../view/quantity.ts"
import { sessionTable } from "../view/session.ts"
import { oneLine } from "../view/table.ts"
import { transcript } from "../view/transcript.ts"
import { visible } from "../view/visible.ts"

const json = Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))

const id = Argument.String("id").pipe(Argument.withDescription("The session, like ses_4c1r9kq2vd7h0x"))

const list = Command.make(
  "list",
  { json },
  Effect.fnUntraced(function* ({ json }) {
    const screen = yield* Screen
    const { sessions, monitors } = yield* looking((look) =>
      Effect.all({ sessions: look.sessions, monitors: look.monitors() })
    )
    if (json) {
      for (const session of sessions) yield* screen.print(JSON.stringify(session))
      return
    }
    if (sessions.length === 0)
      return yield* screen.tell('There are no sessions yet. Begin with: vigil run "…"')
    const watching = Map.groupBy(
      monitors.filter(({ status }) => status === "running"),
      ({ sessionID }) => sessionID
    )
    const rows = sessions.map((session) => ({ session, watching: watching.get(session.id)?.length ?? 0 }))
    for (const row of sessionTable(rows, yield* Clock.currentTimeMillis, screen.stdout.columns))
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
  { id, json },
  Effect.fnUntraced(function* ({ id, json }) {
    const screen = yield* Screen
    const { session, messages, turns, monitors } = yield* looking((look) =>
      Effect.all({
        session: look.session(id),
        messages: look.messages(id),
        turns: look.turns(id),
        monitors: look.monitors(id)
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

const remove = Command.make(
  "delete",
  {
    id,
    yes: Flag.Boolean("yes").pipe(
      Flag.withAlias("y"),
      Flag.withDescription("Deletes without asking, for scripts"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ id, yes }) {
    const screen = yield* Screen
    const { session, running } = yield* looking((look) =>
      Effect.all({
        session: look.session(id),
        running: Effect.map(
          look.monitors(id),
          (monitors) => monitors.filter(({ status }) => status === "running").length
        )
      })
    )
    if (!yes && !(yield* somebodyThere)) {
      return yield* new Failed({
        code: exitCodes.failed,
        message: `Nobody is there to be asked. Delete it with: vigil session delete ${id} --yes`
      })
    }
    const title = visible(oneLine(session.title ?? id, 48))
    const what = running === 0 ? title : `${title}, and stop ${count(running, "monitor")}`
    if (!yes && !(yield* confirm(`Delete ${what}?`))) {
      return yield* new Failed({ code: exitCodes.failed, message: "Nothing was deleted." })
    }
    yield* asClient((client) =>
      asked<void>((signal) => client.session.remove({ path: { sessionID: id }, signal })).pipe(
        whenRefused("SessionNotFound", () => Effect.fail(sessionAbsent(id)))
      )
    )
    yield* screen.tell(`Deleted: ${title}`)
  })
).pipe(
  Command.withDescription(
    "Deletes a session with all that is kept of it: what was said, its monitors and their output. What still runs in it is stopped."
  ),
  Command.withShortDescription("Delete all that is kept of one"),
  Command.withExamples([
    { command: "vigil session delete ses_4c1r9kq2vd7h0x" },
    {
      command: "vigil session delete ses_4c1r9kq2vd7h0x --yes",
      description: "without a question, for scripts"
    }
  ])
)

export const session = Command.make("session").pipe(
  Command.withDescription("Looks at sessions, also while an agent works on them, and deletes them."),
  Command.withShortDescription("List, show and delete sessions"),
  Command.withExamples([
    { command: "vigil session list" },
    { command: "vigil session show ses_4c1r9kq2vd7h0x" }
  ]),
  Command.withSubcommands([list, show, remove])
)
