/** `vigil monitor output`: what a command printed, and with --follow what it prints. */
import { cleanText } from "@vigil/core/monitor/lines"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { looking } from "../../look/looking.ts"
import { Screen } from "../../screen.ts"
import { count } from "../../view/quantity.ts"
import { followOutput } from "./follow.ts"
import { readOutput } from "./page.ts"

const whole = (name: string, min: number, expected: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.filter(
      (n) => n >= min,
      () => expected
    )
  )

export const output = Command.make(
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
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("Goes on with what is printed, until the command has ended"),
      Flag.withDefault(false)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Prints JSON; with --follow a page a line"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ id, cursor, limit, follow, json }) {
    const screen = yield* Screen
    const { task, page } = yield* looking((look) =>
      Effect.gen(function* () {
        const task = yield* look.task(id)
        return { task, page: yield* readOutput(look, task, cursor, limit) }
      })
    )
    if (!json && page.truncated) {
      yield* screen.tell(`vigil: older output is no longer kept; this begins at byte ${page.start}`)
    }
    if (follow) return yield* followOutput({ task, page, json })
    if (json) return yield* screen.print(JSON.stringify(page))
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
    {
      command: "vigil monitor output mon_4c1r9kq2vd7h0x --follow",
      description: "until the command has ended; Ctrl-C only stops looking"
    },
    { command: "vigil monitor output mon_4c1r9kq2vd7h0x --cursor 0", description: "all that is kept" },
    { command: "vigil monitor output mon_4c1r9kq2vd7h0x --limit 1000", description: "the end of it" }
  ])
)

const forTerminal = (text: string) => {
  const clean = cleanText(text)
  return clean === "" || clean.endsWith("\n") ? clean : `${clean}\n`
}
