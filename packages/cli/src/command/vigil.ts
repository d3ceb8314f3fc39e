/** The command line as a whole. */
import { Command } from "effect/cli"
import { StateDirFlag } from "../state-directory.ts"
import { monitor } from "./monitor.ts"
import { run } from "./run.ts"
import { session } from "./session.ts"

export const vigil = Command.make("vigil").pipe(
  Command.withDescription(
    "An agent that watches the world instead of polling it. It starts a monitor on a command, ends its turn, and is woken by what the command prints."
  ),
  Command.withExamples([
    { command: 'vigil run "Which tests are slow?"' },
    {
      command: `vigil run "Watch CI run 42, tell me what breaks" --allow 'gh run *' --wait --timeout 1h`,
      description: "is woken by what happens, and stays until the run is over"
    },
    { command: "vigil session list", description: "what was said, to look at or go on with" },
    { command: "vigil monitor list", description: "what is and was watched" }
  ]),
  Command.withSubcommands([run, session, monitor]),
  Command.withGlobalFlags([StateDirFlag])
)
