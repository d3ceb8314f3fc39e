import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { patternFinder } from "../../src/tools/finder.ts"

const holds = (pattern: string, line: string) => patternFinder(pattern).holds(line)

describe("patternFinder", () => {
  test.each([
    [String.raw`\bfoo\b`, "a foo b", true],
    [String.raw`\bfoo\b`, "food", false],
    [String.raw`^\s*export (?:const|function) \w+`, "  export const tea = 1", true],
    ["^foo$", "foo", true],
    ["^foo$", "a foo", false],
    [String.raw`\d{3}\D\S\W`, "123-a ", true],
    [String.raw`^\w+$`, "caf\u00e9", false],
    [String.raw`a\.b\(\)\[0\]`, "a.b()[0]", true],
    [String.raw`\u0061\x62\u{63}\t`, "abc\t", true],
    [String.raw`\"\'\/\<\@\#\-\_\:`, `"'/<@#-_:`, true],
    [String.raw`^[\w\-\.\/]+$`, "a-b.c/d", true],
    ["[\\]x]{2}", "]x", true],
    ["[[]", "[", true],
    ["a{,2}", "a{,2}", true],
    ["{", "{", true],
    ["x{1", "x{1", true],
    ["TODO", "todo", false],
    ["(?i)TODO", "a todo", true],
    ["(?i:to)DO", "toDO", true],
    ["(?i:to)DO", "todo", false],
    ["(?i)\u00c9", "\u00e9", true],
    ["k", "\u212a", false],
    ["a||b", "z", true],
    ["(?<year>\\d{4})-", "2024-", true],
    ["^.$", "\u{1f600}", true],
    ["^[\u{1f600}\u00e9]$", "\u{1f600}", true],
    [String.raw`\p{Lu}`, "\u00c9", true],
    [String.raw`\p{Greek}`, "a", false]
  ])("%s in %j: %p", (pattern, line, expected) => {
    expect(holds(pattern, line)).toBe(expected)
  })

  test("tells where the match ends", () => {
    expect(patternFinder("tea").endIn("green tea, tea")).toBe(9)
    expect(patternFinder("t.a").endIn("green tea, tea")).toBe(9)
  })

  test.each(["(?=a)", "a(?!b)", "(?<=a)b", "(?<!a)b", String.raw`(a)\1`, String.raw`(?<n>a)\k<n>`])(
    "%s is refused with a reason",
    (pattern) => {
      expect(() => patternFinder(pattern)).toThrow(/cannot be searched for in bounded time/u)
    }
  )

  test.each(["a(", "a)", "[", "*a", "a**", "[z-a]", "\\", String.raw`\p{Nothing}`])(
    "%s is no regular expression",
    (pattern) => {
      expect(() => patternFinder(pattern)).toThrow(/^Not a regular expression: .*"literal": true/u)
    }
  )

  test.each(["((a{99}){99}){99}", "(?:){1000000000}", String.raw`(?:\w{1000})`.repeat(80)])(
    "%s is too large",
    (pattern) => {
      expect(() => patternFinder(pattern)).toThrow(/too large/u)
    }
  )

  test("a pattern may have 1,000 characters", () => {
    expect(() => patternFinder(`${"a".repeat(1_000)}+`)).toThrow(/longer than 1000/u)
  })

  test("takes more of a line at once the more it has come through with few states, and little where it has not", () => {
    const usual = patternFinder("(a+)+$")
    const first = usual.reach
    usual.holds(`${"a".repeat(first)}!`)
    expect(usual.reach).toBeGreaterThan(2 * first)
    const costly = patternFinder("(?:a|b)*a(?:a|b){30}[cd]")
    const least = costly.reach
    expect(least).toBeLessThan(first)
    let seed = 7
    const noise = Array.from({ length: least }, () =>
      (seed = (seed * 48_271) % 2_147_483_647) % 2 ? "a" : "b"
    ).join("")
    // A prefilter must not spare the work.
    costly.holds(`${noise}c${noise}d`)
    expect(costly.reach).toBe(least)
  })
})

describe("many lines at once", () => {
  const patterns = [
    "^a",
    "b$",
    "^$",
    "^ab?$",
    "a.b",
    "(?s)a.b",
    String.raw`\ba\b`,
    String.raw`\Bb`,
    "[^a]b",
    String.raw`a\s*$`,
    "(?i)^A",
    String.raw`\Aa`,
    String.raw`b\z`,
    "(?-m:^a$)",
    "(?i-m)^A",
    "(?m)^a$",
    "a|^b$|"
  ]
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\t", "é"), maxLength: 6 }), {
    maxLength: 6
  })

  test("what a line holds is never missed", () => {
    for (const pattern of patterns) {
      const finder = patternFinder(pattern)
      fc.assert(
        fc.property(texts, fc.constantFrom("\n", "\r\n"), (lines, end) => {
          if (lines.some(finder.holds)) expect(finder.mayHold(lines.join(end))).toBe(true)
        }),
        { numRuns: 200 }
      )
    }
  })

  test("where no line holds it, that is known without looking at each", () => {
    const text = "export const tea = 1\n// of leaves\n".repeat(50)
    for (const pattern of ["coffee", "^tea", "leaves.$", "(?i)COFFEE|milk"])
      expect(patternFinder(pattern).mayHold(text)).toBe(false)
    for (const pattern of ["tea", "^// of", "leaves$", "(?i)TEA"])
      expect(patternFinder(pattern).mayHold(text)).toBe(true)
  })

  test("what is long is left to who can pause", () => {
    expect(patternFinder("co(ff|l)ee").mayHold("tea\n".repeat(500_000))).toBe(true)
  })
})
