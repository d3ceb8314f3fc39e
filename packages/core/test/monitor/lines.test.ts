import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { cleanText, lineReader } from "../../src/monitor/lines.ts"

const KiB = 1024
const bytesOf = (text: string) => new TextEncoder().encode(text)

const readAll = (chunks: ReadonlyArray<Uint8Array>, maxLineBytes = 16 * KiB) => {
  const reader = lineReader({ maxLineBytes })
  // What a pipe hands out is overwritten by its next read.
  const lines = chunks.flatMap((chunk) => {
    const lent = chunk.slice()
    const read = reader.read(lent)
    lent.fill(0x58)
    return read
  })
  return [...lines, ...reader.flush()]
}
const texts = (...chunks: ReadonlyArray<string | Uint8Array>) =>
  readAll(chunks.map((chunk) => (typeof chunk === "string" ? bytesOf(chunk) : chunk))).map(({ text }) => text)
const bytewise = (text: string) => Array.from(bytesOf(text), (byte) => Uint8Array.of(byte))

describe("characters", () => {
  test("a character split over reads survives", () => {
    expect(texts(...bytewise("grün 日本 👩‍👩‍👧\n"))).toEqual(["grün 日本 👩‍👩‍👧"])
  })

  test("above 64 KiB of multibyte text, cut anywhere, no character is lost", () => {
    const line = "äöü€日本語👍".repeat(300)
    const text = `${line}\n`.repeat(20)
    const bytes = bytesOf(text)
    for (const size of [7, 1000, 65_536]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size)
      )
      expect(readAll(chunks).map(({ text }) => text)).toEqual(Array.from({ length: 20 }, () => line))
    }
  })

  test("invalid bytes become U+FFFD and end nothing", () => {
    expect(texts(Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82, 0x0a), "next\n")).toEqual([
      "a\ufffdb",
      "\ufffd",
      "next"
    ])
  })

  test("a character that never ends is replaced at the end of output", () => {
    expect(texts("last ", Uint8Array.of(0xf0, 0x9f))).toEqual(["last \ufffd"])
  })

  test("controls and bidi controls are gone, tabs stay", () => {
    expect(texts("a\0b\u0007c\td\u007f\u0085e\u202ef\u2066g\u200eh\u2028i\n")).toEqual(["abc\tdefghi"])
  })
})

describe("lines", () => {
  test("CR LF ends a line, also when it is split over reads", () => {
    expect(texts("one\r\ntwo\r", "\nthree\r\r\n")).toEqual(["one", "two", "three"])
  })

  test("behind a bare CR only what follows the last one counts", () => {
    expect(texts("10%\r50%\r100%\n")).toEqual(["100%"])
    expect(texts("10%\r", "50%\r", "\u001b[Kdone\n")).toEqual(["done"])
    expect(texts("10%\r50%\r")).toEqual(["50%"])
    expect(texts("50%\r\u001b[K\n")).toEqual([])
  })

  test("lines of only white space are none", () => {
    expect(texts("\n \n\t\t\r\n\u00a0\n\u001b[0m\nx\n")).toEqual(["x"])
  })

  test("what has no final newline comes with the flush", () => {
    expect(texts("one\ntw", "o")).toEqual(["one", "two"])
  })

  test("offsets count raw bytes, from where the reading began", () => {
    const reader = lineReader({ maxLineBytes: KiB, offset: 100 })
    const lines = reader.read(bytesOf("ä\u001b[1mb\r\n\n\nc\nrest"))
    expect(lines.map(({ text, bytes, end }) => ({ text, bytes, end }))).toEqual([
      { text: "äb", bytes: 3, end: 109 },
      { text: "c", bytes: 1, end: 113 }
    ])
    expect([reader.offset, reader.unfinished]).toEqual([117, 113])
    expect(reader.flush().map(({ end }) => end)).toEqual([117])
    expect(reader.unfinished).toBe(117)
  })
})

describe("escape sequences", () => {
  const removed = {
    colours: "\u001b[1;31m",
    "a hidden cursor": "\u001b[?25l",
    "a title ended by BEL": "\u001b]0;title\u0007",
    "a link ended by ST": "\u001b]8;;https://example.org\u001b\\",
    "a device control string": "\u001bP1$r0m\u001b\\",
    "an application command": "\u001b_G a=T;AAAA\u001b\\",
    "a privacy message": "\u001b^secret\u001b\\",
    "a start of string": "\u001bXtext\u001b\\",
    "a character set": "\u001b(B",
    "a saved cursor": "\u001b7",
    "a one-character CSI": "\u009b31m",
    "a one-character OSC": "\u009d0;title\u009c",
    "a one-character DCS": "\u0090q\u009c",
    "a CSI with intermediates": "\u001b[0 q",
    "a CSI that was given up": "\u001b[31\u0018",
    "a CSI with a control inside": "\u001b[3\u00001m"
  }
  for (const [name, sequence] of Object.entries(removed))
    test(`${name} is removed whole, also when split over reads`, () => {
      expect(texts(`a${sequence}b\n`)).toEqual(["ab"])
      expect(texts(...bytewise(`a${sequence}b\n`))).toEqual(["ab"])
    })

  test("one that nobody closes ends with its line", () => {
    expect(texts("a\u001b]0;title\nb\u001bPdata\nc\u001b[3\nd\u001b\ne\n")).toEqual(["a", "b", "c", "d", "e"])
  })

  test("one inside another does not put together a third", () => {
    expect(texts("a\u001b\u001b[31m[32mb\n")).toEqual(["a[32mb"])
    expect(texts("a\u001b]0;t\u001b[31mb\u0007c\n")).toEqual(["abc"])
  })

  test("a character outside the basic plane, where no sequence can go on, is whole", () => {
    const [line] = readAll([bytesOf("a\u001b[3👍b\n")])
    expect(line).toMatchObject({ text: "a👍b", bytes: 6 })
  })
})

describe("long lines", () => {
  test("one over the cap is clipped, marker included, and says how much was cut", () => {
    const [line, next] = readAll([bytesOf(`${"x".repeat(20_000)}\nnext\n`)])
    expect(line!.bytes).toBeWithin(16 * KiB - 1, 16 * KiB + 1)
    expect(line!.text).toEndWith(`x [… ${line!.clippedBytes} bytes cut]`)
    expect(line!.text.match(/^x+/)![0].length + line!.clippedBytes).toBe(20_000)
    expect(next!.text).toBe("next")
  })

  test("one of just the cap is not", () => {
    expect(readAll([bytesOf("x".repeat(16 * KiB))])).toMatchObject([{ bytes: 16 * KiB, clippedBytes: 0 }])
  })

  test("the cut falls between characters", () => {
    for (const character of ["é", "€", "👍"]) {
      const [line] = readAll([bytesOf(`x${character.repeat(500)}\n`)], 200)
      expect(line!.text).toMatch(new RegExp(`^x(${character})+ \\[… \\d+ bytes cut\\]$`, "u"))
      expect(line!.bytes).toBeLessThanOrEqual(200)
      expect(line!.bytes).toBe(Buffer.byteLength(line!.text))
    }
  })

  test("what a CR overwrote is not counted as cut", () => {
    expect(readAll([bytesOf("x".repeat(50_000)), bytesOf("\rshort\n")])).toMatchObject([
      { text: "short", clippedBytes: 0 }
    ])
  })

  for (const [name, open, fill] of [
    ["a line", "", "x"],
    ["an escape sequence", "\u001b]0;", "x"],
    ["carriage returns", "", "x\r"],
    ["controls", "", "x\0"],
    ["colours", "", "x\u001b[1m"]
  ] as const)
    test(`${name} without end costs no more than the cap`, () => {
      const reader = lineReader({ maxLineBytes: 16 * KiB })
      const chunk = bytesOf(fill.repeat(32 * KiB))
      reader.read(bytesOf(open))
      reader.read(chunk)
      Bun.gc(true)
      const before = process.memoryUsage()
      for (let i = 0; i < 100; i++) expect(reader.read(chunk)).toEqual([])
      Bun.gc(true)
      const after = process.memoryUsage()
      expect(after.heapUsed - before.heapUsed).toBeLessThan(2 * KiB * KiB)
      const [line] = reader.read(bytesOf("\nnext\n"))
      expect(line!.bytes).toBeLessThanOrEqual(16 * KiB)
    })
})

describe("properties", () => {
  /** Pieces that matter, more often than chance would bring them together. */
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 8 }).map(bytesOf) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 6 }) },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(
          ..."\n,\n,\r,\r\n, ,a,ß,日,👍,\u001b,\u001b[,\u001b[31m,\u001b]0;,\u001bP,\u001b(,\u001b\\,\u0007,\u009b,\u009d,\u009c,\u0018,\0,\u202e,\u2028,\ufeff,[,],1;2,m,\\".split(
            ","
          )
        )
        .map(bytesOf)
    },
    { weight: 1, arbitrary: fc.nat(150).map((n) => bytesOf("y".repeat(n))) }
  )
  const input = fc.array(piece, { maxLength: 40 }).map((pieces) => new Uint8Array(Buffer.concat(pieces)))
  const chunked = (bytes: Uint8Array, cuts: ReadonlyArray<number>) => {
    const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
    return at.slice(1).map((end, i) => bytes.subarray(at[i], end))
  }

  const forbidden = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
  const inner = String.raw`\x00-\x0c\x0e-\x17\x19\x1c-\x1f\x7f`
  const escape = String.raw`\x1b[${inner}]*`
  const sequence = new RegExp(
    [
      String.raw`(?:${escape}\]|\x9d)[^\x07\x9c\x1b\x18\x1a]*(?:[\x07\x9c\x18\x1a]|\x1b\\|(?=\x1b)|$)`,
      String.raw`(?:${escape}[PX^_]|[\x90\x98\x9e\x9f])[^\x9c\x1b\x18\x1a]*(?:[\x9c\x18\x1a]|\x1b\\|(?=\x1b)|$)`,
      String.raw`(?:${escape}\[|\x9b)[${inner} -?]*[@-~\x18\x1a]?`,
      String.raw`${escape}[ -\/][${inner} -\/]*[0-~\x18\x1a]?`,
      String.raw`${escape}[0-~\x18\x1a]?`
    ].join("|"),
    "g"
  )
  /** The rules, written down once more over whole lines. */
  const simply = (text: string) =>
    text
      .replace(sequence, "\0")
      .replace(/\r+$/, "")
      .replace(/^.*\r/s, "")
      .replace(new RegExp(forbidden, "g"), "")
  const reference = (bytes: Uint8Array) => {
    const lines: Array<{ text: string; end: number }> = []
    for (let from = 0; from < bytes.length;) {
      const stop = bytes.indexOf(0x0a, from)
      const end = stop === -1 ? bytes.length : stop + 1
      const raw = bytes.subarray(from, stop === -1 ? end : stop)
      const text = simply(new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw))
      if (/\S/.test(text)) lines.push({ text, end })
      from = end
    }
    return lines
  }

  test("any reads of any bytes give the lines that the rules give", () => {
    fc.assert(
      fc.property(input, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
        expect(readAll(chunked(bytes, cuts), 1e6).map(({ text, end }) => ({ text, end }))).toEqual(
          reference(bytes)
        )
      }),
      { numRuns: 3000 }
    )
  })

  test("however the bytes are cut into reads, lines, clips and offsets are the same", () => {
    fc.assert(
      fc.property(input, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
        expect(readAll(chunked(bytes, cuts), 40)).toEqual(readAll([bytes], 40))
      }),
      { numRuns: 2000 }
    )
  })

  test("a line holds nothing forbidden, keeps the cap, and its bytes are those of its text", () => {
    fc.assert(
      fc.property(input, (bytes) => {
        for (const line of readAll([bytes], 40)) {
          expect(line.text).not.toMatch(forbidden)
          expect(line.text).toMatch(/\S/)
          expect(line.bytes).toBe(Buffer.byteLength(line.text))
          expect(line.bytes).toBeLessThanOrEqual(40)
          expect(line.text.isWellFormed()).toBe(true)
          expect(line.clippedBytes > 0).toBe(/ \[… \d+ bytes cut\]$/.test(line.text))
        }
      })
    )
  })

  test("reading again from where the unfinished line begins gives the rest", () => {
    fc.assert(
      fc.property(input, fc.nat(), (bytes, cut) => {
        const at = cut % (bytes.length + 1)
        const first = lineReader({ maxLineBytes: 40 })
        const before = first.read(bytes.subarray(0, at))
        const again = lineReader({ maxLineBytes: 40, offset: first.unfinished })
        const after = [...again.read(bytes.subarray(first.unfinished)), ...again.flush()]
        expect([...before, ...after]).toEqual(readAll([bytes], 40))
      })
    )
  })

  test("text is cleaned as lines are", () => {
    fc.assert(
      fc.property(input, (bytes) => {
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
        const cleaned = cleanText(text).split("\n")
        expect(cleaned.filter((line) => /\S/.test(line))).toEqual(
          reference(bytesOf(text)).map(({ text }) => text)
        )
        expect(cleaned).toHaveLength(text.split("\n").length)
      })
    )
  })
})
