import { afterAll, expect, test } from "bun:test"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = dirname(dirname(import.meta.dir))
const folder = mkdtempSync(join(tmpdir(), "vigil-ci-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

mkdirSync(join(folder, "checkout/.ci"), { recursive: true })
cpSync(join(root, ".ci/run"), join(folder, "checkout/.ci/run"))

/** Runs .ci/run from another folder, with an npm that prints this and leaves with this code. */
const ci = async (printed: string, code: number) => {
  writeFileSync(join(folder, "npm"), `#!/bin/sh\nprintf '%s' '${printed}' >&2\nexit ${code}\n`)
  chmodSync(join(folder, "npm"), 0o755)
  const child = Bun.spawn(["bash", join(folder, "checkout/.ci/run")], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const output = await new Response(child.stdout).text()
  return { last: output.trimEnd().split("\n").at(-1), code: await child.exited }
}

test("ends with the sums of npm test, and its code", async () => {
  expect(await ci("ok  tests\n12 passed, 0 failed\n", 0)).toEqual({ last: "12 passed, 0 failed", code: 0 })
  expect(await ci("12 passed, 3 failed\n", 1)).toEqual({ last: "12 passed, 3 failed", code: 1 })
})

test("repeats the sums when something was printed after them", async () => {
  expect(await ci("12 passed, 1 failed\na notice", 1)).toEqual({ last: "12 passed, 1 failed", code: 1 })
})

test("says that none ran when the run broke off, and never passes then", async () => {
  const nothing = "0 passed, 0 failed"
  expect(await ci("vigil: fetching Bun failed\n", 1)).toEqual({ last: nothing, code: 1 })
  expect(await ci("Killed", 137)).toEqual({ last: nothing, code: 137 })
  expect(await ci("", 0)).toEqual({ last: nothing, code: 1 })
})
