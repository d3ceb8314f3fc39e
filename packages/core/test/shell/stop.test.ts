import { afterAll, describe, expect } from "bun:test"
import { Effect } from "effect"
import { join } from "node:path"
import { readProc, statOf } from "../../src/shell/proc.ts"
import { exists, living, pause, uniqueSeconds } from "./fixture/oracle.ts"
import { tidy, forkChain, it, patience, sizeOf, start, temporaryDirectory, until } from "./fixture/run.ts"

afterAll(tidy)

const live = (name: string, body: Parameters<typeof it.live>[1]) => it.live(name, body, patience)

describe("stop", () => {
  live(
    "asks a polite group with TERM, and that is enough",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(`sleep ${mark} & sleep ${mark} & wait`)
      yield* until(() => living(mark).length >= 3)
      const end = yield* process.stop(patience)
      expect(end).toEqual({ signal: "SIGTERM", outputAbandoned: false })
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "lets a TERM handler run, and keeps its output and exit code",
    Effect.gen(function* () {
      const process = yield* start(`trap 'echo bye; exit 9' TERM; echo up; while :; do sleep 0.05; done`)
      yield* until(() => process.output.stdout.includes("up"))
      expect(yield* process.stop(patience)).toEqual({ exitCode: 9, outputAbandoned: false })
      expect(process.output.stdout).toBe("up\nbye\n")
    })
  )

  live(
    "kills a group that ignores TERM after the grace, not before",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(
        `trap '' TERM; sleep ${mark} & sh -c 'trap "" TERM; sleep ${mark}; :' & wait; sleep ${mark}; :`
      )
      yield* until(() => living(mark).length >= 4)
      const began = performance.now()
      const end = yield* process.stop()
      expect(end.signal).toBe("SIGKILL")
      expect(performance.now() - began).toBeGreaterThan(490)
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "is cut short by a second stop with less grace",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(`trap '' TERM; sleep ${mark}; :`)
      yield* until(() => living(mark).length >= 2)
      const ends = yield* Effect.all([process.stop(600_000), process.stop(0)], { concurrency: "unbounded" })
      expect(ends.map((end) => end.signal)).toEqual(["SIGKILL", "SIGKILL"])
    })
  )

  const escapes: Record<string, (mark: string) => string> = {
    setsid: (mark) => `setsid sleep ${mark} & wait`,
    "setsid -f": (mark) => `setsid -f sleep ${mark}; sleep ${mark}`,
    "nohup and a double fork": (mark) =>
      `(setsid nohup sh -c '(trap "" TERM HUP; sleep ${mark}; :) & exec sleep ${mark}' >/dev/null 2>&1 &) ; sleep ${mark}`,
    "env -i setsid": (mark) =>
      `env -i setsid sleep ${mark} & env -i setsid -f sleep ${mark} >/dev/null 2>&1; sleep ${mark}`,
    "own process groups (set -m)": (mark) => `set -m; sleep ${mark} & sleep ${mark} & wait`,
    "nested shells in new sessions": (mark) =>
      `setsid sh -c 'setsid sh -c "setsid sleep ${mark} & wait" & wait' & wait`
  }
  for (const [name, command] of Object.entries(escapes)) {
    live(
      `reaches ${name}`,
      Effect.gen(function* () {
        const mark = uniqueSeconds()
        const process = yield* start(command(mark))
        yield* until(() => living(mark).length >= 2)
        // Let the escape finish: what it looks like from outside does not tell when.
        yield* Effect.promise(() => pause(150))
        yield* process.stop()
        expect(living(mark)).toEqual([])
        expect((yield* process.swept).survivors).toEqual([])
      })
    )
  }

  live(
    "reaches a daemon as Node makes them",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const daemonise = `require("node:child_process").spawn("sleep", ["${mark}"], { detached: true, stdio: "ignore" }).unref()`
      const command = yield* start(`"${process.execPath}" -e '${daemonise}'; sleep ${mark}`)
      yield* until(() => living(`sleep\0${mark}`).length === 2)
      yield* command.stop()
      expect(living(mark)).toEqual([])
      expect((yield* command.swept).survivors).toEqual([])
    })
  )

  live(
    "reaches an environment overwritten in place",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const file = join(import.meta.dir, "fixture", "blank.ts")
      const escape = `setsid -f "${process.execPath}" "${file}" ${mark} >/dev/null 2>&1`
      const command = yield* start(`${escape}; sleep ${mark}`)
      const overwritten = () => living(mark).some((pid) => /^x+\0/.test(readProc(`${pid}/environ`)))
      yield* until(overwritten)
      yield* command.stop()
      expect(living(mark)).toEqual([])
      expect((yield* command.swept).survivors).toEqual([])
    })
  )

  live(
    "outruns a burst of 200 escapees",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(
        `i=0; while [ $i -lt 200 ]; do setsid -f sleep ${mark} >/dev/null 2>&1; i=$((i+1)); done; sleep ${mark}`
      )
      yield* until(() => living(mark).length >= 60)
      yield* process.stop()
      expect(living(mark)).toEqual([])
      const { swept, survivors } = yield* process.swept
      expect(swept.length).toBeGreaterThanOrEqual(50)
      expect(survivors).toEqual([])
    })
  )

  live(
    "ends a respawner in its own session",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(
        `setsid sh -c 'trap "" TERM; while :; do setsid sleep ${mark}; done' >/dev/null 2>&1 & sleep ${mark}`
      )
      yield* until(() => living(mark).length >= 3)
      yield* process.stop()
      yield* Effect.promise(() => pause(100))
      expect(living(mark)).toEqual([])
      expect((yield* process.swept).survivors).toEqual([])
    })
  )

  live(
    "ends a chain that forks and exits faster than /proc is listed",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const trace = join(temporaryDirectory(), "hops")
      const process = yield* start(forkChain(mark, trace))
      yield* until(() => sizeOf(trace) > 50)
      yield* process.stop()
      const hops = sizeOf(trace)
      yield* Effect.promise(() => pause(300))
      expect(sizeOf(trace)).toBe(hops)
    })
  )

  live(
    "twice, and after the end, says the same",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(`sleep ${mark}`)
      const first = yield* process.stop()
      expect(first.signal).toBe("SIGTERM")
      expect(yield* process.stop()).toEqual(first)
      expect(yield* process.ended).toEqual(first)
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "touches no other process",
    Effect.gen(function* () {
      const stopped = uniqueSeconds()
      const other = uniqueSeconds()
      const first = yield* start(`setsid sleep ${stopped} & sleep ${stopped}`)
      const second = yield* start(`setsid sleep ${other} & sleep ${other}`)
      yield* until(() => living(stopped).length >= 2 && living(other).length >= 3)
      yield* first.stop()
      expect(living(stopped)).toEqual([])
      expect(living(other).length).toBeGreaterThanOrEqual(3)
      yield* second.stop()
      expect(living(other)).toEqual([])
    })
  )

  live(
    "ends what stopped itself with SIGSTOP",
    Effect.gen(function* () {
      const process = yield* start("kill -STOP $$; sleep 60")
      yield* until(() => statOf(process.pid)?.state === "T")
      expect((yield* process.stop(100)).signal).toBe("SIGKILL")
      expect(exists(process.pid)).toBe(false)
    })
  )
})
