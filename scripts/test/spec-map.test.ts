import { describe, expect, test } from "bun:test"
import { specMapProblems } from "../spec-map.ts"

const tests = [
  {
    path: "packages/core/test/monitor.test.ts",
    text: `
      it.effect("wakes the session when due", Effect.gen(function* () {}))
      it.live(
        'says "stop" once', body)
      test.each([1, 2])("takes %d lines", () => {})
      for (const kind of kinds) it.effect(\`ends by \${kind}, and says so\`, body)
      it.effect("starts", body)
      const { live } = testEffect(layer)
      live("ends whole", body)
      unmarked.live("ends whole without a mark", body)
      const crash = (name: string, body: () => Promise<void>) => test(name, body)
      crash("takes every escapee", async () => {})
      test.each([
        ["a", 1]
      ])("reads %s twice", () => {})
      test(\`\${name}\`, body)
    `
  },
  { path: "packages/core/test/shell/log.test.ts", text: `test("starts", () => {})` },
  { path: "packages/core/test/lib/text.ts", text: `test("is no test file", () => {})` }
]

const map = (...rows: ReadonlyArray<string>) => ["| Rule | Test |", "| --- | --- |", ...rows].join("\n")

describe("a name that exists", () => {
  test.each([
    "wakes the session when due",
    "`wakes the session when due`",
    "core/monitor › wakes the session when due",
    'says "stop" once',
    "takes 2 lines",
    "ends by a signal, and says so",
    "ends whole",
    "ends whole without a mark",
    "takes every escapee",
    "reads a twice",
    "core/shell/log › starts",
    "wakes the session when due<br>takes 1 lines"
  ])("is found: %s", (name) => {
    expect(specMapProblems(map(`| a rule | ${name} |`), tests)).toEqual([])
  })
})

describe("what is wrong with a row", () => {
  test.each([
    ["wakes the session", 'no test "wakes the session"'],
    ["wakes the session when due<br>sleeps", 'no test "sleeps"'],
    ["core/shell/log › wakes the session when due", 'no test "wakes the session when due" in core/shell/log'],
    ["is no test file", 'no test "is no test file"'],
    ["starts", '"starts" is in core/monitor and core/shell/log: say which, as file › name'],
    ["", 'no test for "a rule"'],
    ["a | b", "not a row of two cells: | a rule | a | b |"]
  ])("is told with its line: %s", (name, problem) => {
    expect(specMapProblems(map(`| a rule | ${name} |`), tests)).toEqual([`docs/spec-map.md:3: ${problem}`])
  })
})
