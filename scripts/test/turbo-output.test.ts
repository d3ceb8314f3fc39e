import { describe, expect, test } from "bun:test"
import { countTests, onlyFailures } from "../turbo-output.ts"

const output = `
   • Running test in 3 packages

@vigil/core:test: cache hit, replaying logs 98dd7ba01dde3854
@vigil/core:test:  12 pass
@vigil/core:test:  0 fail
@vigil/cli:test: cache miss, executing 66783d09ad3d0c51
@vigil/cli:test: (fail) starts: at once
@vigil/cli:test:  3 pass
@vigil/cli:test:  2 fail
@vigil/cli:test:  1 error
//:scripts:test: cache miss, executing ea24b1f5ebcff61c
//:scripts:test:  4 pass
//:scripts:test:  0 fail
@vigil/schema:test: cache miss, executing 74e1c2a838f908f7
@vigil/schema:test: No tests found!

Failed:    @vigil/cli#test
`

describe("counting", () => {
  test("sums the summaries of all packages, replayed ones too", () => {
    expect(countTests(output)).toEqual({ passed: 19, failed: 2, silent: [] })
  })

  test("takes the summary of a task, not what a test prints before it", () => {
    const text = "@vigil/core:test:  99 pass\n@vigil/core:test: 7 passes\n@vigil/core:test:  2 pass\n"
    expect(countTests(text)).toMatchObject({ passed: 2, failed: 0 })
  })

  test("names a task that ended without a summary", () => {
    const text = "@vigil/core:test: cache miss, executing 98dd7ba01dde3854\n@vigil/core:test: hello\n"
    expect(countTests(text)).toEqual({ passed: 0, failed: 0, silent: ["@vigil/core#test"] })
  })

  test("counts nothing where no test ran", () => {
    expect(countTests(" ERROR  run failed: command  exited (1)\n")).toEqual({
      passed: 0,
      failed: 0,
      silent: []
    })
  })
})

describe("showing failures", () => {
  test("leaves out the lines of tasks that went well", () => {
    const shown = onlyFailures(output)
    expect(shown).toContain("@vigil/cli:test: (fail) starts: at once")
    expect(shown).not.toContain("@vigil/core:test")
    expect(shown).not.toContain("//:scripts:test")
  })

  test("keeps a root task that failed", () => {
    expect(onlyFailures("//:scripts:test:  1 fail\nFailed:    //#scripts:test\n")).toContain("1 fail")
  })

  test("shows all when turbo names no task", () => {
    expect(onlyFailures("@vigil/core:test: hello\nbroken pipe")).toBe("@vigil/core:test: hello\nbroken pipe")
  })
})
