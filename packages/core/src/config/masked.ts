/** Settings without what nobody should read over a shoulder. Pure. */
import type { Config, ProviderConfig } from "@vigil/schema/config"
import { maskedKey } from "../auth.ts"

export const withoutSecrets = (config: Config): Config => ({
  ...config,
  providers: Object.fromEntries(
    Object.entries(config.providers).map(([name, provider]) => [name, maskedProvider(provider)])
  )
})

export const maskedProvider = (provider: ProviderConfig): ProviderConfig => ({
  ...provider,
  ...(provider.apiKey !== undefined && { apiKey: maskedKey(provider.apiKey) }),
  ...(provider.baseUrl !== undefined && { baseUrl: maskedUrl(provider.baseUrl) })
})

/** Without user, password and query, any of which may be a key. What is no URL is treated alike. */
export const maskedUrl = (url: string): string =>
  url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/iu, "$1…@").replace(/[?#].*$/su, "?…")
