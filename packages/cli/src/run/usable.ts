/** Whether a run could ask its model at all. */
import { Settings } from "@vigil/core/config"
import { Provider } from "@vigil/core/provider"
import { noModel } from "@vigil/core/provider/step"
import { Effect } from "effect"
import { Failed } from "../failed.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import { visible } from "../view/visible.ts"

/**
 * Fails with what is wrong in the settings, or missing for the model, which else is the settings' own. Makes no
 * request.
 */
export const checkUsable = Effect.fn("checkUsable")(function* (directory: string, model: string | undefined) {
  yield* tellUntrusted(directory)
  const chosen = model ?? (yield* (yield* Settings).for(directory)).model
  if (chosen === undefined) {
    return yield* new Failed({ code: exitCodes.failed, message: noModel })
  }
  yield* (yield* Provider).describe(chosen, directory)
})

/** Who wonders why a project's settings do nothing need not search. */
const tellUntrusted = Effect.fnUntraced(function* (directory: string) {
  const project = yield* Effect.orElseSucceed((yield* Settings).project(directory), () => undefined)
  if (!project || project.trusted || project.loosens.length === 0) return
  const what = project.loosens.length === 1 ? "1 setting counts" : `${project.loosens.length} settings count`
  yield* (yield* Screen).tell(
    `vigil: of ${visible(project.file)} ${what} only once you trust it: vigil trust`
  )
})
