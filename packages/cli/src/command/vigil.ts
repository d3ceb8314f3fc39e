/** The command line as a whole. */
import { Command } from "effect/cli"
import { StateDirFlag } from "../state-directory.ts"
import { auth } from "./auth.ts"
import { completions } from "./completions.ts"
import { config } from "./config.ts"
import { doctor } from "./doctor.ts"
import { models } from "./models.ts"
import { monitor } from "./monitor.ts"
import { permission } from "./permission.ts"
import { run } from "./run.ts"
import { serve } from "./serve.ts"
import { session } from "./session.ts"
import { trust } from "./trust.ts"

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
    { command: "vigil monitor list", description: "what is and was watched" },
    { command: "vigil doctor", description: "whether all is set up, and how to mend what is not" }
  ]),
  Command.withSubcommands([
    run,
    session,
    monitor,
    serve,
    trust,
    permission,
    auth,
    models,
    config,
    doctor,
    completions
  ]),
  Command.withGlobalFlags([StateDirFlag])
)
