import { describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import fc from "fast-check"
import { edit } from "../../src/tools/edit.ts"
import { editText } from "../../src/tools/edit-text.ts"
import { testEffect } from "../lib/effect.ts"
import { answer, callFrom, temporaryDirectory, toolLayer } from "../lib/tools.ts"

const it = testEffect(toolLayer)

interface Change {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll?: boolean
}

/** What the model reads, and what is in the file then. */
const editing = (content: string | Uint8Array, change: Change) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory({ "a.txt": content })
    const output = yield* answer(yield* edit, { path: "a.txt", ...change }, callFrom(directory))
    return { output, content: readFileSync(join(directory, "a.txt"), "utf8") }
  })

describe("edit", () => {
  it.effect(
    "replaces what stands there once and shows where",
    Effect.gen(function* () {
      const { output, content } = yield* editing("one\ntwo\nthree\nfour\nfive\nsix\n", {
        oldText: "three\nfour\n",
        newText: "3\n"
      })
      expect(content).toBe("one\ntwo\n3\nfive\nsix\n")
      expect(output).toBe(
        [
          "Edited a.txt (1 replacement):",
          "     1\tone",
          "     2\ttwo",
          "-    3\tthree",
          "-    4\tfour",
          "+    3\t3",
          "     4\tfive",
          "     5\tsix"
        ].join("\n")
      )
      const last = yield* editing("one\ntwo\n", { oldText: "two\n", newText: "two\nthree\n" })
      expect(last.output).toBe("Edited a.txt (1 replacement):\n     1\tone\n     2\ttwo\n+    3\tthree")
    })
  )

  it.effect(
    "text that is not there fails with what is most like it",
    Effect.gen(function* () {
      const file = "import a\n\nfunction tea(cup: Cup) {\n    return cup.fill()\n}\n"
      const spaces = yield* editing(file, {
        oldText: "function tea(cup: Cup) {\n\treturn cup.fill()\n",
        newText: ""
      })
      expect(spaces.output).toBe(
        "FAILED oldText is not in a.txt. Only white space differs from:\n    3\tfunction tea(cup: Cup) {\n    4\t    return cup.fill()"
      )
      const words = yield* editing(file, { oldText: "function coffee(cup: Cup) {", newText: "" })
      expect(words.output).toBe(
        "FAILED oldText is not in a.txt. Most like it is:\n    3\tfunction tea(cup: Cup) {"
      )
      const nothing = yield* editing(file, { oldText: "SELECT 1;", newText: "" })
      expect(nothing.output).toBe("FAILED oldText is not in a.txt. Nothing there is like it; read the file.")
      expect(nothing.content).toBe(file)
    })
  )

  it.effect(
    "text that stands there several times fails with the lines, or is replaced everywhere",
    Effect.gen(function* () {
      const file = "a = 1\nb = 2\na = 1\n"
      const ambiguous = yield* editing(file, { oldText: "a = 1", newText: "a = 3" })
      expect(ambiguous.output).toBe(
        "FAILED oldText is in a.txt 2 times, at lines 1, 3. Quote more of what surrounds the right one, or set replaceAll."
      )
      expect(ambiguous.content).toBe(file)
      const overlapping = yield* editing("a\na\na\n", { oldText: "a\na\n", newText: "b\n" })
      expect(overlapping.output).toContain("2 times, at lines 1, 2")
      const all = yield* editing(file, { oldText: "a = 1", newText: "a = 3", replaceAll: true })
      expect(all.content).toBe("a = 3\nb = 2\na = 3\n")
      expect(all.output).toContain("(2 replacements)")
      expect(all.output).toContain("-    3\ta = 1\n+    3\ta = 3")
      const twice = yield* editing("x\na a\n", { oldText: "a", newText: "b\n", replaceAll: true })
      expect(twice.output).toBe(
        "Edited a.txt (2 replacements):\n     1\tx\n-    2\ta a\n+    2\tb\n+    3\t b\n+    4\t"
      )
    })
  )

  it.effect(
    "nothing to change and nothing to find are told apart",
    Effect.gen(function* () {
      expect((yield* editing("a", { oldText: "a", newText: "a" })).output).toContain("are equal")
      expect((yield* editing("a", { oldText: "", newText: "a" })).output).toContain("oldText is empty")
    })
  )

  it.effect(
    "line endings and byte order mark stay",
    Effect.gen(function* () {
      const windows = yield* editing("\ufeffone\r\ntwo\r\nthree\r\n", {
        oldText: "one\ntwo\n",
        newText: "1\n2\n2b\n"
      })
      expect(windows.content).toBe("\ufeff1\r\n2\r\n2b\r\nthree\r\n")
      const within = yield* editing("one\r\ntwo\r\n", { oldText: "two", newText: "2\n3" })
      expect(within.content).toBe("one\r\n2\r\n3\r\n")
      const mixed = yield* editing("one\r\ntwo\nthree\r\n", { oldText: "two\nthree", newText: "2\n3" })
      expect(mixed.content).toBe("one\r\n2\n3\r\n")
    })
  )

  it.effect(
    "a file that is no valid text is not touched",
    Effect.gen(function* () {
      expect((yield* editing(new Uint8Array([97, 233]), { oldText: "a", newText: "b" })).output).toContain(
        "FAILED a.txt is not valid UTF-8 (2 bytes)"
      )
      expect((yield* editing("a\0", { oldText: "a", newText: "b" })).output).toContain(
        "FAILED a.txt is binary"
      )
    })
  )

  it.effect(
    "dollar signs are no patterns, the mode stays, and nothing else is left",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "a.sh": "echo x" })
      chmodSync(join(directory, "a.sh"), 0o755)
      const change = { path: "a.sh", oldText: "x", newText: "$& $1 $$" }
      yield* answer(yield* edit, change, callFrom(directory))
      expect(readFileSync(join(directory, "a.sh"), "utf8")).toBe("echo $& $1 $$")
      expect(statSync(join(directory, "a.sh")).mode & 0o777).toBe(0o755)
      expect(readdirSync(directory)).toEqual(["a.sh"])
    })
  )

  it.effect(
    "missing files and directories are told as such",
    Effect.gen(function* () {
      const call = callFrom(yield* temporaryDirectory({ "d/x": "" }))
      const change = { oldText: "a", newText: "b" }
      expect(yield* answer(yield* edit, { path: "no", ...change }, call)).toBe(
        "FAILED There is no no. Create it with write."
      )
      expect(yield* answer(yield* edit, { path: "d", ...change }, call)).toBe("FAILED d is a directory.")
    })
  )

  it.effect(
    "long excerpts are cut with a remark",
    Effect.gen(function* () {
      const { output } = yield* editing(`${"z\n".repeat(3)}${"x".repeat(5_000)}\n`.repeat(40), {
        oldText: "x\n",
        newText: "y\n",
        replaceAll: true
      })
      expect(output.length).toBeLessThan(9_000)
      expect(output).toContain("and 37 more places")
    })
  )
})

describe("editText", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n"), minLength: 0, maxLength: 12 })
  const quoted = fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 4 })

  test("changes what was quoted and leaves every other byte", () => {
    fc.assert(
      fc.property(piece, quoted, piece, quoted, (before, oldText, after, newText) => {
        const edited = editText("it", before + oldText + after, { oldText, newText, replaceAll: false })
        if (!edited.ok) return
        expect(edited.text.replaceAll("\r\n", "\n")).toBe((before + newText + after).replaceAll("\r\n", "\n"))
        expect(edited.text.startsWith(before)).toBe(true)
        expect(edited.text.endsWith(after)).toBe(true)
      })
    )
  })
})
