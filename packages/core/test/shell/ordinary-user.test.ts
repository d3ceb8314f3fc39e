/** The same suites as a user who may do little. As one already, running them again would show nothing new. */
import { afterAll, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory, tidy } from "./fixture/run.ts"

afterAll(tidy)

const nobody = 65534
const suites = ["stop", "exit", "crash", "../monitor-process"].map((name) =>
  join(import.meta.dir, `${name}.test.ts`)
)
// What depends on rights: marks, signals, descriptors, the next start. The rest runs once.
const essential = [
  "env -i",
  "double fork",
  "overwritten",
  "ignores TERM",
  "daemon that holds the pipe",
  "daemonised",
  "foreign holder",
  "for gate, watchdog",
  "four monitors",
  "inside a monitor",
  "cleaned up after",
  "an orderly end",
  "at a stop",
  "at its deadline",
  "at a limit",
  "when its session is deleted",
  "reaches record and notice",
  "fifty at once all arrive"
]

const asNobody = (program: string, args: ReadonlyArray<string>) => {
  const home = temporaryDirectory()
  chmodSync(home, 0o777)
  return spawnSync(program, args, {
    uid: nobody,
    gid: nobody,
    cwd: import.meta.dir,
    env: { PATH: process.env["PATH"], HOME: home, TMPDIR: home, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
    encoding: "utf8"
  })
}

const isRoot = process.getuid?.() === 0
// A checkout below a closed home directory can't be run by anybody else: what was not tried is counted as skipped.
const reachable = isRoot && asNobody(process.execPath, ["--version"]).status === 0

test.skipIf(!reachable)(
  "holds for an ordinary user too",
  () => {
    const { status, stderr } = asNobody(process.execPath, ["test", ...suites, "-t", essential.join("|")])
    expect(status === 0 ? "" : stderr).toBe("")
    expect(Number(/(\d+) pass/.exec(stderr)?.[1])).toBeGreaterThanOrEqual(essential.length)
  },
  120_000
)

test.skipIf(!reachable)(
  "another user's process is reported, not waited for",
  async () => {
    // Run by nobody, the sweep finds by its limits what root left and may not kill it.
    const script = join(import.meta.dir, "fixture", "foreign.ts")
    const ready = Bun.spawn([
      "sh",
      "-c",
      'ulimit -S -m "$1" && ulimit -H -m "$2" && exec sleep 60',
      "sh",
      soft,
      hard
    ])
    try {
      const { stdout } = asNobody(process.execPath, [script, soft, hard])
      const { swept, survivors, ms } = JSON.parse(stdout)
      expect({ swept, survivors }).toEqual({ swept: [], survivors: [ready.pid] })
      expect(ms).toBeLessThan(900)
    } finally {
      ready.kill("SIGKILL")
    }
  },
  20_000
)

const soft = String(2 ** 51 + 123_456_789)
const hard = String(2 ** 52 + 987_654_321)
