/** Whether a run could ask its model at all. */
import { Settings } from "@vigil/core/config"
import { endpointOf, splitModel } from "@vigil/core/provider/endpoint"
import { noModel } from "@vigil/core/provider/step"
import type { ModelList } from "@vigil/schema/model"
import type { Client } from "@vigil/sdk/client"
import { Effect, Result } from "effect"
import { asked } from "../asked.ts"
import { withSettings } from "../configured.ts"
import { Failed } from "../failed.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import { visible } from "../view/visible.ts"

/**
 * Fails with what is wrong in the settings, or missing for the model, which else is the settings' own. Makes no
 * request to a provider.
 */
export const checkUsable = Effect.fn("checkUsable")(function* (
  client: Client,
  directory: string,
  model: string | undefined
) {
  yield* tellUntrusted(directory)
  const { default: byDefault, providers } = yield* asked<ModelList>((signal) =>
    client.model.list({ query: { directory }, signal })
  )
  const chosen = model ?? byDefault
  if (chosen === undefined) return yield* failed(noModel)
  // Keys are those that the owner has.
  const provider = providers.find((known) => known.provider === splitModel(chosen)?.provider)
  if (provider?.missing !== undefined) return yield* failed(provider.missing)
  if (provider !== undefined) return
  // Of one that is set nowhere nothing is known but the environment.
  const found = endpointOf(chosen, {}, process.env)
  if (Result.isFailure(found)) return yield* failed(found.failure.message)
})

const failed = (message: string) => new Failed({ code: exitCodes.failed, message })

/** Who wonders why a project's settings do nothing need not search. */
const tellUntrusted = Effect.fnUntraced(function* (directory: string) {
  const project = yield* withSettings(() =>
    Settings.use((settings) => Effect.orElseSucceed(settings.project(directory), () => undefined))
  )
  if (!project || project.trusted || project.loosens.length === 0) return
  const what = project.loosens.length === 1 ? "1 setting counts" : `${project.loosens.length} settings count`
  yield* (yield* Screen).tell(
    `vigil: of ${visible(project.file)} ${what} only once you trust it: vigil trust`
  )
})
