import { expect, test } from "bun:test"
import { fill } from "../../src/prompt/fill.ts"

test("fills in each value wherever its name stands, and drops white space at the end", () => {
  expect(fill("{{a}} and {{b}}, {{a}}\n", { a: "one", b: "two" })).toBe("one and two, one")
  expect(fill("as it stands\n")).toBe("as it stands")
})

test("a value is put in as it is: neither its dollar signs nor its braces mean anything", () => {
  expect(fill("[{{a}}]", { a: "$& {{b}} $1" })).toBe("[$& {{b}} $1]")
})

test("a name without a value is a fault, also one that only an object's nature knows", () => {
  expect(() => fill("{{shell}}")).toThrow("Nothing is given for {{shell}}")
  expect(() => fill("{{ shell }}", { shell: "sh" })).toThrow("Nothing is given for {{ shell }}")
  expect(() => fill("{{constructor}}")).toThrow("Nothing is given for {{constructor}}")
})

test("a value without a place is a fault", () => {
  expect(() => fill("{{a}}", { a: "", b: "", c: "" })).toThrow("There is no place for b, c")
})
