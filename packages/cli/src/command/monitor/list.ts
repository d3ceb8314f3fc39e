/** `vigil monitor list` */
import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { looking } from "../../look/looking.ts"
import { Screen } from "../../screen.ts"
import { monitorTable } from "../../view/monitor.ts"

export const list = Command.make(
  "list",
  {
    session: Flag.String("session").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("Only this session's"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ session, json }) {
    const screen = yield* Screen
    const found = yield* looking((look) => look.monitors(Option.getOrUndefined(session)))
    if (json) for (const monitor of found) yield* screen.print(JSON.stringify(monitor))
    else if (found.length === 0)
      yield* screen.tell(Option.isNone(session) ? "There are no monitors." : "This session has no monitors.")
    else
      for (const row of monitorTable(found, yield* Clock.currentTimeMillis, screen.stdout.columns))
        yield* screen.print(row)
  })
).pipe(
  Command.withDescription("Lists monitors with their ledgers, newest first; with --json a monitor a line."),
  Command.withShortDescription("List monitors with their ledgers"),
  Command.withExamples([
    { command: "vigil monitor list" },
    { command: "vigil monitor list --session ses_4c1r9kq2vd7h0x" },
    {
      command: `vigil monitor list --json | jq -r 'select(.status == "running") | .id'`,
      description: "the ids of those that run"
    }
  ])
)
