import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { endedBadly, endText } from "../../src/text/end.ts"
import { markdown } from "../../src/text/markdown.ts"
import { age, duration, size, took } from "../../src/text/quantity.ts"
import { rowText } from "../../src/text/row.ts"
import { toolAbout } from "../../src/text/tool.ts"
import { cellsOf, graphemes, widthOf } from "../../src/text/width.ts"

describe("width", () => {
  test("counts cells, not letters", () => {
    expect(["a", "日", "👩‍👩‍👧", "é", "❤️", "✓"].map(widthOf)).toEqual([1, 2, 2, 1, 2, 1])
  })

  test("of a text is that of its graphemes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(widthOf(text)).toBe(graphemes(text).reduce((sum, grapheme) => sum + cellsOf(grapheme), 0))
      })
    )
  })
})

describe("quantities", () => {
  test("durations are told in whole seconds, then in two units", () => {
    expect([900, 12_000, 200_000, 3_900_000, 93_600_000].map(duration)).toEqual([
      "0 s",
      "12 s",
      "3 m 20 s",
      "1 h 5 m",
      "1 d 2 h"
    ])
    expect([340, 4_200, 61_000].map(took)).toEqual(["340 ms", "4.2 s", "1 m 1 s"])
    expect([30_000, 300_000, 7_200_000, 200_000_000].map(age)).toEqual([
      "just now",
      "5 m ago",
      "2 h ago",
      "2 d ago"
    ])
    expect([812, 4_096, 1_258_291].map(size)).toEqual(["812 B", "4.0 KB", "1.2 MB"])
  })
})

describe("how something ended", () => {
  const ended = { status: "ended" } as const

  test("is told in words", () => {
    expect(endText({ ...ended, reason: "exited", exitCode: 2 })).toBe("exited with code 2")
    expect(endText({ ...ended, reason: "exited", signal: "SIGKILL" })).toBe("killed by SIGKILL")
    expect(endText({ ...ended, reason: "cancelled" })).toBe("stopped")
    expect(endText({ ...ended, reason: "of_a_later_server" as never })).toBe("ended (of a later server)")
    expect(endText(ended)).toBe("ended")
  })

  test("is bad where someone would want to look", () => {
    expect(endedBadly({ ...ended, reason: "exited", exitCode: 0 })).toBe(false)
    expect(endedBadly({ ...ended, reason: "exited", exitCode: 1 })).toBe(true)
    expect(endedBadly({ ...ended, reason: "error" })).toBe(true)
    expect(endedBadly({ ...ended, reason: "expired" })).toBe(false)
  })
})

describe("a tool call", () => {
  test("is told by its command, file or pattern", () => {
    expect(toolAbout("shell", '{"command":"ls\\n-la"}')).toBe("ls -la")
    expect(toolAbout("monitor", '{"command":"x","description":"CI"}')).toBe("CI: x")
    expect(toolAbout("own", '{"n":1}')).toBe('{"n":1}')
    expect(toolAbout("shell", '{"comm')).toBe('{"comm')
  })
})

describe("prose", () => {
  test("has emphasis, code, headings, lists and fences", () => {
    const { rows } = markdown("# Why\nIt is **so** and `x`.\n- one\n```\n**raw**\n```", 40)
    expect(rows.map(rowText)).toEqual(["Why", "It is so and x.", "• one", "**raw**"])
    expect(rows[0]?.[0]?.tone).toBe("title")
    expect(rows[1]?.map(({ tone }) => tone)).toEqual([undefined, "strong", undefined, "code", undefined])
    expect(rows[3]?.[0]?.tone).toBe("code")
  })

  test("that grows is laid out as if it had come at once", () => {
    const piece = fc.constantFrom("word ", "**b**", "`c`", "\n", "```\n", "- item ", "# h", "日本", "*")
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 4, max: 30 }), (pieces, width) => {
        let grown: ReturnType<typeof markdown> | undefined
        let text = ""
        for (const piece of pieces) {
          text += piece
          grown = markdown(text, width, grown?.upTo)
        }
        expect(grown?.rows ?? []).toEqual(pieces.length === 0 ? [] : markdown(text, width).rows)
      })
    )
  })

  test("that only grows keeps the rows it had", () => {
    const first = markdown("one\ntwo\nthr", 40)
    const second = markdown("one\ntwo\nthree\n", 40, first.upTo)
    expect(second.rows[0]).toBe(first.rows[0])
  })
})
