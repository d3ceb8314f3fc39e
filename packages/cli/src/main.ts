/** The `vigil` executable: signals and streams at its edge, and nothing of it left running. */
import { Effect, Exit, Fiber, Layer } from "effect"
import { Console } from "node:console"
import { execute } from "./execute.ts"
import { Screen } from "./screen.ts"
import { exitCodes, watchSignals } from "./signals.ts"

// Results go through the screen. What a plugin logs in this process must not get among them.
Object.assign(console, new Console(process.stderr))

const signals = watchSignals()

const code = await Effect.runPromise(
  Effect.gen(function* () {
    const work = yield* Effect.forkChild(execute(process.argv.slice(2)))
    signals.onStop(() => work.interruptUnsafe())
    const exit = yield* Fiber.await(work)
    yield* (yield* Screen).flush
    return Exit.isSuccess(exit) ? exit.value : exitCodes.interrupted
  }).pipe(Effect.provide(Layer.merge(Screen.layer, signals.layer)))
)
process.exit(signals.code() ?? code)
