import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { interleave } from "../../src/shell/log.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const written = (reads: ReadonlyArray<readonly ["stdout" | "stderr", string | Uint8Array]>) => {
  const pieces: Array<Uint8Array> = []
  const log = interleave((piece) => void pieces.push(piece))
  for (const [stream, read] of reads) log[stream](typeof read === "string" ? bytes(read) : read)
  log.end()
  return Buffer.concat(pieces).toString()
}

test("leaves stdout as it is, and labels each line of stderr", () => {
  expect(
    written([
      ["stdout", "out\n"],
      ["stderr", "one\n\ntwo\n"],
      ["stdout", "\r50%\r100%\n"]
    ])
  ).toBe("out\n[stderr] one\n[stderr] \n[stderr] two\n\r50%\r100%\n")
})

test("labels a line once, over however many reads it comes", () => {
  expect(
    written([
      ["stderr", "o"],
      ["stderr", "n"],
      ["stderr", "e\ntw"],
      ["stderr", "o\n"]
    ])
  ).toBe("[stderr] one\n[stderr] two\n")
})

test("puts a newline in where the streams change in mid-line", () => {
  expect(
    written([
      ["stdout", "half"],
      ["stderr", "oops"],
      ["stdout", " line\n"],
      ["stderr", ""],
      ["stderr", "later\n"]
    ])
  ).toBe("half\n[stderr] oops\n line\n[stderr] later\n")
})

test("keeps a character whole that the other stream interrupts", () => {
  const euro = bytes("€")
  expect(
    written([
      ["stdout", euro.subarray(0, 2)],
      ["stderr", "x\n"],
      ["stdout", euro.subarray(2)],
      ["stdout", "\n"]
    ])
  ).toBe("[stderr] x\n€\n")
})

test("writes at the end what never became a character", () => {
  expect(written([["stdout", bytes("a€").subarray(0, 3)]])).toBe("a\ufffd")
})

test("loses nothing of either stream, however it is split", () => {
  const read = fc.tuple(
    fc.constantFrom("stdout" as const, "stderr" as const),
    fc.stringMatching(/^[ab€\n]{0,6}$/u)
  )
  fc.assert(
    fc.property(fc.array(read, { maxLength: 30 }), (reads) => {
      const lines = written(reads).split("\n")
      const of = (stream: "stdout" | "stderr") =>
        reads.flatMap(([from, text]) => (from === stream ? [text] : [])).join("")
      const label = "[stderr] "
      const withoutBreaks = (text: string) => text.replaceAll("\n", "")
      const kept = (isOurs: (line: string) => boolean) => lines.filter(isOurs).join("")
      expect(kept((line) => line.startsWith(label)).replaceAll(label, "")).toBe(withoutBreaks(of("stderr")))
      expect(kept((line) => !line.startsWith(label))).toBe(withoutBreaks(of("stdout")))
    })
  )
})
