import { describe, expect } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { locate, subjectsOf } from "../../src/tools/path.ts"
import { read } from "../../src/tools/read.ts"
import { Readings } from "../../src/tools/reading.ts"
import { write } from "../../src/tools/write.ts"
import { testEffect } from "../lib/effect.ts"
import { allowEdits, answer, callFrom, temporaryDirectory, toolLayer } from "../lib/tools.ts"

const it = testEffect(toolLayer)

/** What an edit of `path` asks for, seen from `directory`. */
const asked = (directory: string, path: string) =>
  Effect.map(locate(directory, path), (located) =>
    subjectsOf("edit", located).map(({ action, value, pattern }) => `${action} ${value} as ${pattern}`)
  )

describe("locate", () => {
  it.effect(
    "a path inside is named from the session's directory, however it is written",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ "src/a.ts": "" })
      const expected = ["edit src/a.ts as src/*"]
      expect(yield* asked(directory, "src/a.ts")).toEqual(expected)
      expect(yield* asked(directory, "./src/../src//a.ts")).toEqual(expected)
      expect(yield* asked(directory, join(directory, "src/a.ts"))).toEqual(expected)
      expect(yield* asked(directory, "new.ts")).toEqual(["edit new.ts as new.ts"])
      expect(yield* asked(directory, "a*b/c")).toEqual([String.raw`edit a*b/c as a\*b/*`])
      expect((yield* locate(directory, ".")).name).toBe(".")
      expect((yield* locate(directory, "..a/b")).outside).toBe(false)
    })
  )

  it.effect(
    "what leads outside asks for the place too, by .., absolute path, link and link to nothing",
    Effect.gen(function* () {
      const outside = yield* temporaryDirectory({ "secret/key": "" })
      const directory = yield* temporaryDirectory({ "src/a.ts": "" })
      symlinkSync(outside, join(directory, "link"))
      symlinkSync(join(outside, "secret/key"), join(directory, "key"))
      symlinkSync(join(outside, "new/file"), join(directory, "dangling"))
      symlinkSync("link/secret", join(directory, "chain"))
      const key = [
        `edit ${outside}/secret/key as ${outside}/secret/*`,
        `directory ${outside}/secret as ${outside}/secret/*`
      ]
      for (const path of [
        "link/secret/key",
        "key",
        "chain/key",
        join(outside, "secret/key"),
        `../${outside.slice(dirname(outside).length + 1)}/secret/key`
      ])
        expect(yield* asked(directory, path)).toEqual(key)
      expect(yield* asked(directory, "dangling")).toEqual([
        `edit ${outside}/new/file as ${outside}/new/*`,
        `directory ${outside}/new as ${outside}/new/*`
      ])
      symlinkSync("../gone", join(outside, "secret/relative"))
      symlinkSync("link/secret", join(directory, "deep"))
      expect((yield* locate(directory, "deep/relative")).real).toBe(join(outside, "gone"))
      expect(yield* asked(directory, "link")).toContain(`directory ${outside} as ${outside}/*`)
      expect(yield* asked(directory, "link/new/deep.ts")).toContain(
        `directory ${outside}/new as ${outside}/new/*`
      )
    })
  )

  it.effect(
    "a neighbour whose name begins alike is outside",
    Effect.gen(function* () {
      const parent = yield* temporaryDirectory({ "app/a": "", "app-secrets/b": "" })
      expect((yield* locate(join(parent, "app"), "../app-secrets/b")).outside).toBe(true)
    })
  )

  it.effect(
    "a session's directory that is a link is itself",
    Effect.gen(function* () {
      const parent = yield* temporaryDirectory({ "real/src/a.ts": "" })
      symlinkSync("real", join(parent, "session"))
      const expected = ["edit src/a.ts as src/*"]
      expect(yield* asked(join(parent, "session"), "src/a.ts")).toEqual(expected)
      expect(yield* asked(join(parent, "session"), join(parent, "session/src/a.ts"))).toEqual(expected)
      expect(yield* asked(join(parent, "session"), join(parent, "real/src/a.ts"))).toEqual(expected)
    })
  )

  it.effect(
    "a link inside counts as what it leads to, so rules against that hold",
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory({ ".env": "KEY=1" })
      symlinkSync(".env", join(directory, "harmless"))
      const rules = [{ action: "read" as const, pattern: ".env", effect: "deny" as const }]
      const output = yield* answer(yield* read, { path: "harmless" }, callFrom(directory, { rules }))
      expect(output).toContain("Denied by the rule deny read '.env'")
      expect(output).not.toContain("KEY=1")
    })
  )
})

describe("permission of file tools", () => {
  it.effect(
    "reading outside and editing anywhere needs a person, and a refusal touches nothing",
    Effect.gen(function* () {
      const outside = yield* temporaryDirectory({ "a.txt": "secret" })
      const directory = yield* temporaryDirectory()
      mkdirSync(join(directory, "d"))
      symlinkSync(outside, join(directory, "link"))
      const nobody = callFrom(directory, { rules: [] })
      const reading = yield* answer(yield* read, { path: "link/a.txt" }, nobody)
      expect(reading).toStartWith("FAILED This needs permission")
      expect(reading).not.toContain("secret")
      const writing = yield* write
      expect(yield* answer(writing, { path: "d/new.txt", content: "" }, nobody)).toContain(
        "--allow 'edit:d/*'"
      )
      const editor = callFrom(directory, { rules: allowEdits })
      expect(yield* answer(writing, { path: "link/new.txt", content: "" }, editor)).toContain(
        "--allow 'directory:"
      )
      expect((yield* locate(outside, "new.txt")).kind).toBe("missing")
    })
  )
})

const bounded = testEffect(Readings.layerBounded(2))

describe("Readings", () => {
  bounded.effect(
    "remembers the files that were used last, each session its own",
    Effect.gen(function* () {
      const readings = yield* Readings
      yield* readings.note("ses_1", "/a", "1")
      yield* readings.note("ses_1", "/b", "1")
      yield* readings.note("ses_1", "/a", "2")
      yield* readings.note("ses_1", "/c", "1")
      expect(yield* readings.known("ses_1", "/a")).toBe("2")
      expect(yield* readings.known("ses_1", "/b")).toBeUndefined()
      expect(yield* readings.known("ses_2", "/a")).toBeUndefined()
    })
  )
})
