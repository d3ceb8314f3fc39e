import { afterAll, describe, expect } from "bun:test"
import { Effect } from "effect"
import { readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { listPids, statOf } from "../../src/shell/proc.ts"
import { Shell } from "../../src/shell.ts"
import { exists, pause } from "./fixture/oracle.ts"
import { tidy, environment, it, patience, run, serverFile, start, startServer, until } from "./fixture/run.ts"

afterAll(tidy)

const live = (name: string, body: Parameters<typeof it.live>[1]) => it.live(name, body, patience)

const plainShell = Bun.which("bash") ?? "/bin/sh"

describe("a command can't tell that it is watched", () => {
  live(
    "keeps every exit code",
    Effect.gen(function* () {
      for (const exitCode of [0, 1, 7, 125, 126, 127, 255])
        expect(yield* run(`exit ${exitCode}`)).toMatchObject({ exitCode, stdout: "", stderr: "" })
    })
  )

  live(
    "keeps every signal, and tells it from a code",
    Effect.gen(function* () {
      for (const name of ["KILL", "TERM", "PIPE", "INT", "HUP", "SEGV", "USR1", "ABRT"]) {
        const end = yield* run(`ulimit -c 0; kill -${name} $$; sleep 1`)
        expect(end).toMatchObject({ signal: `SIG${name}`, stdout: "", stderr: "" })
        expect(end.exitCode).toBeUndefined()
      }
    })
  )

  live(
    "says the same bytes as in a plain shell",
    Effect.gen(function* () {
      const commands = [
        "nosuchcmd_x",
        "syntax ( err",
        'echo $0 $# $-; echo "$@"',
        "true|false",
        "yes | head -1",
        "cat",
        "printf 'a\\0b'",
        "exit",
        "ulimit -c; ulimit -n; umask",
        "trap",
        "echo $SHLVL",
        "env | grep -i lifeline_gate"
      ]
      for (const command of commands) {
        const plain = Bun.spawnSync([plainShell, "-c", command], { cwd: "/", env: environment })
        const { exitCode, stdout, stderr } = yield* run(command)
        expect([command, exitCode, stdout, stderr]).toEqual([
          command,
          plain.exitCode,
          plain.stdout.toString(),
          plain.stderr.toString()
        ])
      }
    })
  )

  live(
    "has descriptors 0, 1 and 2 only, also beside others",
    Effect.gen(function* () {
      yield* start("sleep 5")
      yield* start("sleep 5")
      const process = yield* start("exec sleep 5")
      yield* until(() => readlinkSync(`/proc/${process.pid}/exe`).endsWith("sleep"))
      // From outside: a shell that lists its own descriptors opens one for it. While it is loaded it has another.
      yield* until(() => readdirSync(`/proc/${process.pid}/fd`).join() === "0,1,2")
    })
  )

  live(
    "leads its group and session, reads /dev/null, and ignores and blocks no signal",
    Effect.gen(function* () {
      const { stdout } = yield* run(
        `readlink /proc/$$/fd/0; cut -d' ' -f 1,5,6 /proc/$$/stat; echo $$; tr '\\0' '|' </proc/$$/cmdline; echo; env | grep -c '^LIFELINE_'; grep -E 'Sig(Ign|Blk)' /proc/self/status | tr -s '\\n\\t' ' '`
      )
      const [stdin, ids, pid, argv, marks, signals] = stdout.split("\n")
      expect(stdin).toBe("/dev/null")
      expect(ids!.trim().split(/\s+/)).toEqual([pid!, pid!, pid!])
      expect(argv).toStartWith(`${plainShell}|-c|readlink /proc`)
      expect(Number(marks)).toBe(
        1 + Object.keys(environment).filter((name) => name.startsWith("LIFELINE_")).length
      )
      expect(signals).toBe("SigBlk: 0000000000000000 SigIgn: 0000000000000000 ")
    })
  )

  live(
    "can open /dev/stdout and /dev/stderr",
    Effect.gen(function* () {
      expect(yield* run("echo a >/dev/stderr; echo b >/dev/stdout; echo c | tee /dev/stderr")).toMatchObject({
        stdout: "b\nc\n",
        stderr: "a\nc\n",
        exitCode: 0
      })
    })
  )

  live(
    "can kill its own group without meeting the watchdog, and has no child that it did not start",
    Effect.gen(function* () {
      const shell = yield* Shell
      const watchdog = yield* shell.watchdogPid
      expect((yield* run("kill 0; sleep 1")).signal).toBe("SIGTERM")
      expect((yield* run("kill -9 0")).signal).toBe("SIGKILL")
      const childless = yield* start("exec sleep 5")
      yield* until(() => readlinkSync(`/proc/${childless.pid}/exe`).endsWith("sleep"))
      expect(listPids().filter((pid) => statOf(pid)?.parent === childless.pid)).toEqual([])
      expect(yield* shell.watchdogPid).toBe(watchdog)
      expect(exists(watchdog!)).toBe(true)
    })
  )

  live(
    "has default dispositions also under a server that ignores signals",
    Effect.gen(function* () {
      const server = yield* Effect.promise(() =>
        startServer(["grep SigIgn /proc/self/status"], {
          through: ["/bin/sh", "-c", `trap '' HUP INT PIPE TERM QUIT; exec "$@"`, "sh"]
        })
      )
      yield* until(() => server.output().includes("OUT"))
      expect(server.output()).toContain("SigIgn:\t0000000000000000")
      server.child.kill("SIGKILL")
    })
  )

  live(
    "keeps the marks of a server around it, whatever its environment",
    Effect.gen(function* () {
      const inner = join(import.meta.dir, "fixture", "server.ts")
      const file = serverFile(["env | grep -c ^LIFELINE_"], {}, { PATH: environment["PATH"]! })
      const process = yield* start(`${globalThis.process.execPath} ${inner} ${file}`)
      yield* until(() => process.output.stdout.includes("OUT"))
      const around = Object.keys(environment).filter((name) => name.startsWith("LIFELINE_")).length
      expect(process.output.stdout).toContain(`OUT ${around + 2}`)
    })
  )
})

live(
  "a hundred commands leave no descriptor open",
  Effect.gen(function* () {
    const count = () => readdirSync("/proc/self/fd").length
    const before = count()
    for (let round = 0; round < 5; round++)
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => Effect.scoped(run(index % 2 ? "setsid -f sleep 4; exit 1" : "echo x")),
        { concurrency: "unbounded" }
      )
    yield* until(() => {
      Bun.gc(true)
      return count() - before < 5
    })
    yield* Effect.promise(() => pause(20))
    expect(count() - before).toBeLessThan(5)
  })
)
