/** The `vigil` executable: arguments in, an exit code out, and nothing of it left running. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import { vigil } from "./command/vigil.ts"
import { firstLine } from "./contained.ts"
import { Failed } from "./failed.ts"
import { Screen } from "./screen.ts"
import { exitCodes, watchSignals } from "./signals.ts"
import { helpText, usageErrorText } from "./view/help.ts"

const signals = watchSignals()

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

const program = Effect.gen(function* () {
  const screen = yield* Screen
  const exit = yield* Effect.exit(
    Command.runWith(vigil, { version: packageJson.version })(process.argv.slice(2)).pipe(
      Effect.mapError(told)
    )
  )
  yield* screen.status(undefined)
  if (Exit.isSuccess(exit)) return exitCodes.done
  if (Cause.hasInterruptsOnly(exit.cause)) return exitCodes.interrupted
  const failure = Cause.squash(exit.cause)
  const { code, message } =
    failure instanceof Failed
      ? failure
      : new Failed({ code: exitCodes.failed, message: `Something broke: ${firstLine(failure)}` })
  if (message) yield* screen.tell(`vigil: ${message}`)
  return code
})

const layer = Layer.mergeAll(
  NodeServices.layer,
  signals.layer,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  presenter
).pipe(Layer.provideMerge(Screen.layer))

const fiber = Effect.runFork(
  Effect.gen(function* () {
    const work = yield* Effect.forkChild(program)
    signals.onStop(() => work.interruptUnsafe())
    const exit = yield* Fiber.await(work)
    yield* (yield* Screen).flush
    return Exit.isSuccess(exit) ? exit.value : exitCodes.interrupted
  }).pipe(Effect.provide(layer))
)
const code = await Effect.runPromise(Fiber.join(fiber))
process.exit(signals.code() ?? code)
