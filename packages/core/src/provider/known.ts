/** Which providers can be asked where some settings hold, and what the others lack. Pure. */
import { Result } from "effect"
import type { Effective } from "../config/merge.ts"
import {
  type Endpoint,
  endpointOf,
  type Environment,
  providerNames,
  splitModel,
  type StoredKeys
} from "./endpoint.ts"

export interface KnownProvider {
  readonly name: string
  readonly endpoint?: Endpoint
  /** What to do about it, where it can't be asked. */
  readonly missing?: string
  readonly isDefault: boolean
}

export interface Known {
  /** `provider/model`, if one is set. */
  readonly model?: string
  /** Who set it. */
  readonly modelFrom?: string
  readonly providers: ReadonlyArray<KnownProvider>
}

export const knownProviders = (
  { config, origins }: Pick<Effective, "config" | "origins">,
  env: Environment,
  stored: StoredKeys
): Known => {
  const { model } = config
  const chosen = model === undefined ? undefined : splitModel(model)?.provider
  const names = providerNames(config.providers, stored, model === undefined ? [] : [model])
  return {
    ...(model !== undefined && { model }),
    ...(origins["model"] !== undefined && { modelFrom: origins["model"] }),
    providers: names.map((name): KnownProvider => {
      const found = endpointOf(`${name}/-`, config.providers, env, stored)
      return {
        name,
        isDefault: name === chosen,
        ...(Result.isSuccess(found) ? { endpoint: found.success } : { missing: found.failure.message })
      }
    })
  }
}
