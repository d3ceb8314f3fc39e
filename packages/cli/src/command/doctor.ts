/** `vigil doctor`: what is wrong here, and how to mend it. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { dirFlag, existingDirectory } from "../configured.ts"
import { inStateDirectory } from "../contained.ts"
import type { Check, CheckStatus } from "../doctor/check.ts"
import { Failed } from "../failed.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import type { Paint } from "../view/paint.ts"
import { count } from "../view/quantity.ts"
import { visible } from "../view/visible.ts"

export const doctor = Command.make(
  "doctor",
  {
    online: Flag.Boolean("online").pipe(
      Flag.withDescription("Asks providers, too, whether they answer and take the key"),
      Flag.withDefault(false)
    ),
    dir: dirFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ online, dir, json }) {
    const screen = yield* Screen
    const directory = yield* existingDirectory(dir)
    const checks = yield* inStateDirectory((stateDir) =>
      Effect.promise(() => import("../doctor/examine.ts")).pipe(
        Effect.flatMap(({ examine }) => examine({ stateDir, directory, online }))
      )
    )
    const bad = checks.filter(({ status }) => status === "wrong").length
    const doubtful = checks.filter(({ status }) => status === "warning").length
    if (json) yield* screen.print(JSON.stringify({ healthy: bad === 0, checks }))
    else {
      for (const line of checks.flatMap((check) => lines(check, screen.stdout.paint)))
        yield* screen.print(line)
      yield* screen.tell(summary(bad, doubtful))
    }
    if (bad > 0) return yield* new Failed({ code: exitCodes.failed })
  })
).pipe(
  Command.withDescription(
    "Looks whether everything that vigil needs is there, a line each, with what mends it. Exit code 1 if something is wrong. No provider is asked without --online."
  ),
  Command.withShortDescription("Look what is wrong, and how to mend it"),
  Command.withExamples([
    { command: "vigil doctor" },
    { command: "vigil doctor --online", description: "whether providers answer, too" },
    { command: `vigil doctor --json | jq -c '.checks[] | select(.status != "ok")'` }
  ])
)

const summary = (bad: number, doubtful: number) =>
  bad === 0 && doubtful === 0
    ? "All is well."
    : `${bad === 0 ? "Nothing" : count(bad, "thing")} wrong, ${count(doubtful, "warning")}.`

const lines = ({ name, status, text, mend }: Check, paint: Paint): ReadonlyArray<string> => {
  const colour = { ok: paint.green, warning: paint.yellow, wrong: paint.red }[status]
  const word: Record<CheckStatus, string> = { ok: "ok     ", warning: "warning", wrong: "wrong  " }
  const [first = "", ...rest] = text.split("\n").map(visible)
  const indent = " ".repeat(9 + width + 1)
  return [
    `${colour(word[status])}  ${visible(name).padEnd(width)} ${first}`,
    ...rest.map((line) => indent + line),
    ...(mend ? [`${indent}${paint.bold("→")} ${visible(mend)}`] : [])
  ]
}

const width = 10
