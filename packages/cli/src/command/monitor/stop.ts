/** `vigil monitor stop` */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { asked, OwnerGone, whenRefused } from "../../asked.ts"
import { inStateDirectory } from "../../contained.ts"
import { type Task, taskAbsent } from "../../look.ts"
import { looking } from "../../look/looking.ts"
import { isShell } from "../../look/owner.ts"
import { findOwner } from "../../owner.ts"
import { Screen } from "../../screen.ts"
import { taskEndText } from "../../view/monitor.ts"

export const stop = Command.make(
  "stop",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("The monitor, like mon_4c1r9kq2vd7h0x, or a background command's sh_…")
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Prints how it ended as JSON"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ id, json }) {
    const screen = yield* Screen
    const task = yield* looking((look) => look.task(id))
    const ended = task.status === "ended" && !("survivors" in task) ? task : yield* stopTask(task)
    if (json) return yield* screen.print(JSON.stringify(ended))
    yield* screen.tell(taskEndText(ended, screen.stderr.paint))
  })
).pipe(
  Command.withDescription(
    "Stops a monitor, or a background command, and says how it ended; of one that has ended already it says so. Its session is told, but not woken."
  ),
  Command.withShortDescription("Stop a monitor"),
  Command.withExamples([
    { command: "vigil monitor stop mon_4c1r9kq2vd7h0x" },
    {
      command: `vigil monitor stop mon_4c1r9kq2vd7h0x --json | jq .ledger`,
      description: "what became of every line it read"
    }
  ])
)

/** Whoever is first, the answer is the same. What ran ended with its owner, where that is gone meanwhile. */
const stopTask = Effect.fn("stopTask")(function* ({ id, sessionID }: Task) {
  const stopped = inStateDirectory((stateDir) =>
    Effect.gen(function* () {
      const owner = yield* findOwner(stateDir)
      if (Option.isNone(owner)) return yield* OwnerGone.here()
      const { client } = owner.value
      const absent = () => Effect.fail(taskAbsent(id))
      return yield* (
        isShell(id)
          ? asked<Task>((signal) => client.shell.stop({ path: { sessionID, shellID: id }, signal }))
          : asked<Task>((signal) => client.monitor.stop({ path: { sessionID, monitorID: id }, signal }))
      ).pipe(whenRefused("MonitorNotFound", absent), whenRefused("ShellNotFound", absent))
    })
  )
  return yield* Effect.catchTag(stopped, "OwnerGone", () => looking((look) => look.task(id)))
})
