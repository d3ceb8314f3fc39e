/** Which models can be asked, and which settings hold. Of keys and passwords nothing is told. */
import { Auth } from "@vigil/core/auth"
import { Settings } from "@vigil/core/config"
import { maskedUrl, withoutSecrets } from "@vigil/core/config/masked"
import { listModels } from "@vigil/core/provider/catalogue"
import type { Endpoint, Environment } from "@vigil/core/provider/endpoint"
import { type KnownProvider, knownProviders } from "@vigil/core/provider/known"
import { Api } from "@vigil/protocol/api"
import type { ProviderInfo } from "@vigil/schema/model"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { dirname } from "node:path"

/** Providers that are asked for their models at once. */
const concurrency = 8

/** `env`: where keys and addresses may stand. */
export const modelHandlers = (env: Environment) =>
  HttpApiBuilder.group(
    Api,
    "model",
    Effect.fnUntraced(function* (handlers) {
      const settings = yield* Settings
      const auth = yield* Auth
      return handlers.handleAll({
        list: Effect.fnUntraced(function* ({ query: { directory, remote } }) {
          const effective = yield* settings.effective(directory ?? dirname(settings.userFile))
          const known = knownProviders(effective, env, yield* auth.keys)
          const providers = yield* Effect.forEach(
            known.providers,
            (provider) => (remote === "true" ? withModels(provider) : Effect.succeed(told(provider))),
            { concurrency }
          )
          return {
            ...(known.model !== undefined && { default: known.model }),
            ...(known.modelFrom !== undefined && { defaultFrom: known.modelFrom }),
            providers
          }
        })
      })
    })
  )

export const configHandlers = HttpApiBuilder.group(
  Api,
  "config",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    return handlers.handleAll({
      get: ({ query: { directory } }) =>
        Effect.map(settings.effective(directory ?? dirname(settings.userFile)), (effective) => ({
          ...effective,
          config: withoutSecrets(effective.config)
        }))
    })
  })
)

const withModels = (provider: KnownProvider) =>
  provider.endpoint
    ? Effect.match(listModels(provider.endpoint), {
        onFailure: ({ message }): ProviderInfo => ({ ...told(provider), failed: message }),
        onSuccess: (models): ProviderInfo => ({ ...told(provider), models })
      })
    : Effect.succeed(told(provider))

const told = ({ name, endpoint, missing, isDefault }: KnownProvider): ProviderInfo => ({
  provider: name,
  usable: endpoint !== undefined,
  default: isDefault,
  ...(endpoint && {
    format: endpoint.format,
    baseUrl: maskedUrl(endpoint.baseUrl),
    keyFrom: keyFrom(endpoint)
  }),
  ...(missing !== undefined && { missing })
})

const keyFrom = ({ keyFrom }: Endpoint) =>
  keyFrom === "vigil auth" ? "stored" : keyFrom.replace(/^environment /u, "")
