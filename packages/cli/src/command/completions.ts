/** `vigil completions`: what a shell reads to complete commands and flags. */
import { Context, Effect } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { Screen } from "../screen.ts"

/** The command line that is completed, which this command is itself a part of. */
export class CommandTree extends Context.Service<CommandTree, Command.Command.Any>()("cli/CommandTree") {}

export const completions = Command.make(
  "completions",
  {
    shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(
      Argument.withDescription("bash, zsh or fish")
    )
  },
  Effect.fnUntraced(function* ({ shell }) {
    const descriptor = Completions.fromCommand(yield* CommandTree)
    yield* (yield* Screen).print(Completions.generate("vigil", shell, descriptor))
  })
).pipe(
  Command.withDescription("Prints a script that lets a shell complete vigil's commands and flags."),
  Command.withShortDescription("Print what a shell completes by"),
  Command.withExamples([
    { command: 'eval "$(vigil completions bash)"', description: "in ~/.bashrc" },
    { command: "vigil completions zsh > ~/.zfunc/_vigil", description: "a folder of $fpath" },
    { command: "vigil completions fish > ~/.config/fish/completions/vigil.fish" }
  ])
)
