/** Help that begins with examples, and errors of one line. Pure. */
import { Option } from "effect"
import type { CliError, HelpDoc } from "effect/cli"
import type { Paint } from "./paint.ts"
import { table, wrapped } from "./table.ts"

export const helpText = (doc: HelpDoc.HelpDoc, paint: Paint): string => {
  const section = (title: string, lines: ReadonlyArray<string>) =>
    lines.length === 0
      ? []
      : ["", paint.bold(title), ...lines.map((line) => (line === "" ? "" : `  ${line}`))]
  const examples = (doc.examples ?? []).map(({ command, description }) => [
    ...(description === undefined ? [] : [paint.dim(`# ${description}`)]),
    paint.cyan(command)
  ])
  const flags = (all: ReadonlyArray<HelpDoc.FlagDoc>) =>
    table(
      all.map(({ name, aliases, type, description }) => [
        [...aliases, `--${name}`].join(", ") + (type === "boolean" ? "" : ` ${type}`),
        Option.getOrElse(description, () => "")
      ])
    )
  return [
    ...wrapped(doc.description, 88),
    ...section("Examples", examples.flat()),
    ...section("Usage", [doc.usage]),
    ...section(
      "Commands",
      table(
        (doc.subcommands ?? [])
          .flatMap(({ commands }) => commands)
          .map(({ name, shortDescription, description }) => [name, shortDescription ?? description])
      )
    ),
    ...section(
      "Arguments",
      table((doc.args ?? []).map((arg) => [arg.name, Option.getOrElse(arg.description, () => "")]))
    ),
    ...section("Flags", flags(doc.flags)),
    ...section("Everywhere", flags(doc.globalFlags ?? []))
  ].join("\n")
}

/** What was wrong, what may have been meant, and where to read on. */
export const usageErrorText = (
  commandPath: ReadonlyArray<string>,
  errors: ReadonlyArray<CliError.NonShowHelpErrors>
): string =>
  [
    ...new Set(errors.map((error) => `vigil: ${sentence(error)}`)),
    `Help: ${commandPath.join(" ")} --help`
  ].join("\n")

const sentence = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `unknown flag ${error.option}${meant(error.suggestions)}`
    case "UnknownSubcommand":
      return `unknown command "${error.subcommand}"${meant(error.suggestions)}`
    case "MissingArgument":
      return `missing argument: ${error.argument}`
    case "UnexpectedArgument":
      return `more than was expected: ${error.arguments.map((text) => JSON.stringify(text)).join(" ")} (put quotes around a prompt)`
    case "InvalidValue": {
      const name = error.kind === "flag" ? `--${error.option}` : error.option
      return error.value === ""
        ? `${name} needs a value`
        : `${name} ${JSON.stringify(error.value)} is not ${error.expected.replace(/^Expected:? /u, "")}`
    }
    default:
      return error.message.split("\n")[0] ?? ""
  }
}

const meant = (suggestions: ReadonlyArray<string>) =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`
