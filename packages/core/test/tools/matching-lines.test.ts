import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Finder } from "../../src/tools/finder.ts"
import { type MatchingLine, matchingLines, pause } from "../../src/tools/matching-lines.ts"

/** Looks for `word`, at most `reach` characters at once. */
const finderOf = (word: string, reach: number): Finder => ({
  mayHold: () => true,
  reach,
  holds: (line) => {
    expect(line.length).toBeLessThanOrEqual(reach)
    return line.includes(word)
  },
  endIn: (line) => line.indexOf(word) + word.length
})

const search = (text: string, finder: Finder) => {
  const pace = { characters: 0 }
  const found: Array<MatchingLine> = []
  let pauses = 0
  for (const outcome of matchingLines(text, finder, pace)) {
    if (outcome === pause) {
      pauses += 1
      pace.characters = 0
    } else found.push(outcome)
  }
  return { found, pauses }
}

const line = fc.string({ unit: fc.constantFrom("a", "b", "\r", "é"), maxLength: 60 })

describe("matchingLines", () => {
  test("finds in every line what lies anywhere in it, also across the ends of pieces", () => {
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), (lines, ending) => {
        const text = lines.map((line) => line + ending).join("")
        const expected = text
          .split("\n")
          .map((line, index) => ({ line: index + 1, text: line.replace(/\r$/u, "") }))
          .filter(({ text }) => text.includes("ab"))
        const { found } = search(text, finderOf("ab", 8))
        expect(found.map(({ line, text }) => ({ line, text }))).toEqual(expected)
        for (const { text, end } of found) expect(text.slice(end - 2, end)).toBe("ab")
      })
    )
  })

  test("pauses when it has looked through as much as the finder takes at once, whatever the lines are", () => {
    expect(search("c".repeat(1_000), finderOf("ab", 100)).pauses).toBeGreaterThanOrEqual(10)
    expect(search("c\n".repeat(1_000), finderOf("ab", 100)).pauses).toBeGreaterThanOrEqual(10)
    expect(search("\n".repeat(1_000), finderOf("ab", 100)).pauses).toBeGreaterThanOrEqual(9)
    expect(search("c\n".repeat(40), finderOf("ab", 100)).pauses).toBe(0)
  })
})
