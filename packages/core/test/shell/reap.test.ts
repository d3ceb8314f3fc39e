import { afterAll, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { tidy } from "./fixture/run.ts"

afterAll(tidy)

const namespace = ["--pid", "--fork", "--mount-proc"]
const allowed = spawnSync("unshare", [...namespace, "true"]).status === 0

// Needs a pid namespace of its own, which not every machine gives.
test.skipIf(!allowed)(
  "as PID 1, buries orphans and keeps its own children's exit codes",
  () => {
    const script = join(import.meta.dir, "fixture", "pid-one.ts")
    const { stdout, stderr } = spawnSync("unshare", [...namespace, process.execPath, script], {
      encoding: "utf8"
    })
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toEqual({ pid: 1, orphanDied: true, zombies: [], exitCodes: [0, 1, 2, 3, 4] })
  },
  30_000
)
