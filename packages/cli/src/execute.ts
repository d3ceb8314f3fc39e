/** Arguments in, an exit code out; everything that goes wrong is told in a sentence. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { cleanText } from "@vigil/core/monitor/lines"
import { Cause, Effect, Exit, Layer } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import { CommandTree } from "./command/completions.ts"
import { vigil } from "./command/vigil.ts"
import { Failed } from "./failed.ts"
import { Screen } from "./screen.ts"
import { exitCodes } from "./signals.ts"
import { firstLine } from "./view/fault.ts"
import { helpText, usageErrorText } from "./view/help.ts"

export const execute = Effect.fn("execute")(function* (args: ReadonlyArray<string>) {
  const screen = yield* Screen
  const exit = yield* Command.runWith(vigil, { version: packageJson.version })(args).pipe(
    Effect.mapError(told),
    Effect.provide(layer),
    Effect.exit
  )
  yield* screen.status(undefined)
  if (Exit.isSuccess(exit)) return exitCodes.done
  if (Cause.hasInterruptsOnly(exit.cause)) return exitCodes.interrupted
  const failure = Cause.squash(exit.cause)
  const { code, message } =
    failure instanceof Failed
      ? failure
      : new Failed({ code: exitCodes.failed, message: `Something broke: ${firstLine(failure)}` })
  if (message) yield* screen.tell(`vigil: ${cleanText(message)}`)
  return code
})

/** What went wrong in a sentence, and the exit code it stands for. */
const told = (error: unknown): Failed => {
  if (error instanceof Failed) return error
  if (CliError.isCliError(error)) {
    const code = error._tag === "ShowHelp" && error.errors.length === 0 ? exitCodes.done : exitCodes.usage
    return new Failed({ code })
  }
  return new Failed({
    code: exitCodes.failed,
    message: error instanceof Error ? error.message : String(error)
  })
}

const presenter = Layer.unwrap(
  Effect.map(Screen, (screen) =>
    CliOutput.layerPresenter({
      present: (event) => {
        switch (event._tag) {
          case "Help":
            return screen.print(helpText(event.helpDoc, screen.stdout.paint))
          case "InvalidInvocation":
            return screen.tell(usageErrorText(event.commandPath, event.errors))
          case "Version":
            return screen.print(event.version)
        }
      }
    })
  )
)

const layer = Layer.mergeAll(
  NodeServices.layer,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  presenter,
  Layer.succeed(CommandTree, vigil)
)
