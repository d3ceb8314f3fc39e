/** The command line without a process: what it printed and told, and its exit code. */
import { Effect, Layer } from "effect"
import { execute } from "../../src/execute.ts"
import { Screen } from "../../src/screen.ts"
import { Signals } from "../../src/signals.ts"
import { plain } from "../../src/view/paint.ts"
import type { Ended } from "./cli.ts"

export const executed = (...args: ReadonlyArray<string>): Promise<Ended> => run(args, undefined)

/** The same at a terminal so many columns wide, without colours. */
export const executedAt = (columns: number, ...args: ReadonlyArray<string>): Promise<Ended> =>
  run(args, columns)

const run = (args: ReadonlyArray<string>, columns: number | undefined): Promise<Ended> => {
  let stdout = ""
  let stderr = ""
  const side = { isTerminal: columns !== undefined, columns, paint: plain }
  const screen = Screen.of({
    stdout: side,
    stderr: side,
    print: (text) => Effect.sync(() => void (stdout += `${text}\n`)),
    printRaw: (text) => Effect.sync(() => void (stdout += text)),
    tell: (text) => Effect.sync(() => void (stderr += `${text}\n`)),
    status: () => Effect.void,
    flush: Effect.void
  })
  const signals = Signals.of({ claim: Effect.succeed(Effect.never), serves: () => Effect.void })
  return execute(args).pipe(
    Effect.map((code) => ({ code, stdout, stderr })),
    Effect.provide(Layer.mergeAll(Layer.succeed(Screen, screen), Layer.succeed(Signals, signals))),
    Effect.runPromise
  )
}
