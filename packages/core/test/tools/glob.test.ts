import { describe, expect } from "bun:test"
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { glob } from "../../src/tools/glob.ts"
import { testEffect } from "../lib/effect.ts"
import { allowOutside, answer, callFrom, temporaryDirectory, toolLayer } from "../lib/tools.ts"

const it = testEffect(toolLayer)

/** What is found among `files`, by name. */
const finding = (files: Record<string, string>, input: { pattern: string; path?: string }) =>
  Effect.gen(function* () {
    const output = yield* answer(yield* glob, input, callFrom(yield* temporaryDirectory(files)))
    return output.split("\n").toSorted()
  })

const files = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, ""]))

describe("glob", () => {
  it.effect(
    "finds a name at any depth, and a path from where it looks",
    Effect.gen(function* () {
      const tree = files("a.ts", "src/b.ts", "src/deep/c.ts", "src/d.js", ".github/ci.yml")
      expect(yield* finding(tree, { pattern: "*.ts" })).toEqual(["a.ts", "src/b.ts", "src/deep/c.ts"])
      expect(yield* finding(tree, { pattern: "./src/*.{ts,js}" })).toEqual(["src/b.ts", "src/d.js"])
      expect(yield* finding(tree, { pattern: "**/*.ts", path: "src" })).toEqual(["src/b.ts", "src/deep/c.ts"])
      expect(yield* finding(tree, { pattern: "*.yml" })).toEqual([".github/ci.yml"])
      expect(yield* finding(tree, { pattern: "*.rs" })).toEqual(["(no file in . matches *.rs)"])
    })
  )

  it.effect(
    "lists what changed last first, at most 100, and says that there is more",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory()
      for (let index = 0; index < 150; index++) {
        writeFileSync(join(directory, `f${index}`), "")
        utimesSync(join(directory, `f${index}`), index, index)
      }
      const lines = (yield* answer(yield* glob, { pattern: "f*" }, callFrom(directory))).split("\n")
      expect(lines.slice(0, 2)).toEqual(["f149", "f148"])
      expect(lines[99]).toBe("f50")
      expect(lines[100]).toBe("(the 100 last changed of 150 files; narrow the pattern or give a path)")
      expect(lines).toHaveLength(101)
    })
  )

  it.effect(
    "leaves out what .gitignore files say, the nearest deciding",
    Effect.gen(function* () {
      const tree = {
        ...files(
          "a.log",
          "keep.log",
          "dist/x.log",
          "src/b.log",
          "src/keep/c.log",
          "src/build/d.log",
          "node_modules/m.log"
        ),
        ...files(".git/HEAD.log", "docs/build/e.log", "docs/notes.log"),
        ".gitignore": "# comment\n*.log\n!keep.log\n/dist\nnode_modules/\n",
        "src/.gitignore": "!*.log\r\nbuild/\r\n",
        "docs/.gitignore": "!*.log\nnotes.*\n"
      }
      expect(yield* finding(tree, { pattern: "*.log" })).toEqual([
        "docs/build/e.log",
        "keep.log",
        "src/b.log",
        "src/keep/c.log"
      ])
    })
  )

  it.effect(
    "rules of the repository above hold, also its own exclude file; what is named is searched all the same",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({
        ".git/info/exclude": "private\n",
        ".gitignore": "generated/\n/app/*.tmp\n",
        ...files("app/a.ts", "app/a.tmp", "app/private", "app/generated/g.ts", "outside.ts")
      })
      const tool = yield* glob
      const call = callFrom(join(directory, "app"))
      expect(yield* answer(tool, { pattern: "**" }, call)).toBe("a.ts")
      expect(yield* answer(tool, { pattern: "*.ts", path: "generated" }, call)).toBe("generated/g.ts")
    })
  )

  it.effect(
    "without a repository, what lies above has no say",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ ".gitignore": "*.ts\n", ...files("app/a.ts") })
      expect(yield* answer(yield* glob, { pattern: "*.ts" }, callFrom(join(directory, "app")))).toBe("a.ts")
    })
  )

  it.effect(
    "a hostile rule costs no time",
    Effect.gen(function* () {
      const name = `${"a/".repeat(60)}b`
      const rules = `${"**/a/".repeat(12)}c\n${"*a".repeat(40)}b\n*.x\n`
      const found = yield* finding({ [name]: "", ".gitignore": rules, "c.x": "" }, { pattern: "*" })
      expect(found).toEqual([".gitignore", name])
    })
  )

  it.effect(
    "links are named but never followed",
    Effect.gen(function* () {
      const outside = yield* temporaryDirectory(files("secret.ts"))
      const directory = yield* temporaryDirectory(files("a/x.ts"))
      symlinkSync(outside, join(directory, "link"))
      symlinkSync("..", join(directory, "a/up"))
      const output = yield* answer(yield* glob, { pattern: "**" }, callFrom(directory))
      expect(output.split("\n").toSorted()).toEqual(["a/up", "a/x.ts", "link"])
      expect(yield* answer(yield* glob, { pattern: "*", path: "link" }, callFrom(directory))).toContain(
        "--allow 'directory:"
      )
      const allowed = callFrom(directory, { rules: allowOutside })
      expect(yield* answer(yield* glob, { pattern: "*", path: "link" }, allowed)).toBe(
        join(outside, "secret.ts")
      )
    })
  )

  it.effect(
    "a pattern does not leave its path, and a place that is no directory is told",
    Effect.gen(function* () {
      for (const pattern of ["/etc/*", "../*", "a/../../b"])
        expect((yield* finding({}, { pattern }))[0]).toContain("FAILED A pattern is seen from path")
      expect(yield* finding({}, { pattern: " " })).toEqual(["FAILED The pattern is empty."])
      expect(yield* finding({}, { pattern: "*", path: "no" })).toEqual(["FAILED There is no no."])
      expect(yield* finding(files("a"), { pattern: "*", path: "a" })).toEqual([
        "FAILED a is no directory; give one as path."
      ])
    })
  )

  it.effect(
    "a name with a line break cannot pass for two",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory()
      mkdirSync(join(directory, "d"))
      writeFileSync(join(directory, "d", "x\ny"), "")
      expect(yield* answer(yield* glob, { pattern: "*" }, callFrom(directory))).toBe(String.raw`d/x\u{a}y`)
    })
  )
})
