/** Where a model is asked, and with which key: from the configuration, the environment, or `vigil auth`. Pure. */
import type { Config, ProviderConfig } from "@vigil/schema/config"
import { Result } from "effect"
import { ModelUnusable } from "./step.ts"

export type Providers = Config["providers"]
export type Environment = Readonly<Record<string, string | undefined>>
export type WireFormat = NonNullable<ProviderConfig["format"]>

export interface Endpoint {
  readonly provider: string
  /** Without the provider. */
  readonly model: string
  readonly format: WireFormat
  readonly baseUrl: string
  readonly key?: string
  /** `environment NAME` names the variable. */
  readonly keyFrom: "config" | `environment ${string}` | "vigil auth" | "none"
  /** In tokens, where it is configured. */
  readonly contextWindow?: number
  /** In tokens, where it is configured. */
  readonly maxOutputTokens?: number
}

/** What `vigil auth` keeps. */
export interface StoredKeys {
  /** By provider. */
  readonly keys: Readonly<Record<string, string>>
  /** Why there are none, and what mends that. */
  readonly unusable?: string
}

interface Customs {
  readonly format: WireFormat
  readonly baseUrl?: string
  /** In order of precedence. */
  readonly keys: ReadonlyArray<string>
  /** The one of `keys` that its users know best, where that is not the first. */
  readonly knownKey?: string
  readonly baseUrls: ReadonlyArray<string>
}

const customary: Readonly<Record<string, Customs & { readonly baseUrl: string }>> = {
  anthropic: {
    format: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY"],
    baseUrls: ["ANTHROPIC_BASE_URL"]
  },
  openai: {
    format: "openai",
    baseUrl: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    baseUrls: ["OPENAI_BASE_URL"]
  },
  google: {
    format: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    knownKey: "GEMINI_API_KEY",
    baseUrls: ["GOOGLE_GENERATIVE_AI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"]
  }
}

const customsOf = (provider: string): Customs => {
  if (Object.hasOwn(customary, provider)) return customary[provider]!
  const name = provider.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, "_")
  return { format: "openai-compatible", keys: [`${name}_API_KEY`], baseUrls: [`${name}_BASE_URL`] }
}

/** The parts of `provider/model`; a model's name may hold slashes itself. */
export const splitModel = (
  model: string
): { readonly provider: string; readonly name: string } | undefined => {
  const at = model.indexOf("/")
  const [provider, name] = [model.slice(0, at), model.slice(at + 1)]
  return at < 1 || name === "" ? undefined : { provider, name }
}

const variablesOf = ({ keys, baseUrls }: Customs) => [...keys, ...baseUrls]

/** Who may be asked: the customary providers, those configured or with a stored key, and those of the models given. */
export const providerNames = (
  providers: Providers,
  { keys }: StoredKeys,
  models: ReadonlyArray<string> = []
): ReadonlyArray<string> => [
  ...new Set([
    ...Object.keys(customary),
    ...Object.keys(providers),
    ...Object.keys(keys),
    ...models.flatMap((model) => splitModel(model)?.provider ?? [])
  ])
]

/** The variables of the customary providers: commands don't see them. */
export const providerVariables: ReadonlyArray<string> = Object.values(customary).flatMap(variablesOf)

/** All that providers read: the customary variables, and those of the providers configured and of the models given. */
export const variablesRead = (
  providers: Providers,
  models: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const names = [...Object.keys(providers), ...models.flatMap((model) => splitModel(model)?.provider ?? [])]
  const chosen = Object.values(providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])
  return [...new Set([...providerVariables, ...names.map(customsOf).flatMap(variablesOf), ...chosen])]
}

/**
 * Configured values win over the environment's, and an empty variable counts as none. A key that is stored comes
 * last: what one start of Vigil is given holds for that start.
 */
export const endpointOf = (
  model: string,
  providers: Providers,
  env: Environment,
  stored: StoredKeys = { keys: {} }
): Result.Result<Endpoint, ModelUnusable> => {
  const unusable = (reason: ModelUnusable["reason"], message: string) =>
    Result.fail(new ModelUnusable({ model, reason, message }))
  const split = splitModel(model)
  if (split === undefined) {
    return unusable(
      "malformed",
      `"${model}" is no model. Write provider/model, such as anthropic/claude-sonnet-4-5.`
    )
  }
  const { provider, name } = split
  const config: ProviderConfig = Object.hasOwn(providers, provider) ? providers[provider]! : {}
  const customs = customsOf(provider)
  const setting = `providers.${provider}`

  const format = config.format ?? customs.format
  const given = config.baseUrl ?? firstOf(customs.baseUrls, env)?.value ?? customs.baseUrl
  if (given === undefined) {
    return unusable(
      "provider-unknown",
      `The provider "${provider}" has no base URL. Set ${setting}.baseUrl in vigil.json, such as ` +
        `http://localhost:11434/v1, or set ${customs.baseUrls[0]}.`
    )
  }
  const baseUrl = normalBaseUrl(given, format)
  if (baseUrl === undefined) {
    const where =
      config.baseUrl === undefined ? firstOf(customs.baseUrls, env)?.name : `${setting}.baseUrl in vigil.json`
    return unusable(
      "base-url-invalid",
      `The base URL of "${provider}" is no http or https URL. Correct ${where}.`
    )
  }

  const fromEnv = firstOf(config.apiKeyEnv === undefined ? customs.keys : [config.apiKeyEnv], env)
  const { contextWindow, maxOutputTokens } = config
  const endpoint = {
    provider,
    model: name,
    format,
    baseUrl,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens })
  }
  if (config.apiKey) return Result.succeed({ ...endpoint, key: config.apiKey, keyFrom: "config" })
  if (fromEnv)
    return Result.succeed({ ...endpoint, key: fromEnv.value, keyFrom: `environment ${fromEnv.name}` })
  if (Object.hasOwn(stored.keys, provider))
    return Result.succeed({ ...endpoint, key: stored.keys[provider]!, keyFrom: "vigil auth" })
  if (config.apiKeyEnv !== undefined || customs.baseUrl !== undefined) {
    return unusable(
      "key-missing",
      `There is no key for "${provider}". Set ${config.apiKeyEnv ?? keyVariables(customs)}, store one with ` +
        `vigil auth login ${provider}, or set ${setting}.apiKey in vigil.json.` +
        (stored.unusable === undefined ? "" : ` ${stored.unusable}`)
    )
  }
  return Result.succeed({ ...endpoint, keyFrom: "none" })
}

const keyVariables = ({ keys, knownKey = keys[0]! }: Customs) => {
  const others = keys.filter((name) => name !== knownKey)
  return others.length === 0 ? knownKey : `${knownKey} (or ${others.join(", ")})`
}

/** What a person reads of where the key comes from. */
export const keySource = ({ provider, keyFrom }: Endpoint): string => {
  if (keyFrom === "config") return `providers.${provider}.apiKey in vigil.json`
  if (keyFrom === "vigil auth") return `what vigil auth login ${provider} stored`
  return keyFrom === "none"
    ? `providers.${provider}.apiKey in vigil.json, which is not set`
    : keyFrom.slice(12)
}

const firstOf = (names: ReadonlyArray<string>, env: Environment) => {
  const name = names.find((name) => Boolean(env[name]))
  return name === undefined ? undefined : { name, value: env[name]! }
}

/** ANTHROPIC_BASE_URL customarily stands without its version, OPENAI_BASE_URL with it: both are taken for both. */
const normalBaseUrl = (given: string, format: WireFormat): string | undefined => {
  const url = URL.parse(given)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined
  const bare = given.replace(/\/+$/u, "")
  const path = url.pathname.replace(/\/+$/u, "")
  const versioned = /\/v\d+\w*$/u.test(path)
  if (format === "anthropic") return versioned ? bare : `${bare}/v1`
  if (format === "google") return versioned ? bare : `${bare}/v1beta`
  return path === "" ? `${bare}/v1` : bare
}
