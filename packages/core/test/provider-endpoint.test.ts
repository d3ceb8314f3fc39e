import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import {
  endpointOf,
  type Environment,
  type Providers,
  providerVariables,
  variablesRead
} from "../src/provider/endpoint.ts"
import { contextWindow, maxOutputTokens } from "../src/provider/family.ts"

const found = (model: string, providers: Providers, env: Environment = {}) =>
  Result.getOrThrow(endpointOf(model, providers, env))
const missing = (model: string, providers: Providers = {}, env: Environment = {}) =>
  Result.getOrThrow(Result.flip(endpointOf(model, providers, env)))

describe("the base URL", () => {
  const key = { apiKey: "k" }
  test("is the provider's own where nothing is set", () => {
    expect(found("anthropic/m", { anthropic: key }).baseUrl).toBe("https://api.anthropic.com/v1")
    expect(found("openai/m", { openai: key }).baseUrl).toBe("https://api.openai.com/v1")
    expect(found("google/m", { google: key }).baseUrl).toBe(
      "https://generativelanguage.googleapis.com/v1beta"
    )
  })

  test("stands with or without its version, and with or without a slash behind it", () => {
    for (const given of ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"]) {
      expect(found("anthropic/m", { anthropic: key }, { ANTHROPIC_BASE_URL: given }).baseUrl).toBe(
        "http://h:1/v1"
      )
      expect(found("openai/m", { openai: key }, { OPENAI_BASE_URL: given }).baseUrl).toBe("http://h:1/v1")
      expect(found("local/m", { local: { baseUrl: given } }).baseUrl).toBe("http://h:1/v1")
    }
    expect(found("anthropic/m", { anthropic: { ...key, baseUrl: "https://h/anthropic" } }).baseUrl).toBe(
      "https://h/anthropic/v1"
    )
    expect(found("local/m", { local: { baseUrl: "https://h/openai/api" } }).baseUrl).toBe(
      "https://h/openai/api"
    )
    expect(found("google/m", { google: { ...key, baseUrl: "https://h" } }).baseUrl).toBe("https://h/v1beta")
  })

  test("of the configuration wins over the environment's", () => {
    const env = { OPENAI_BASE_URL: "http://env/v1" }
    expect(found("openai/m", { openai: { ...key, baseUrl: "http://config/v1" } }, env).baseUrl).toBe(
      "http://config/v1"
    )
  })

  test("that is none is named", () => {
    const error = missing("local/m", { local: { baseUrl: "localhost:11434" } })
    expect(error.reason).toBe("base-url-invalid")
    expect(error.message).toContain("providers.local.baseUrl")
    expect(missing("openai/m", { openai: key }, { OPENAI_BASE_URL: "nowhere" }).message).toContain(
      "OPENAI_BASE_URL"
    )
  })

  test("is asked for where a provider has none of its own", () => {
    const error = missing("my-server/m")
    expect(error.reason).toBe("provider-unknown")
    expect(error.message).toContain("providers.my-server.baseUrl")
    expect(error.message).toContain("MY_SERVER_BASE_URL")
  })
})

describe("the key", () => {
  test("comes from the configuration, then from the variable it names, then from the customary ones", () => {
    const env = { OPENAI_API_KEY: "customary", MINE: "mine" }
    expect(found("openai/m", { openai: { apiKey: "own", apiKeyEnv: "MINE" } }, env)).toMatchObject({
      key: "own",
      keyFrom: "config"
    })
    expect(found("openai/m", { openai: { apiKeyEnv: "MINE" } }, env)).toMatchObject({
      key: "mine",
      keyFrom: "environment MINE"
    })
    expect(found("openai/m", {}, env)).toMatchObject({
      key: "customary",
      keyFrom: "environment OPENAI_API_KEY"
    })
  })

  test("that vigil auth keeps comes last, and only for its own provider", () => {
    const stored = { keys: { openai: "stored" } }
    const fromAll = (providers: Providers, env: Environment) =>
      Result.getOrThrow(endpointOf("openai/m", providers, env, stored))
    expect(fromAll({ openai: { apiKey: "own" } }, { OPENAI_API_KEY: "env" })).toMatchObject({ key: "own" })
    expect(fromAll({}, { OPENAI_API_KEY: "env" })).toMatchObject({ key: "env" })
    expect(fromAll({ openai: { apiKeyEnv: "UNSET" } }, {})).toMatchObject({
      key: "stored",
      keyFrom: "vigil auth"
    })
    const local = { local: { baseUrl: "http://h" } }
    expect(Result.getOrThrow(endpointOf("local/m", local, {}, stored)).keyFrom).toBe("none")
    expect(Result.isFailure(endpointOf("constructor/m", local, {}, stored))).toBe(true)
  })

  test("of Google may stand in any of its three variables", () => {
    for (const name of ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"]) {
      expect(found("google/m", {}, { [name]: "k" })).toMatchObject({
        key: "k",
        keyFrom: `environment ${name}`
      })
    }
  })

  test("that is missing or empty is named with every way to set it", () => {
    for (const env of [{}, { ANTHROPIC_API_KEY: "" }]) {
      const error = missing("anthropic/m", {}, env)
      expect(error.reason).toBe("key-missing")
      expect(error.message).toContain("ANTHROPIC_API_KEY")
      expect(error.message).toContain("providers.anthropic.apiKey in vigil.json")
      expect(error.message).toContain("vigil auth login anthropic")
    }
    expect(missing("google/m").message).toBe(
      'There is no key for "google". Set GEMINI_API_KEY (or GOOGLE_GENERATIVE_AI_API_KEY, GOOGLE_API_KEY), store ' +
        "one with vigil auth login google, or set providers.google.apiKey in vigil.json."
    )
    expect(missing("google/m", { google: { apiKeyEnv: "MINE" } }).message).toContain("Set MINE, store")
  })

  test("may be left out for a server of one's own, and another provider's is never used for it", () => {
    const env = { ANTHROPIC_API_KEY: "secret", OPENAI_API_KEY: "secret" }
    for (const format of ["anthropic", "openai", "openai-compatible"] as const) {
      const endpoint = found("local/m", { local: { baseUrl: "http://h", format } }, env)
      expect(endpoint).toMatchObject({ format, keyFrom: "none" })
      expect(endpoint).not.toHaveProperty("key")
    }
  })
})

test("a model is provider/model, and its name may hold slashes", () => {
  expect(found("router/meta/llama", { router: { baseUrl: "http://h" } })).toMatchObject({
    provider: "router",
    model: "meta/llama",
    format: "openai-compatible"
  })
  for (const model of ["", "claude", "/claude", "anthropic/"]) expect(missing(model).reason).toBe("malformed")
})

test("a provider that is named like a property of every object is none", () => {
  expect(missing("constructor/m").reason).toBe("provider-unknown")
})

test("what providers read can be kept from commands", () => {
  expect(providerVariables).toContain("ANTHROPIC_API_KEY")
  expect(providerVariables).toContain("GEMINI_API_KEY")
  expect(providerVariables).toContain("OPENAI_BASE_URL")
  expect(providerVariables).not.toContain("LOCAL_API_KEY")
  const more = variablesRead({ local: { apiKeyEnv: "MINE" } }, ["groq/llama"])
  expect(more).toEqual(expect.arrayContaining(["LOCAL_API_KEY", "MINE", "GROQ_API_KEY"]))
  expect(new Set(more).size).toBe(more.length)
})

test("a window is its family's, or a stated default", () => {
  expect(contextWindow("claude-sonnet-4-5")).toBe(200_000)
  expect(contextWindow("gemini-2.5-pro")).toBe(1_048_576)
  expect(contextWindow("gpt-4.1-mini")).toBe(1_047_576)
  expect(contextWindow("meta/what-is-this")).toBe(128_000)
})

test("a bound that the format requires leaves the prompt four fifths of the window", () => {
  expect(maxOutputTokens("other", "anthropic", 200_000)).toBe(16_384)
  expect(maxOutputTokens("other", "anthropic", 32_000)).toBe(6_400)
  expect(maxOutputTokens("other", "openai", 32_000)).toBeUndefined()
})
