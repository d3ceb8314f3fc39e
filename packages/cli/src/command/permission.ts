/** `vigil permission`: what waits for an answer, and what was answered for good. */
import { Command } from "effect/cli"
import { list, reply } from "./permission/asks.ts"
import { forget, saved } from "./permission/saved.ts"

export const permission = Command.make("permission").pipe(
  Command.withDescription(
    'What agents want to do and may not do unasked: answers it. What is answered with "always" is kept for its directory.'
  ),
  Command.withShortDescription("Answer what agents ask, and take it back"),
  Command.withExamples([
    { command: "vigil permission list" },
    { command: "vigil permission reply ask_4c1r9kq2vd7h0x once" },
    { command: "vigil permission saved" },
    { command: "vigil permission forget 'git push *'" }
  ]),
  Command.withSubcommands([list, reply, saved, forget])
)
