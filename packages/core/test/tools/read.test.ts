import { describe, expect } from "bun:test"
import { execFileSync } from "node:child_process"
import { readdirSync, readlinkSync, symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { read } from "../../src/tools/read.ts"
import { testEffect } from "../lib/effect.ts"
import { allowOutside, answer, callFrom, temporaryDirectory, toolLayer } from "../lib/tools.ts"

const it = testEffect(toolLayer)

/** Reads `input.path` among `files`. */
const reading = (
  files: Record<string, string | Uint8Array>,
  input: { path: string; offset?: number; limit?: number }
) =>
  Effect.gen(function* () {
    return yield* answer(yield* read, input, callFrom(yield* temporaryDirectory(files)))
  })

const lines = (count: number, text = "x") =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}\n`).join("")

const leadsTo = (link: string, path: string) => {
  try {
    return readlinkSync(link) === path
  } catch {
    return false
  }
}

describe("read", () => {
  it.effect(
    "numbers lines and says nothing more of a whole file",
    Effect.gen(function* () {
      expect(yield* reading({ "a.txt": "one\r\ntwo\nthree" }, { path: "a.txt" })).toBe(
        "    1\tone\n    2\ttwo\n    3\tthree"
      )
    })
  )

  it.effect(
    "reads a range and says how to go on",
    Effect.gen(function* () {
      expect(yield* reading({ "a.txt": lines(50) }, { path: "a.txt", offset: 12, limit: 2 })).toBe(
        "   12\tx 12\n   13\tx 13\n(lines 12 to 13 of 50 lines; go on with offset 14)"
      )
    })
  )

  it.effect(
    "the last lines of a file have nothing behind them",
    Effect.gen(function* () {
      expect(yield* reading({ "a.txt": lines(3) }, { path: "a.txt", offset: 2, limit: 2 })).toBe(
        "    2\tx 2\n    3\tx 3"
      )
    })
  )

  it.effect(
    "an offset behind the end is told with the file's length",
    Effect.gen(function* () {
      expect(yield* reading({ "a.txt": lines(3) }, { path: "a.txt", offset: 9 })).toBe(
        "FAILED a.txt ends before line 9: it has 3 lines."
      )
    })
  )

  it.effect(
    "an empty file is said to be empty",
    Effect.gen(function* () {
      expect(yield* reading({ "a.txt": "" }, { path: "a.txt" })).toBe("(the file is empty)")
    })
  )

  it.effect(
    "stops at a page's size, and the offset it names goes on without a gap",
    Effect.gen(function* () {
      const tool = yield* read
      const call = callFrom(yield* temporaryDirectory({ "a.txt": lines(1_500, "y".repeat(60)) }))
      const first = yield* answer(tool, { path: "a.txt" }, call)
      expect(first.length).toBeLessThan(34_000)
      const next = Number(/go on with offset (\d+)/u.exec(first)?.[1])
      expect(first).toContain(`\n${String(next - 1).padStart(5)}\t`)
      expect(yield* answer(tool, { path: "a.txt", offset: next, limit: 1 }, call)).toStartWith(
        `${String(next).padStart(5)}\t`
      )
    })
  )

  it.effect(
    "a long line is cut with a remark, never within a character",
    Effect.gen(function* () {
      const output = yield* reading({ "a.txt": `${"😀".repeat(3_000)}\nnext\n` }, { path: "a.txt" })
      expect(output).toContain("(cut; the line has 11.7 KiB)")
      expect(output).toContain("    2\tnext")
      expect(output).toContain("1 line cut at 2000 characters")
      expect(output.isWellFormed()).toBe(true)
      expect(output.length).toBeLessThan(2_200)
    })
  )

  it.effect(
    "finds lines across chunks of a huge file, without reading past them",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "big.log": lines(200_000, "a line of a long log") })
      // A hole makes it huge; it is read no further than needed.
      truncateSync(join(directory, "big.log"), 20 * 1024 ** 3)
      const tool = yield* read
      const call = callFrom(directory)
      expect(yield* answer(tool, { path: "big.log" }, call)).toBe(
        "FAILED big.log has 20480.0 MiB, too much to read from start to end. Name the lines with offset and limit, or search it with grep's path."
      )
      expect(yield* answer(tool, { path: "big.log", offset: 150_001, limit: 1 }, call)).toBe(
        "150001\ta line of a long log 150001\n(lines 150001 to 150001; go on with offset 150002)"
      )
    })
  )

  it.effect(
    "refuses binary files and says what to do",
    Effect.gen(function* () {
      expect(yield* reading({ "a.bin": new Uint8Array([80, 75, 0, 4]) }, { path: "a.bin" })).toBe(
        "FAILED a.bin is binary (4 bytes). Use shell with a program that understands it, for example file, xxd or iconv."
      )
      expect(yield* reading({ "a.txt": new Uint8Array([255, 254, 65, 0]) }, { path: "a.txt" })).toContain(
        "UTF-16"
      )
    })
  )

  it.effect(
    "bytes that are no UTF-8 are shown with a remark",
    Effect.gen(function* () {
      expect(yield* reading({ "a.txt": new Uint8Array([99, 97, 102, 233, 10]) }, { path: "a.txt" })).toBe(
        "    1\tcaf\ufffd\n(1 line with bytes that are no UTF-8, shown as \ufffd; edit refuses such a file)"
      )
    })
  )

  it.effect(
    "a directory is listed",
    Effect.gen(function* () {
      expect(yield* reading({ "src/b.ts": "", "src/a/c.ts": "" }, { path: "src" })).toBe(
        "src is a directory with 2 entries:\na/\nb.ts"
      )
    })
  )

  it.effect(
    "a missing file brings the names near it",
    Effect.gen(function* () {
      const files = { "src/tool.ts": "", "src/other.ts": "", "README.md": "" }
      expect(yield* reading(files, { path: "src/tools.ts" })).toBe(
        "FAILED There is no src/tools.ts. Near it: src/tool.ts."
      )
      expect(yield* reading(files, { path: "srx/tool.ts" })).toBe(
        "FAILED There is no srx/tool.ts. Near it: src."
      )
      expect(yield* reading(files, { path: "nothing/alike" })).toBe(
        "FAILED There is no nothing/alike. Find it with glob."
      )
    })
  )

  it.live(
    "a pipe and a device are refused at once",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory()
      execFileSync("mkfifo", [join(directory, "pipe")])
      const tool = yield* read
      const call = callFrom(directory, { rules: allowOutside })
      expect(yield* answer(tool, { path: "pipe" }, call)).toContain("FAILED pipe is no regular file")
      expect(yield* answer(tool, { path: "/dev/zero" }, call)).toContain(
        "FAILED /dev/zero is no regular file"
      )
    })
  )

  it.effect(
    "a path through a file is told as such",
    Effect.gen(function* () {
      expect(yield* reading({ "a.txt": "" }, { path: "a.txt/b" })).toBe(
        "FAILED a.txt/b leads through something that is not a directory."
      )
    })
  )

  it.effect(
    "links that lead in a circle are told as such",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory()
      symlinkSync("b", join(directory, "a"))
      symlinkSync("a", join(directory, "b"))
      expect(yield* answer(yield* read, { path: "a" }, callFrom(directory))).toContain("leads in a circle")
    })
  )

  it.effect(
    "hidden characters of a path are spelled out",
    Effect.gen(function* () {
      expect(yield* reading({}, { path: "a\u200bb.txt" })).toContain(String.raw`There is no a\u{200b}b.txt`)
      expect(yield* reading({}, { path: "a\0b" })).toContain("NUL")
      const listed = yield* reading({ "d/x\ny": "" }, { path: "d" })
      expect(listed).toBe("d is a directory with 1 entry:\n" + String.raw`x\u{a}y`)
    })
  )

  it.live(
    "an interrupted read stops",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "big.log": lines(2_000) })
      const path = join(directory, "big.log")
      truncateSync(path, 1024 ** 4)
      const isOpen = Effect.sync(() =>
        readdirSync("/proc/self/fd").some((fd) => leadsTo(`/proc/self/fd/${fd}`, path))
      )
      const reading = yield* Effect.forkChild(
        answer(yield* read, { path: "big.log", offset: 1_000_000 }, callFrom(directory))
      )
      yield* Effect.repeat(isOpen, { until: (open) => open })
      yield* Fiber.interrupt(reading)
      yield* Effect.repeat(isOpen, { while: (open) => open })
      expect(reading.pollUnsafe()?._tag).toBe("Failure")
    })
  )
})
