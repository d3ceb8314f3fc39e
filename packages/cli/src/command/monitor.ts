/** `vigil monitor`: what is and was watched, and what it printed. */
import { cleanText } from "@vigil/core/monitor/lines"
import { type LogPage, readPage } from "@vigil/core/shell/page"
import { logFolder } from "@vigil/core/shell/recorded"
import { StateDirectory } from "@vigil/core/state"
import { MonitorNotFound } from "@vigil/schema/monitor"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Screen } from "../screen.ts"
import { readStored, sessionAbsent, storedMonitors, storedSession, storedTask } from "../stored.ts"
import { monitorTable } from "../view/monitor.ts"
import { count } from "../view/quantity.ts"

const json = Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))

/** Also what is kept of a session that is no more. */
const monitorsOf = Effect.fnUntraced(function* (sessionID: string) {
  const monitors = yield* storedMonitors(sessionID)
  if (monitors.length === 0) yield* storedSession(sessionID)
  return monitors
})

const list = Command.make(
  "list",
  {
    session: Flag.String("session").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("Only this session's"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ session, json }) {
    const screen = yield* Screen
    const found = yield* Option.match(session, {
      onNone: () => readStored(Effect.succeed([]), () => storedMonitors()),
      onSome: (id) => readStored(Effect.fail(sessionAbsent(id)), () => monitorsOf(id))
    })
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

const whole = (name: string, min: number, expected: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.filter(
      (n) => n >= min,
      () => expected
    )
  )

const pageBytes = 65_536

const output = Command.make(
  "output",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("The monitor, like mon_4c1r9kq2vd7h0x, or a background command's sh_…")
    ),
    cursor: whole("cursor", 0, "a byte position, 0 or more").pipe(
      Flag.withDescription("Prints all from this byte on; without it the newest page"),
      Flag.optional
    ),
    limit: whole("limit", 4, "a number of bytes, 4 or more").pipe(
      Flag.withDescription("Prints at most so many bytes; 65536 without --cursor"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ id, cursor, limit, json }) {
    const screen = yield* Screen
    const absent = new MonitorNotFound({
      monitorID: id,
      message: `There is no monitor ${id}. \`vigil monitor list\` shows those there are.`
    })
    const page = yield* readStored(Effect.fail(absent), () =>
      Effect.gen(function* () {
        const task = yield* storedTask(id)
        if (task === undefined) return yield* absent
        const folder = logFolder((yield* StateDirectory).folder(task.sessionID, id))
        return { ...read(folder, cursor, limit), ended: task.status === "ended" }
      })
    )
    if (json) return yield* screen.print(JSON.stringify(page))
    if (page.truncated) {
      yield* screen.tell(`vigil: older output is no longer kept; this begins at byte ${page.start}`)
    }
    yield* screen.printRaw(screen.stdout.isTerminal ? forTerminal(page.output) : page.output)
    if (page.cursor < page.size) {
      yield* screen.tell(
        `vigil: ${count(page.size - page.cursor, "byte")} more: vigil monitor output ${id} --cursor ${page.cursor}`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Prints what a monitor's command printed; lines of its stderr begin with [stderr]. A terminal gets it without escape sequences, a pipe as it was."
  ),
  Command.withShortDescription("Print what a monitor's command printed"),
  Command.withExamples([
    { command: "vigil monitor output mon_4c1r9kq2vd7h0x" },
    { command: "vigil monitor output mon_4c1r9kq2vd7h0x --cursor 0", description: "all that is kept" },
    { command: "vigil monitor output mon_4c1r9kq2vd7h0x --limit 1000", description: "the end of it" }
  ])
)

/** The newest page, or everything from a cursor on. */
const read = (folder: string, from: Option.Option<number>, limit: Option.Option<number>): LogPage => {
  if (Option.isNone(from)) return readPage(folder, { limit: Option.getOrElse(limit, () => pageBytes) })
  const most = Option.getOrElse(limit, () => Number.POSITIVE_INFINITY)
  const first = readPage(folder, { cursor: from.value, limit: Math.min(most, pageBytes) })
  const parts = [first.output]
  const begin = Math.max(from.value, first.start)
  let last = first
  // Up to what there was at first: a command that prints without end is not followed.
  while (last.cursor < first.size && last.cursor - begin + 4 <= most) {
    const next = readPage(folder, {
      cursor: last.cursor,
      limit: Math.min(pageBytes, most - (last.cursor - begin))
    })
    if (next.cursor <= last.cursor) break
    parts.push(next.output)
    last = next
  }
  return { ...last, output: parts.join(""), truncated: first.truncated }
}

const forTerminal = (text: string) => {
  const clean = cleanText(text)
  return clean === "" || clean.endsWith("\n") ? clean : `${clean}\n`
}

export const monitor = Command.make("monitor").pipe(
  Command.withDescription("Looks at monitors. Nothing is changed, also beside a vigil that runs."),
  Command.withShortDescription("List monitors, read their output"),
  Command.withExamples([
    { command: "vigil monitor list" },
    { command: "vigil monitor output mon_4c1r9kq2vd7h0x" }
  ]),
  Command.withSubcommands([list, output])
)
