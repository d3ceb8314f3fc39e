import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { visible } from "../../src/text/visible.ts"
import { clip, clipRow, clipStart, highlighted, rowText, rowWidth, span, spread } from "../../src/text/row.ts"
import { widthOf } from "../../src/text/width.ts"
import { wrap, wrapSpans } from "../../src/text/wrap.ts"

const line = fc.string({ unit: "grapheme", maxLength: 80 }).map((text) => visible(text).replaceAll("\n", " "))
const width = fc.integer({ min: 2, max: 60 })
const dense = (text: string) => text.replace(/\s+/gu, "")

const texts = (line: string, width: number) => wrap(line, width).map(rowText)

describe("wrapped text", () => {
  test("no row is wider than there is room", () => {
    fc.assert(
      fc.property(line, width, (line, width) => {
        for (const row of wrap(line, width)) expect(rowWidth(row)).toBeLessThanOrEqual(width)
      })
    )
  })

  test("loses nothing but spaces", () => {
    fc.assert(
      fc.property(line, width, (line, width) => {
        expect(dense(texts(line, width).join(""))).toBe(dense(line))
      })
    )
  })

  test("what fits stays one row", () => {
    fc.assert(fc.property(line, (line) => expect(texts(line, Math.max(2, widthOf(line)))).toEqual([line])))
  })

  test("breaks between words, and inside one that is too long", () => {
    expect(texts("the quick brown fox", 10)).toEqual(["the quick", "brown fox"])
    expect(texts("abcdefghij klm", 4)).toEqual(["abcd", "efgh", "ij", "klm"])
    expect(texts("日本語テスト", 5)).toEqual(["日本", "語テ", "スト"])
    expect(texts("  indented text", 10)).toEqual(["  indented", "text"])
    expect(texts("", 10)).toEqual([""])
  })

  test("words in several tones break as one", () => {
    const rows = wrapSpans([span("see "), span("read", "code"), span("er.")], 8)
    expect(rows.map(rowText)).toEqual(["see", "reader."])
    expect(rows[1]).toEqual([span("read", "code"), span("er.")])
  })
})

describe("clipped text", () => {
  test("never takes more than its room", () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 0, max: 40 }), (line, width) => {
        expect(widthOf(clip(line, width))).toBeLessThanOrEqual(width)
        expect(widthOf(clipStart(line, width))).toBeLessThanOrEqual(width)
        expect(rowWidth(clipRow([span(line), span("tail", "quiet")], width))).toBeLessThanOrEqual(width)
      })
    )
  })

  test("says by a mark that there is more", () => {
    expect(clip("abcdef", 4)).toBe("abc…")
    expect(clip("日本語", 4)).toBe("日…")
    expect(clipStart("/home/ada/loom", 8)).toBe("…da/loom")
    expect(clip("abc", 3)).toBe("abc")
  })

  test("two sides fill exactly the width", () => {
    fc.assert(
      fc.property(line, width, (line, width) => {
        expect(rowWidth(spread([span(line)], [span("x")], width))).toBe(width)
        expect(rowWidth(highlighted([span(line)], width))).toBe(width)
      })
    )
  })
})
