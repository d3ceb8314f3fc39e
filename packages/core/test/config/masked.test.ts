import { defaults } from "@vigil/schema/config"
import { expect, test } from "bun:test"
import { maskedUrl, withoutSecrets } from "../../src/config/masked.ts"

test("a URL is shown without user, password and query", () => {
  const masked = [
    ["https://api.test/v1", "https://api.test/v1"],
    ["https://user:pass@api.test/v1", "https://…@api.test/v1"],
    ["https://key@api.test:8443", "https://…@api.test:8443"],
    ["https://user:p@ss@api.test/a@b", "https://…@api.test/a@b"],
    ["https://api.test/v1?key=secret", "https://api.test/v1?…"],
    ["https://api.test/v1#secret", "https://api.test/v1?…"],
    ["no URL", "no URL"]
  ]
  for (const [url, shown] of masked) expect(maskedUrl(url!)).toBe(shown!)
})

test("settings are shown without keys, and are otherwise what they are", () => {
  const apiKey = "a-key-that-is-long-enough-1234"
  const config = { ...defaults, model: "one/m", providers: { one: { apiKey, apiKeyEnv: "ONE" }, two: {} } }
  expect(withoutSecrets(config)).toEqual({
    ...config,
    providers: { one: { apiKey: "…1234", apiKeyEnv: "ONE" }, two: {} }
  })
})
