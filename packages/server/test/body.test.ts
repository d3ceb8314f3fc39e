import { BadRequest } from "@vigil/schema/refusal"
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { maxBodyBytes, readBody } from "../src/body.ts"
import { duplicateKey } from "../src/duplicate-key.ts"

const json = { "content-type": "application/json" }
const sent = (body: BodyInit, headers: Record<string, string> = json) =>
  readBody(new Request("http://localhost/", { method: "POST", body, headers }))
const refused = async (body: BodyInit, headers?: Record<string, string>) => {
  const found = await sent(body, headers)
  return found instanceof BadRequest ? [found.field, found.expected] : found
}
const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)

describe("a body", () => {
  test("is its text, as it was sent", async () => {
    expect(await sent('{ "a": "ü€😀" }')).toBe('{ "a": "ü€😀" }')
    expect(await sent("{}", { "content-type": 'Application/JSON; charset="UTF-8"' })).toBe("{}")
    expect(await readBody(new Request("http://localhost/", { method: "POST" }))).toBe("")
  })

  test("that is not said to be JSON is refused", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1"
    ]) {
      expect(await refused("{}", { "content-type": type })).toEqual([
        "header.content-type",
        "application/json"
      ])
    }
    expect(await refused(new Blob(["{}"]), {})).toEqual(["header.content-type", "application/json"])
  })

  test("that is no JSON, or no UTF-8, is told apart", async () => {
    for (const text of ["{", "'a'", "{a: 1}", "[1,]", "nothing", '{"a": 1} {}', "[".repeat(1_000_000)]) {
      expect([text.slice(0, 9), await refused(text)]).toEqual([text.slice(0, 9), ["body", "JSON"]])
    }
    for (const broken of [bytes(0x22, 0xff, 0x22), bytes(0x22, 0xc0, 0xaf, 0x22), bytes(0x22, 0xe2, 0x82)]) {
      expect(await refused(broken)).toEqual(["body", "text in UTF-8"])
    }
    expect(await refused('{"a": "\\ud83d"}')).toEqual(["body", "whole Unicode characters"])
    expect(await refused('{"\\uDE00": 1}')).toEqual(["body", "whole Unicode characters"])
    expect(await sent('["\\ud83d\\ude00"]')).toBe('["\\ud83d\\ude00"]')
  })

  test("in which a key stands twice is refused, at any depth and however it is written", async () => {
    const expected = ["body", "JSON in which each key of an object stands once"]
    for (const text of ['{"a":1,"a":1}', '[{"b":{"a":1,"c":[{}],"\\u0061":2}}]', '{"":1,"b":2,"":3}']) {
      expect([text, await refused(text)]).toEqual([text, expected])
    }
  })

  test("past the limit is refused, whether or not it says how large it is", async () => {
    const large = new Uint8Array(maxBodyBytes + 1).fill(0x20)
    const chunked = new ReadableStream({ start: (c) => (c.enqueue(large), c.close()) })
    expect(await sent(large)).toMatchObject({ _tag: "BodyTooLarge", maxBytes: maxBodyBytes })
    expect(await sent(chunked)).toMatchObject({ _tag: "BodyTooLarge", maxBytes: maxBodyBytes })
    const declared = new Request("http://localhost/", {
      method: "POST",
      headers: { ...json, "content-length": String(maxBodyBytes + 1) }
    })
    expect(await readBody(declared)).toMatchObject({ _tag: "BodyTooLarge" })
    const whole = `"${"x".repeat(maxBodyBytes - 2)}"`
    expect(await sent(whole)).toBe(whole)
  })
})

describe("a key that stands twice", () => {
  test("is not found in what was made of objects", () => {
    fc.assert(fc.property(fc.json(), (text) => !duplicateKey(text)))
  })

  test("is found wherever it is added", () => {
    const twice = fc.string().map((key) => `{${JSON.stringify(key)}:[],"x y":{},${JSON.stringify(key)}:1}`)
    const nested = fc.array(fc.constantFrom(["[", "]"], ['{"a":', "}"], ['["}",', "]"]))
    fc.assert(
      fc.property(twice, nested, (text, around) =>
        duplicateKey(around.reduce((inner, [open, close]) => `${open}${inner}${close}`, text))
      )
    )
  })
})
