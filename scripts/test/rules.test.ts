import { expect, test } from "bun:test"
import { ruleProblems } from "../rules.ts"

const problems = (path: string, text: string) => ruleProblems([{ path: `packages/${path}`, text }])

test("core takes its time from Effect, and only shell/ from the machine", () => {
  expect(problems("core/src/inbox.ts", "const at = Date.now()")).toHaveLength(1)
  expect(problems("core/src/inbox.ts", "setTimeout(wake, 5)")).toHaveLength(1)
  expect(problems("core/src/shell/gate.ts", "setTimeout(kill, 500)")).toEqual([])
  expect(problems("core/test/inbox.test.ts", "const at = Date.now()")).toEqual([])
  expect(problems("core/src/inbox.ts", "// not setTimeout(…), which virtual time can't see")).toEqual([])
})

test("a test is neither alone nor skipped", () => {
  const [alone, skipped] = ["only", "skip"]
  expect(problems("core/test/a.test.ts", `it.effect.${alone}("x", body)`)).toHaveLength(1)
  expect(problems("core/test/a.test.ts", `describe.${skipped}("x", body)`)).toHaveLength(1)
  expect(problems("core/test/a.test.ts", `test.${skipped}If(onMac)("x", body)`)).toEqual([])
})

test("says where unfinished work is", () => {
  const word = ["TO", "DO"].join("")
  expect(problems("core/src/a.ts", `first\n// ${word}: later`)).toEqual([
    `packages/core/src/a.ts:2: unfinished work is an issue, not a comment: // ${word}: later`
  ])
  expect(problems("core/test/a.test.ts", `matches("${word}")`)).toEqual([])
})

test("catches files that are too long and names that say nothing", () => {
  expect(problems("core/src/a.ts", "x\n".repeat(400))).toEqual([])
  expect(problems("core/src/a.ts", "x\n".repeat(401))).toEqual([
    "packages/core/src/a.ts: 401 lines, more than 400"
  ])
  expect(problems("core/test/a.test.ts", "x\n".repeat(600))).toEqual([])
  expect(problems("core/test/a.test.ts", "x\n".repeat(601))).toHaveLength(1)
  expect(problems("core/src/utils.ts", "")).toHaveLength(1)
  expect(problems("core/src/a.ts", ["export class", "ShellManager {}"].join(" "))).toHaveLength(1)
  expect(problems("core/src/live.ts", "const isLive = true")).toEqual([])
})
