import { describe, expect } from "bun:test"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { edit } from "../../src/tools/edit.ts"
import { read } from "../../src/tools/read.ts"
import { currentStamp, replaceFile } from "../../src/tools/text-file.ts"
import { write } from "../../src/tools/write.ts"
import { testEffect } from "../lib/effect.ts"
import { answer, callFrom, temporaryDirectory, toolLayer } from "../lib/tools.ts"

const it = testEffect(toolLayer)

describe("write", () => {
  it.effect(
    "creates a file and the directories above it",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory()
      expect(
        yield* answer(yield* write, { path: "src/new/a.ts", content: "one\ntwo\n" }, callFrom(directory))
      ).toBe("Created src/new/a.ts (2 lines).")
      expect(readFileSync(join(directory, "src/new/a.ts"), "utf8")).toBe("one\ntwo\n")
      expect(readdirSync(join(directory, "src/new"))).toEqual(["a.ts"])
    })
  )

  it.effect(
    "overwrites only what this session has read",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "a.txt": "old" })
      const writing = yield* write
      const call = callFrom(directory)
      yield* answer(yield* read, { path: "a.txt" }, callFrom(directory, { session: "ses_2" }))
      expect(yield* answer(writing, { path: "a.txt", content: "new" }, call)).toBe(
        "FAILED a.txt exists and this session has not read it. Read it first, or change a part of it with edit."
      )
      yield* answer(yield* read, { path: "a.txt" }, call)
      expect(yield* answer(writing, { path: "a.txt", content: "new" }, call)).toBe(
        "Overwrote a.txt (1 line)."
      )
      expect(yield* answer(writing, { path: "a.txt", content: "newer" }, call)).toBe(
        "Overwrote a.txt (1 line)."
      )
      expect(readFileSync(join(directory, "a.txt"), "utf8")).toBe("newer")
    })
  )

  it.effect(
    "what changed since it was read is left alone, until it is read again",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "a.txt": "old" })
      const call = callFrom(directory)
      yield* answer(yield* read, { path: "a.txt" }, call)
      writeFileSync(join(directory, "a.txt"), "someone else's")
      const stale = "FAILED a.txt changed since this session read it. Read it again, then repeat."
      expect(yield* answer(yield* write, { path: "a.txt", content: "new" }, call)).toBe(stale)
      expect(yield* answer(yield* edit, { path: "a.txt", oldText: "someone", newText: "nobody" }, call)).toBe(
        stale
      )
      expect(readFileSync(join(directory, "a.txt"), "utf8")).toBe("someone else's")
      yield* answer(yield* read, { path: "a.txt" }, call)
      expect(yield* answer(yield* write, { path: "a.txt", content: "new" }, call)).toStartWith("Overwrote")
    })
  )

  it.effect(
    "keeps the mode, and a link stays a link",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "bin/run.sh": "old" })
      chmodSync(join(directory, "bin/run.sh"), 0o750)
      symlinkSync("bin/run.sh", join(directory, "run"))
      const call = callFrom(directory)
      yield* answer(yield* read, { path: "run" }, call)
      expect(yield* answer(yield* write, { path: "run", content: "new" }, call)).toBe(
        "Overwrote bin/run.sh (1 line)."
      )
      expect(lstatSync(join(directory, "run")).isSymbolicLink()).toBe(true)
      expect(statSync(join(directory, "bin/run.sh")).mode & 0o7777).toBe(0o750)
      expect(readFileSync(join(directory, "bin/run.sh"), "utf8")).toBe("new")
    })
  )

  it.effect(
    "a link to nothing is written through",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "d/x": "" })
      symlinkSync("d/target", join(directory, "link"))
      expect(yield* answer(yield* write, { path: "link", content: "x" }, callFrom(directory))).toContain(
        "Created d/target"
      )
      expect(lstatSync(join(directory, "link")).isSymbolicLink()).toBe(true)
    })
  )

  it.effect(
    "refuses directories, pipes and paths through files",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "d/x": "" })
      execFileSync("mkfifo", [join(directory, "pipe")])
      const writing = yield* write
      const call = callFrom(directory)
      expect(yield* answer(writing, { path: "d", content: "" }, call)).toBe(
        "FAILED d is a directory; name a file in it."
      )
      expect(yield* answer(writing, { path: "new/", content: "" }, call)).toContain("is a directory")
      expect(yield* answer(writing, { path: "pipe", content: "" }, call)).toContain(
        "FAILED pipe is no regular file"
      )
      expect(yield* answer(writing, { path: "d/x/y", content: "" }, call)).toContain("not a directory")
      expect(existsSync(join(directory, "new"))).toBe(false)
    })
  )

  it.effect(
    "a file that changes at the last moment is kept, and nothing is left behind",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "a.txt": "old" })
      const path = join(directory, "a.txt")
      const seen = yield* Effect.promise(() => currentStamp(path))
      writeFileSync(path, "changed")
      const replaced = yield* Effect.promise(() =>
        replaceFile(path, "a.txt", "new", seen, new AbortController().signal).then(String, String)
      )
      expect(replaced).toContain("changed since this session read it")
      const stopped = yield* Effect.promise(async () =>
        replaceFile(path, "a.txt", "new", await currentStamp(path), AbortSignal.abort()).then(String, String)
      )
      expect(stopped).toContain("Abort")
      expect(readFileSync(path, "utf8")).toBe("changed")
      expect(readdirSync(directory)).toEqual(["a.txt"])
    })
  )
})
