/** Where a prompt comes from: the argument, or stdin where that is `-` or a pipe and no argument is given. */
import { Effect } from "effect"
import { CliError } from "effect/cli"

const path = ["vigil", "run"]

export const readPrompt = Effect.fnUntraced(function* (argument: string | undefined) {
  const fromStdin = argument === "-" || (argument === undefined && !process.stdin.isTTY)
  const text = fromStdin ? yield* Effect.promise(() => Bun.stdin.text()) : argument
  if (text?.trim()) return text
  return yield* new CliError.ShowHelp({
    commandPath: path,
    errors: [
      argument === undefined && !text
        ? new CliError.MissingArgument({ argument: "prompt" })
        : new CliError.ValidationError({ message: "The prompt is empty" })
    ]
  })
})

/** What a session is listed under: the prompt's first line. */
export const titleOf = (prompt: string): string => {
  const [line = ""] = prompt.trim().split("\n")
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line
}
