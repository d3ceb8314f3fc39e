import { afterAll, expect, test } from "bun:test"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = dirname(dirname(import.meta.dir))
const folder = mkdtempSync(join(tmpdir(), "vigil-ci-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

mkdirSync(join(folder, "checkout/.ci"), { recursive: true })
cpSync(join(root, ".ci/run"), join(folder, "checkout/.ci/run"))

const put = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), 0o755)
}
// So that nothing is installed here.
for (const program of ["tmux", "chromium", "curl"]) put(program, "#!/bin/sh\n")

interface Run {
  readonly printed: string
  readonly code: number
}

/** Runs .ci/run from another folder, with an npm that does this for `test` and that for `test:machine`. */
const ci = async (test: Run, machine: Run = { printed: "1 passed, 0 failed\n", code: 0 }) => {
  const does = ({ printed, code }: Run) => `printf '%s' '${printed}' >&2; exit ${code}`
  put(
    "npm",
    `#!/bin/sh\ncase "$1 $2" in "test --silent") ${does(test)} ;; "run test:machine") ${does(machine)} ;; esac\n`
  )
  const child = Bun.spawn(["bash", join(folder, "checkout/.ci/run")], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const output = await new Response(child.stdout).text()
  return { last: output.trimEnd().split("\n").at(-1), code: await child.exited }
}

test("ends with the sums of both, and fails where one of them does", async () => {
  const passes = { printed: "ok  tests\n12 passed, 0 failed\n", code: 0 }
  const fails = { printed: "12 passed, 3 failed\n", code: 1 }
  expect(await ci(passes)).toEqual({ last: "13 passed, 0 failed", code: 0 })
  expect(await ci(fails)).toEqual({ last: "13 passed, 3 failed", code: 1 })
  expect(await ci(passes, fails)).toEqual({ last: "24 passed, 3 failed", code: 1 })
})

test("takes the sums also where something was printed after them", async () => {
  expect(await ci({ printed: "12 passed, 1 failed\na notice", code: 1 })).toEqual({
    last: "13 passed, 1 failed",
    code: 1
  })
})

test("never passes when a run broke off before its sums", async () => {
  const broken = [
    { printed: "vigil: fetching Bun failed\n", code: 1 },
    { printed: "Killed", code: 137 },
    { printed: "", code: 0 }
  ]
  for (const run of broken) {
    expect(await ci(run)).toEqual({ last: "1 passed, 0 failed", code: 1 })
    expect(await ci({ printed: "2 passed, 0 failed\n", code: 0 }, run)).toEqual({
      last: "2 passed, 0 failed",
      code: 1
    })
  }
})
