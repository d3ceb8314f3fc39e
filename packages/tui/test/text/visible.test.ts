import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { oneLine, printed, stripped, visible } from "../../src/text/visible.ts"
import { cellsOf, graphemes } from "../../src/text/width.ts"

/** Texts with much of what does something to a terminal. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\u001b[31m",
        "\u001b]0;title\u0007",
        "\u001b]8;;http://x\u001b\\",
        "\u001bP1$q\u001b\\",
        "\u009b2J",
        "\u001b",
        "\r",
        "\t",
        "\u202e",
        "\u200b",
        "\u0301",
        "\ud800"
      )
    )
  )
  .map((pieces) => pieces.join(""))

describe("what is shown never drives a terminal", () => {
  for (const [name, shown] of Object.entries({ visible, printed })) {
    test(`${name}: no control but newline is left`, () => {
      fc.assert(
        fc.property(nasty, (text) => {
          expect(
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(
              shown(text)
            )
          ).toBe(false)
          expect(shown(text).isWellFormed()).toBe(true)
        })
      )
    })

    test(`${name}: each grapheme takes a cell or two`, () => {
      fc.assert(
        fc.property(nasty, (text) => {
          for (const line of shown(text).split("\n")) {
            for (const grapheme of graphemes(line)) expect(cellsOf(grapheme)).toBeGreaterThan(0)
          }
        })
      )
    })

    test(`${name}: what was shown is shown as it is`, () => {
      fc.assert(fc.property(nasty, (text) => expect(shown(shown(text))).toBe(shown(text))))
    })
  }
})

describe("visible", () => {
  test("takes nothing away from what a person is asked to trust", () => {
    expect(visible("a\u001b[2Kb\rc\u007f")).toBe("a␛[2Kb␍c␡")
    expect(visible("\u009b1m")).toBe("\\x9b1m")
    expect(visible("x\u202etxt.exe")).toBe("x\\u{202e}txt.exe")
    expect(visible("a\u200bb")).toBe("a\\u{200b}b")
    expect(visible("rm\u3164x a\u034fb")).toBe("rm\\u{3164}x a\\u{34f}b")
  })

  test("leaves letters of all scripts, joined emoji and lines as they are", () => {
    for (const text of ["日本語\nمرحبا", "👩‍👩‍👧 ❤️", "é ก็"]) expect(visible(text)).toBe(text)
  })

  test("puts tabs where a terminal would", () => {
    expect(visible("a\tb\n12345678\tc")).toBe("a       b\n12345678        c")
  })
})

describe("printed", () => {
  test("has no colours, titles and links of a process, but its words", () => {
    expect(printed("\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\")).toBe(
      "red link"
    )
    expect(printed("\u001b]0;title\u0007\u001b(Bok\u001b7")).toBe("ok")
    expect(printed("\u001bP+q544e\u001b\\ok\u001b_x\u001b\\")).toBe("ok")
  })

  test("keeps what stands behind a sequence that never ends", () => {
    expect(stripped("\u001b]0;title and the rest")).toContain("title and the rest")
  })

  test("one line has no breaks", () => expect(oneLine(" a\n\t b\r\nc ")).toBe("a b c"))
})
