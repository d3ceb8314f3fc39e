import { expect, test } from "bun:test"
import { countTests } from "../test-count.ts"

test("sums the summaries of all packages, replayed ones too", () => {
  const output = [
    "@vigil/core:test: cache hit, replaying logs 98dd7ba01dde3854",
    "@vigil/core:test:  12 pass",
    "@vigil/core:test:  0 fail",
    "@vigil/cli:test:  3 pass",
    "@vigil/cli:test:  2 fail",
    "@vigil/cli:test:  1 error",
    "//:scripts:test:  4 pass",
    "//:scripts:test:  0 fail"
  ].join("\n")
  expect(countTests(output)).toEqual({ passed: 19, failed: 2 })
})

test("counts the summary of a task, not what a test prints before it", () => {
  const output = "@vigil/core:test:  99 pass\n@vigil/core:test: 7 passes\n@vigil/core:test:  2 pass\n"
  expect(countTests(output)).toEqual({ passed: 2, failed: 0 })
})

test("counts nothing where no test ran", () => {
  expect(countTests(" ERROR  run failed: command  exited (1)\n")).toEqual({ passed: 0, failed: 0 })
})
