/** `vigil permission list` and `reply`: what agents want to do, and a person's answer. */
import type { Ask } from "@vigil/schema/permission"
import type { Client } from "@vigil/sdk/client"
import { Clock, Effect, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { asked, whenRefused } from "../../asked.ts"
import { inStateDirectory } from "../../contained.ts"
import { Failed } from "../../failed.ts"
import { looking } from "../../look/looking.ts"
import { findOwner } from "../../owner.ts"
import { Screen } from "../../screen.ts"
import { exitCodes } from "../../signals.ts"
import { age } from "../../view/quantity.ts"
import { fitted, oneLine } from "../../view/table.ts"
import { visible } from "../../view/visible.ts"

export const list = Command.make(
  "list",
  { json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false)) },
  Effect.fnUntraced(function* ({ json }) {
    const screen = yield* Screen
    const asks = yield* looking((look) => look.asks)
    if (json) for (const ask of asks) yield* screen.print(JSON.stringify(ask))
    else if (asks.length === 0) yield* screen.tell("Nothing waits for an answer.")
    else
      for (const row of askTable(asks, yield* Clock.currentTimeMillis, screen.stdout.columns))
        yield* screen.print(row)
  })
).pipe(
  Command.withDescription(
    "Lists what agents wait for an answer to, oldest first; with --json an ask a line."
  ),
  Command.withShortDescription("List what waits for an answer"),
  Command.withExamples([
    { command: "vigil permission list" },
    { command: "vigil permission list --json | jq -r .id", description: "their ids alone" }
  ])
)

const askTable = (asks: ReadonlyArray<Ask>, now: number, columns: number | undefined) =>
  fitted(
    [
      ["ID", "TOOL", "WANTS", "ASKED", "SESSION"],
      ...asks.map(({ id, tool, title, createdAt, sessionID }) => [
        id,
        tool,
        visible(oneLine(title, 80)),
        age(now - createdAt),
        sessionID
      ])
    ],
    { text: [2], columns }
  )

export const reply = Command.make(
  "reply",
  {
    id: Argument.String("ask").pipe(Argument.withDescription("The ask, like ask_4c1r9kq2vd7h0x")),
    answer: Argument.Literals("answer", ["once", "always", "reject"]).pipe(
      Argument.withDescription("once, always (kept for the session's directory), or reject")
    ),
    reason: Flag.String("reason").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("With reject: what the agent is told, and goes on with; without it its turn ends"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ id, answer, reason }) {
    if (Option.isSome(reason) && answer !== "reject") {
      return yield* new CliError.ShowHelp({
        commandPath: ["vigil", "permission", "reply"],
        errors: [new CliError.ValidationError({ message: "--reason belongs to reject" })]
      })
    }
    yield* inStateDirectory((stateDir) =>
      Effect.gen(function* () {
        const owner = yield* findOwner(stateDir)
        if (Option.isNone(owner)) return yield* failed("No vigil runs here, so nothing waits for an answer.")
        return yield* answerAsk(owner.value.client, {
          askID: id,
          reply: answer,
          ...(Option.isSome(reason) && { reason: reason.value })
        })
      })
    )
    yield* (yield* Screen).tell(told[answer])
  })
).pipe(
  Command.withDescription("Answers what an agent waits for."),
  Command.withShortDescription("Answer what an agent waits for"),
  Command.withExamples([
    { command: "vigil permission reply ask_4c1r9kq2vd7h0x once" },
    {
      command: "vigil permission reply ask_4c1r9kq2vd7h0x reject --reason 'Use the staging server'",
      description: "the agent goes on with that"
    }
  ])
)

const told = { once: "Allowed, this once.", always: "Allowed for good.", reject: "Rejected." }

interface Answering {
  readonly askID: string
  readonly reply: "once" | "always" | "reject"
  readonly reason?: string
}

const answerAsk = (client: Client, { askID, ...body }: Answering) => {
  const absent = failed(`There is no ask ${askID} that waits. \`vigil permission list\` shows those that do.`)
  return asked<unknown>((signal) => client.permission.reply({ path: { askID }, body, signal })).pipe(
    whenRefused("AskNotFound", () => absent),
    whenRefused("BadRequest", () => absent),
    whenRefused("AskAnswered", ({ facts }) =>
      failed(`${askID} was answered already: ${String(facts["answer"])}`)
    )
  )
}

const failed = (message: string) => Effect.fail(new Failed({ code: exitCodes.failed, message }))
