import { expect, test } from "bun:test"
import type { ConfigInvalid } from "@vigil/schema/config"
import { Cause, Exit, Option } from "effect"
import fc from "fast-check"
import { closest, maxFileLength, parseFile } from "../../src/config/file.ts"

/** `line:column key: message`, a line each. */
const problems = (text: string) => {
  const parsed = parseFile("vigil.json", text)
  if (Exit.isSuccess(parsed)) return []
  const error = Option.getOrThrow<ConfigInvalid>(Cause.findErrorOption(parsed.cause))
  return error.problems.map(({ line, column, key, message }) => `${line}:${column} ${key}: ${message}`)
}

test("names every problem of a file with its place, key and what was expected", () => {
  const text = `{
  // limits
  "monitor": { "maxActve": 3, "batchMs": 9000, "rateEvents": "x", "timeoutMs": 1.5 },
  "permision": [],
  "providers": { "x": { "baseURL": "a", "format": "y" } },
  "permission": [{ "action": "shell", "patern": "x", "effect": "allw" }, 4],
  "shell": 4,
  "feed": { "keepEvents": 1 },
  "feed": {},
}`
  expect(problems(text).toSorted()).toEqual(
    [
      `3:16 monitor.maxActve: Unknown key, did you mean maxActive?`,
      `3:42 monitor.batchMs: Expected a whole number from 0 to 5000, got 9000`,
      `3:62 monitor.rateEvents: Expected a whole number from 1 to 10000, got "x"`,
      `3:80 monitor.timeoutMs: Expected a whole number from 1000 to 86400000, got 1.5`,
      `4:3 permision: Unknown key, did you mean permission?`,
      `5:25 providers.x.baseURL: Unknown key, did you mean baseUrl?`,
      `5:51 providers.x.format: Expected "anthropic" | "openai" | "google" | "openai-compatible", got "y"`,
      `6:18 permission.0.pattern: This key is required`,
      `6:39 permission.0.patern: Unknown key, did you mean pattern?`,
      `6:64 permission.0.effect: Expected allow, ask or deny`,
      `6:74 permission.1: Expected a rule: { action, pattern, effect }`,
      `7:12 shell: Expected object, got 4`,
      `9:3 feed: Set twice`
    ].toSorted()
  )
})

test("a provider's window and answers have bounds", () => {
  expect(problems(`{ "providers": { "x": { "contextWindow": 32000, "maxOutputTokens": 4000 } } }`)).toEqual(
    []
  )
  expect(problems(`{ "providers": { "x": { "contextWindow": 100, "maxOutputTokens": 0.5 } } }`)).toEqual([
    "1:42 providers.x.contextWindow: Expected a whole number from 4096 to 100000000, got 100",
    "1:66 providers.x.maxOutputTokens: Expected a whole number from 256 to 10000000, got 0.5"
  ])
})

test("lists what is known where nothing is near", () => {
  expect(problems(`{ "retry": { "zzzzzz": 1 } }`)).toEqual([
    "1:14 retry.zzzzzz: Unknown key; known are attempts, maxDelayMs"
  ])
})

test("says where a file is no JSON", () => {
  expect(problems(`{\n  "model": }`)).toEqual(["2:12 : Not JSON: value expected"])
  expect(problems("[]")).toEqual(["1:1 : Expected an object"])
})

test("an empty file, or one of comments, says nothing", () => {
  for (const text of ["", "// later", "\uFEFF{}", "{}"]) expect(problems(text)).toEqual([])
})

test("a key that would change objects is an unknown key", () => {
  expect(problems(`{ "__proto__": { "model": "a/b" } }`)).toEqual(["1:3 __proto__: Unknown key"])
  expect(problems(`{ "constructor": 1 }`)).toHaveLength(1)
})

test("a secret is not repeated", () => {
  expect(problems(`{ "providers": { "x": { "apiKey": 123456 } } }`).join("")).not.toContain("123456")
})

test("what is too long is refused", () => {
  expect(problems(`{}${" ".repeat(maxFileLength)}`)).toEqual([
    `1:1 : Longer than ${maxFileLength} characters`
  ])
})

test("any text is read or refused", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => Array.isArray(problems(text))))
})

test("a near miss is a slip, another word is not", () => {
  expect(closest("maxactive", ["maxActive", "timeoutMs"])).toBe("maxActive")
  expect(closest("colour", ["maxActive", "timeoutMs"])).toBeUndefined()
})
