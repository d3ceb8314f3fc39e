/** `vigil monitor`: what is and was watched, what it printed, and its beginning and end. */
import { Command } from "effect/cli"
import { list } from "./monitor/list.ts"
import { output } from "./monitor/output.ts"
import { start } from "./monitor/start.ts"
import { stop } from "./monitor/stop.ts"

export const monitor = Command.make("monitor").pipe(
  Command.withDescription(
    "Lists monitors, prints what their commands printed, starts and stops them, also while an agent works."
  ),
  Command.withShortDescription("List, start, follow and stop monitors"),
  Command.withExamples([
    { command: "vigil monitor list" },
    { command: "vigil monitor start --new -- 'tail -F build.log | grep --line-buffered ERROR'" },
    { command: "vigil monitor output mon_4c1r9kq2vd7h0x --follow" }
  ]),
  Command.withSubcommands([list, output, start, stop])
)
