/** Where a prompt comes from: the argument, or stdin where that is `-` or a pipe and no argument is given. */
import { Effect } from "effect"
import { CliError } from "effect/cli"

const path = ["vigil", "run"]

/** A pipe that never ends is not read for ever. */
const maxPromptBytes = 8 * 1024 * 1024

/** In UTF-16 units, as a prompt may have; more than any model reads. */
const maxPromptLength = 1_048_576
const tooLong = "The prompt is longer than 1,048,576 characters"

export const readPrompt = Effect.fnUntraced(function* (argument: string | undefined) {
  const fromStdin = argument === "-" || (argument === undefined && !process.stdin.isTTY)
  const text = fromStdin ? yield* stdinText : argument
  if (text?.trim()) {
    if (text.length <= maxPromptLength) return text
    return yield* refused(new CliError.ValidationError({ message: tooLong }))
  }
  return yield* refused(
    argument === undefined && !text
      ? new CliError.MissingArgument({ argument: "prompt" })
      : new CliError.ValidationError({ message: "The prompt is empty" })
  )
})

const refused = (error: CliError.MissingArgument | CliError.ValidationError) =>
  new CliError.ShowHelp({ commandPath: path, errors: [error] })

/** Reading is left to itself where it is interrupted: a pipe may stay silent for ever. */
const stdinText = Effect.tryPromise({
  try: async () => {
    const parts: Array<Uint8Array> = []
    let bytes = 0
    for await (const part of Bun.stdin.stream()) {
      bytes += part.length
      if (bytes > maxPromptBytes) throw new Error("it is longer than 8 MiB")
      parts.push(part)
    }
    return Buffer.concat(parts).toString("utf8")
  },
  catch: (error) =>
    refused(
      new CliError.ValidationError({
        message: `The prompt can't be read from stdin: ${error instanceof Error ? error.message : String(error)}`
      })
    )
})

/** What a session is listed under: the prompt's first line. */
export const titleOf = (prompt: string): string => {
  const [line = ""] = prompt.trim().split("\n")
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line
}
