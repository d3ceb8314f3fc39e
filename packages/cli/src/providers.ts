/** Which providers can be asked in a directory, and what the others lack. */
import { Auth } from "@vigil/core/auth"
import { Settings } from "@vigil/core/config"
import { type Endpoint, endpointOf, providerNames, splitModel } from "@vigil/core/provider/endpoint"
import { Effect, Result } from "effect"

export interface KnownProvider {
  readonly name: string
  readonly endpoint?: Endpoint
  /** What to do about it, where it can't be asked. */
  readonly missing?: string
  readonly isDefault: boolean
}

export interface Providers {
  /** `provider/model`, if one is set. */
  readonly model?: string
  /** Who set it. */
  readonly modelFrom?: string
  readonly providers: ReadonlyArray<KnownProvider>
}

export const knownProviders = Effect.fn("knownProviders")(function* (directory: string) {
  const { config, origins } = yield* (yield* Settings).effective(directory)
  const stored = yield* (yield* Auth).keys
  const { model } = config
  const chosen = model === undefined ? undefined : splitModel(model)?.provider
  const names = providerNames(config.providers, stored, model === undefined ? [] : [model])
  const known: Providers = {
    ...(model !== undefined && { model }),
    ...(origins["model"] !== undefined && { modelFrom: origins["model"] }),
    providers: names.map((name): KnownProvider => {
      const found = endpointOf(`${name}/-`, config.providers, process.env, stored)
      return {
        name,
        isDefault: name === chosen,
        ...(Result.isSuccess(found) ? { endpoint: found.success } : { missing: found.failure.message })
      }
    })
  }
  return known
})

/** Where the key comes from, in few words. */
export const keyText = ({ keyFrom, provider }: Endpoint): string => {
  if (keyFrom === "config") return `providers.${provider}.apiKey`
  if (keyFrom === "none") return "none"
  return keyFrom.replace(/^environment /u, "")
}
