import { describe, expect } from "bun:test"
import { execFileSync } from "node:child_process"
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { glob } from "../../src/tools/glob.ts"
import { grep } from "../../src/tools/grep.ts"
import { testEffect } from "../lib/effect.ts"
import { answer, callFrom, temporaryDirectory, toolLayer } from "../lib/tools.ts"

const it = testEffect(toolLayer)

interface Search {
  readonly pattern: string
  readonly path?: string
  readonly include?: string
  readonly literal?: boolean
}

const finding = (files: Record<string, string | Uint8Array>, input: Search) =>
  Effect.gen(function* () {
    return yield* answer(yield* grep, input, callFrom(yield* temporaryDirectory(files)))
  })

let seed = 7
/** No line break, and hardly the same twice, so that `costly` meets ever new states. */
const noise = Array.from({ length: 2_000_000 }, () =>
  (seed = (seed * 48_271) % 2_147_483_647) % 2 ? "a" : "b"
).join("")
const costly = "(?:a|b)*a(?:a|b){30}[cd]"

describe("grep", () => {
  it.effect(
    "names file and line, in the order of paths",
    Effect.gen(function* () {
      const files = { "b.ts": "tea\r\nTea 2\r\n", "a/c.ts": "no\n  the tea", "a.ts": "x\n", "z.md": "tea" }
      expect(yield* finding(files, { pattern: String.raw`\btea$` })).toBe(
        "b.ts:1: tea\nz.md:1: tea\na/c.ts:2:   the tea\n(3 matches in 3 files)"
      )
      expect(yield* finding(files, { pattern: "(?i)TEA", include: "*.ts", path: "b.ts" })).toContain(
        "2 matches in 1 file"
      )
      expect(yield* finding(files, { pattern: "tea", include: "a/**" })).toBe(
        "a/c.ts:2:   the tea\n(1 match in 1 file)"
      )
      expect(yield* finding(files, { pattern: "coffee" })).toBe("(0 matches in 0 files below .)")
    })
  )

  it.effect(
    "literal text is no pattern",
    Effect.gen(function* () {
      const files = { "a.ts": "axb()\na.b()\n" }
      expect(yield* finding(files, { pattern: "a.b()", literal: true })).toBe(
        "a.ts:2: a.b()\n(1 match in 1 file)"
      )
    })
  )

  it.effect(
    "a pattern that can't be used is told with the reason",
    Effect.gen(function* () {
      expect(yield* finding({}, { pattern: "a(" })).toBe(
        'FAILED Not a regular expression: missing closing ): `a(`. For plain text set "literal": true.'
      )
      expect(yield* finding({}, { pattern: "a(?!b)" })).toStartWith("FAILED What looks around")
      expect(yield* finding({}, { pattern: String.raw`a\nb` })).toContain("Each line is searched by itself")
      expect(yield* finding({ a: String.raw`C:\new` }, { pattern: String.raw`C:\\new` })).toContain("1 match")
      expect(yield* finding({}, { pattern: "" })).toBe("FAILED The pattern is empty.")
      expect(yield* finding({}, { pattern: "x", path: "no" })).toBe("FAILED There is no no.")
    })
  )

  it.effect(
    "stops at 100 matches and says so",
    Effect.gen(function* () {
      const output = yield* finding(
        { "a.txt": "x\n".repeat(60), "b.txt": "x\n".repeat(60) },
        { pattern: "x" }
      )
      expect(output.split("\n")).toHaveLength(101)
      expect(output).toContain(
        "b.txt:40: x\n(100 matches in 2 files; there are more: narrow the pattern, path or include)"
      )
      expect(yield* finding({ "a.txt": "x\n".repeat(100) }, { pattern: "x" })).toEndWith(
        "(100 matches in 1 file)"
      )
    })
  )

  it.effect(
    "long lines are cut around the match, and long answers as a whole",
    Effect.gen(function* () {
      const line = `${"a".repeat(9_000)}needle${"b".repeat(9_000)}\n`
      const one = yield* finding({ "min.js": line }, { pattern: "need.e" })
      expect(one.length).toBeLessThan(560)
      expect(one).toContain("needle")
      expect(one).toContain("…")
      const many = yield* finding({ "min.js": line.repeat(80) }, { pattern: "needle", literal: true })
      expect(many.length).toBeLessThan(17_000)
      expect(many).toContain("there are more")
    })
  )

  it.effect(
    "binary, ignored, linked and large files are passed over; a named file is searched whatever its size",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({
        "a.bin": "tea\0",
        ".gitignore": "ignored\n",
        ignored: "tea",
        ".git/config": "tea",
        "big.log": `${"line\n".repeat(400_000)}tea\n`
      })
      truncateSync(join(directory, "big.log"), 9 * 1024 * 1024)
      symlinkSync("ignored", join(directory, "link"))
      execFileSync("mkfifo", [join(directory, "pipe")])
      const tool = yield* grep
      const call = callFrom(directory)
      expect(yield* answer(tool, { pattern: "tea" }, call)).toBe(
        "(0 matches in 0 files; 1 file over 8.0 MiB not searched; name one as path below .)"
      )
      expect(yield* answer(tool, { pattern: "tea", path: "big.log" }, call)).toBe(
        "big.log:400001: tea\n(1 match in 1 file)"
      )
      expect(yield* answer(tool, { pattern: "tea", path: "ignored" }, call)).toContain("ignored:1: tea")
      expect(yield* answer(tool, { pattern: "tea", path: "a.bin" }, call)).toBe(
        "FAILED a.bin is binary; it holds no lines."
      )
      expect(yield* answer(tool, { pattern: "tea", path: "pipe" }, call)).toContain("is no regular file")
    })
  )

  it.effect(
    "what a rule keeps from being read is not searched either",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ ".env": "KEY=tea", "a.txt": "tea", "asked/b.txt": "tea" })
      const rules = [
        { action: "read" as const, pattern: ".env", effect: "deny" as const },
        { action: "read" as const, pattern: "asked/*", effect: "ask" as const }
      ]
      expect(yield* answer(yield* grep, { pattern: "tea" }, callFrom(directory, { rules }))).toBe(
        "a.txt:1: tea\n(1 match in 1 file; 2 files not searched: a rule keeps them from being read)"
      )
    })
  )

  it.live(
    "patterns that others take hours for are answered like any other",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "a.txt": `${"a".repeat(50_000)}!\n` })
      for (const pattern of [
        "(a+)+$",
        "(a|aa)+$",
        "(.*)(.*)(.*)(.*)(.*)b",
        ".*.*.*.*.*=",
        String.raw`(\w+\s?)+;`
      ])
        expect(yield* answer(yield* grep, { pattern }, callFrom(directory))).toBe(
          "(0 matches in 0 files below .)"
        )
    }),
    10_000
  )

  it.live(
    "others run while a search works on what is costly, and an interrupt ends it",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "a.txt": noise, "b.txt": noise, "c.txt": noise })
      const searching = yield* Effect.forkChild(answer(yield* grep, { pattern: costly }, callFrom(directory)))
      // Each turn of the loop is one that the search has left to others.
      for (let turn = 0; turn < 20; turn++) yield* Effect.sleep("1 millis")
      expect(searching.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(searching)
      expect(searching.pollUnsafe()?._tag).toBe("Failure")
    }),
    15_000
  )

  it.effect(
    "a search that takes too long ends, and says that not all was searched",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "a.txt": noise })
      const searching = yield* Effect.forkChild(answer(yield* grep, { pattern: costly }, callFrom(directory)))
      yield* Effect.repeat(TestClock.adjust("20 seconds"), {
        until: () => searching.pollUnsafe() !== undefined
      })
      const output = yield* Fiber.join(searching)
      expect(output).toContain("stopped after 20 seconds: not all was searched")
    }),
    15_000
  )

  it.live(
    "finds the right ones of 30,000 files",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ ".gitignore": "skipped/\n" })
      // Links to one file are files too, and quickly made.
      writeFileSync(join(directory, "hay.ts"), "const hay = 1\n")
      for (let folder = 0; folder < 300; folder++) {
        const path = join(directory, folder % 10 === 9 ? "skipped" : "src", `d${folder}`)
        mkdirSync(path, { recursive: true })
        for (let file = 0; file < 100; file++) linkSync(join(directory, "hay.ts"), join(path, `f${file}.ts`))
        if (folder % 50 === 5 || folder % 50 === 9)
          writeFileSync(join(path, "needle.ts"), "const needle = 1\n")
      }
      const call = callFrom(directory)
      const found = yield* answer(yield* grep, { pattern: String.raw`\bneedle\b` }, call)
      expect(found).toBe(
        ["105", "155", "205", "255", "5", "55"]
          .map((folder) => `src/d${folder}/needle.ts:1: const needle = 1`)
          .join("\n") + "\n(6 matches in 6 files)"
      )
      const all = yield* answer(yield* glob, { pattern: "**/*.ts" }, call)
      expect(all).toEndWith("(the 100 last changed of 27,007 files; narrow the pattern or give a path)")
    }),
    20_000
  )
})
