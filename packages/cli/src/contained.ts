/** Commands work in a state directory, and what breaks in them is told in one line. */
import { Cause, Effect } from "effect"
import { Failed } from "./failed.ts"
import { logFileLayer, logPath } from "./log-file.ts"
import { exitCodes } from "./signals.ts"
import { stateDirectory } from "./state-directory.ts"
import { firstLine } from "./view/fault.ts"

/** Gives the state directory, and a log in it that has the whole of every fault. */
export const inStateDirectory = <A, E, R>(use: (stateDir: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(stateDirectory, (stateDir) =>
    use(stateDir).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          // Without a text of its own it is not told on stderr, where the failure tells it.
          Effect.logError(Cause.die(defect)),
          Effect.fail(
            new Failed({
              code: exitCodes.failed,
              message: `Something broke: ${firstLine(defect)} (more in ${logPath(stateDir)})`
            })
          )
        )
      ),
      Effect.provide(logFileLayer(stateDir))
    )
  )
