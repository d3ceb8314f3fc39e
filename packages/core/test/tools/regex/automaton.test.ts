import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { automatonOf, newCursor } from "../../../src/tools/regex/automaton.ts"

/** Whether the line holds a match, found in portions of `budget`. */
const finds = (pattern: string, line: string, budget = 1_000_000): boolean => {
  const automaton = automatonOf(pattern)
  const cursor = newCursor(0)
  for (;;) {
    const outcome = automaton.advance(line, cursor, line.length, cursor.at + budget, budget)
    if (outcome !== "paused") return outcome === "found"
  }
}

const character = fc.constantFrom(
  "a",
  "b",
  "c",
  ".",
  "[ab]",
  "[^a]",
  String.raw`\w`,
  String.raw`\d`,
  "é",
  "😀",
  String.raw`\p{Lu}`
)
const edge = fc.constantFrom("^", "$", String.raw`\b`, String.raw`\B`)
const quantifier = fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "{0}")
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    character,
    edge,
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?i:", "(?<n>"), tie("pattern"))
      .map(([open, inner]) => `${open}${inner})`),
    fc.tuple(character, quantifier).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), quantifier).map(([inner, times]) => `(?:${inner})${times}`),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`)
  ),
  pattern: fc.array(tie("piece"), { maxLength: 3 }).map((pieces) => pieces.join(""))
}))
const line = fc.string({ unit: fc.constantFrom("a", "b", "c", "A", "É", "1", " ", "é", "😀"), maxLength: 12 })

const compiles = (source: string) => {
  try {
    return RegExp(source, "u") instanceof RegExp
  } catch {
    return false
  }
}

describe("Automaton", () => {
  test("agrees with the engine on what matches, in whatever portions it works", () => {
    fc.assert(
      fc.property(
        pattern.filter(compiles),
        fc.array(line, { maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        (pattern, lines, budget) => {
          for (const line of lines)
            expect(finds(pattern, line, budget)).toBe(new RegExp(pattern, "u").test(line))
        }
      ),
      { numRuns: 600 }
    )
  })

  test.each([
    ["class Tea\\b", "class Tea"],
    [String.raw`\.then\(`, ".then("],
    ["a+bcd?e", "bc"],
    ["(?i)tea", undefined],
    ["tea|coffee", undefined],
    [".[a]\\w", undefined]
  ])("%s requires %p", (pattern, required) => {
    expect(automatonOf(pattern).required).toBe(required)
  })

  test("what is required stands in every match", () => {
    fc.assert(
      fc.property(pattern.filter(compiles), line, (pattern, line) => {
        const { required } = automatonOf(pattern)
        if (required !== undefined && new RegExp(pattern, "u").test(line)) expect(line).toContain(required)
      }),
      { numRuns: 300 }
    )
  })

  test.each([
    [String.raw`\bfoo\b`, "a foo b", true],
    [String.raw`\bfoo\b`, "food", false],
    [String.raw`^\s*export (?:const|function) \w+`, "  export const tea = 1", true],
    [String.raw`a\.b\(\)\[0\]`, "a.b()[0]", true],
    [String.raw`\u0061\x62\u{63}`, "abc", true],
    ["[\\]x]{2}", "]x", true],
    ["[[]", "[", true],
    ["a{,2}", "a{,2}", true],
    ["{", "{", true],
    ["x{1", "x{1", true],
    [String.raw`\-\_`, "-_", true],
    ["(?i)TODO", "a todo", true],
    ["(?i:to)DO", "toDO", true],
    ["(?i:to)DO", "todo", false],
    ["", "", true],
    ["a||b", "z", true],
    ["(?<year>\\d{4})-", "2024-", true],
    ["k", "\u212a", false],
    ["(?i)k", "\u212a", true]
  ])("%s in %j: %p", (pattern, line, expected) => {
    expect(finds(pattern, line)).toBe(expected)
  })

  test.each(["(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", String.raw`(a)\1`, String.raw`(?<n>a)\k<n>`])(
    "%s is refused with a reason",
    (pattern) => {
      expect(() => automatonOf(pattern)).toThrow(/cannot be searched for in bounded time/u)
    }
  )

  test("what is no expression is refused in the engine's words", () => {
    expect(() => automatonOf("a(")).toThrow(/^Not a JavaScript regular expression: .*"literal": true/u)
    expect(() => automatonOf("((a{99}){99}){99}")).toThrow(/too large/u)
    expect(() => automatonOf("(?:){1000000000}")).toThrow(/too large/u)
    expect(() => automatonOf("a".repeat(1_001))).toThrow(/longer than 1000/u)
  })

  test.each([
    ["(a+)+b", "a"],
    ["(.*)(.*)(.*)(.*)(.*)b", "c"],
    [".*.*.*.*.*=", "c"],
    ["(?:a|a)*(?:a|aa)+$b", "a"]
  ])("%s takes as long as any other", (pattern, unit) => {
    const automaton = automatonOf(pattern)
    const line = unit.repeat(1_000_000)
    expect(automaton.advance(line, newCursor(0), line.length, line.length, 1_000_000)).toBe("absent")
    expect(automaton.work).toBeLessThan(1_000)
  })

  test("a pattern with more states than are kept still finds, a step at a time", () => {
    const automaton = automatonOf("(?:a|b)*a(?:a|b){14}c")
    let seed = 7
    const noise = Array.from({ length: 20_000 }, () =>
      (seed = (seed * 48_271) % 2_147_483_647) % 2 ? "a" : "b"
    ).join("")
    const line = `${noise}a${"b".repeat(14)}c`
    const cursor = newCursor(0)
    let pauses = 0
    let outcome = automaton.advance(line, cursor, line.length, line.length, 5_000)
    for (; outcome === "paused"; pauses++)
      outcome = automaton.advance(line, cursor, line.length, line.length, 5_000)
    expect(outcome).toBe("found")
    expect(cursor.at).toBe(line.length)
    expect(pauses).toBeGreaterThan(10)
  })
})
