import { afterAll, describe, expect } from "bun:test"
import { Effect } from "effect"
import { exists, living, pause, uniqueSeconds } from "./fixture/oracle.ts"
import { tidy, it, patience, run, shellLayer, start, until } from "./fixture/run.ts"
import { testEffect } from "../lib/effect.ts"

afterAll(tidy)

const live = (name: string, body: Parameters<typeof it.live>[1]) => it.live(name, body, patience)

describe("an end by itself", () => {
  live(
    "drains, then kills what is left of the group",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const began = performance.now()
      const end = yield* run(`sh -c 'trap "" TERM HUP; sleep ${mark}; :' & sleep 0.1; echo x; exit 6`)
      expect(end).toMatchObject({ exitCode: 6, stdout: "x\n", outputAbandoned: false, survivors: [] })
      expect(performance.now() - began).toBeGreaterThan(330)
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "keeps what a child prints during the drain, and waits no longer than for it",
    Effect.gen(function* () {
      expect(yield* run("(sleep 0.1; echo late) & exit 0")).toMatchObject({ stdout: "late\n", exitCode: 0 })
    })
  )

  live(
    "is not held up by a daemon that holds the pipe",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const end = yield* run(`setsid -f sleep ${mark}; exit 2`)
      expect(end).toMatchObject({ exitCode: 2, outputAbandoned: false, survivors: [] })
      expect(end.swept).toHaveLength(1)
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "is told before the sweep when nothing holds it up",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(`setsid -f sleep ${mark} >/dev/null 2>&1; exit 3`)
      expect(yield* process.ended).toEqual({ exitCode: 3, outputAbandoned: false })
      const { swept, survivors } = yield* process.swept
      expect(swept).toHaveLength(1)
      expect(survivors).toEqual([])
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "keeps a big output whole",
    Effect.gen(function* () {
      const end = yield* run("head -c 3000000 /dev/zero | tr '\\0' a")
      expect(end.exitCode).toBe(0)
      expect(end.stdout.length).toBe(3_000_000)
      expect(end.stdout.replaceAll("a", "")).toBe("")
    })
  )

  live(
    "loses nothing of a command that is gone at once",
    Effect.gen(function* () {
      for (const round of Array.from({ length: 20 }, (_, index) => index))
        expect(yield* run(`echo ${round}; exit ${round}`)).toMatchObject({
          stdout: `${round}\n`,
          exitCode: round
        })
    })
  )
})

describe("a foreground command", () => {
  live(
    "leaves what it daemonised, and names it, until it is stopped",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(`setsid -f sleep ${mark} >/dev/null 2>&1; echo up`, { leaveDaemons: true })
      expect(yield* process.ended).toEqual({ exitCode: 0, outputAbandoned: false })
      const [daemon] = living(mark)
      expect(yield* process.swept).toEqual({ swept: [], survivors: [daemon!] })
      expect(exists(daemon!)).toBe(true)
      expect(yield* process.stop()).toEqual({ exitCode: 0, outputAbandoned: false })
      expect(yield* process.swept).toEqual({ swept: [daemon!], survivors: [] })
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "is not held up by a daemon that holds its pipe",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const end = yield* run(`setsid -f sleep ${mark}; echo up`, { leaveDaemons: true })
      expect(end).toMatchObject({ stdout: "up\n", outputAbandoned: true, swept: [] })
      expect(living(mark)).toEqual([...end.survivors])
      expect(end.survivors).toHaveLength(1)
    })
  )

  live(
    "keeps its daemons when its scope closes, and loses them with the server",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      yield* Effect.gen(function* () {
        yield* Effect.scoped(run(`setsid -f sleep ${mark} >/dev/null 2>&1`, { leaveDaemons: true }))
        expect(living(mark)).toHaveLength(1)
      }).pipe(Effect.provide(shellLayer(), { local: true }))
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "has its daemons killed when it is stopped while it runs",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(`setsid -f sleep ${mark} >/dev/null 2>&1; sleep ${mark}`, {
        leaveDaemons: true
      })
      yield* until(() => living(mark).length >= 2)
      yield* process.stop()
      expect(living(mark)).toEqual([])
    })
  )
})

// Without the second mark `env -i` makes a process nobody can recognise: a foreigner.
const unmarked = testEffect(shellLayer({ rssMark: false }))

describe("a foreign holder of the pipe", () => {
  const foreigner = (name: string, command: (mark: string) => string) =>
    unmarked.live(
      name,
      Effect.gen(function* () {
        const mark = uniqueSeconds()
        const end = yield* run(`env -i setsid -f ${command(mark)}; echo z; exit 2`)
        expect(end).toMatchObject({ exitCode: 2, outputAbandoned: true })
        expect(end.stdout).toContain("z\n")
        for (const pid of living(mark)) process.kill(pid, "SIGKILL")
      }),
      patience
    )
  foreigner("that is silent does not keep the end from being told", (mark) => `sleep ${mark}`)
  foreigner(
    "that never stops printing does not either",
    (mark) => `sh -c 'while :; do echo ${mark}; sleep 0.02; done'`
  )
})

const socketed = testEffect(shellLayer({ realPipes: false }))

socketed.live(
  "works with sockets where no pipes can be made",
  Effect.gen(function* () {
    expect(yield* run("echo a; echo b >&2; (sleep 0.1; echo late) & exit 4")).toMatchObject({
      exitCode: 4,
      stdout: "a\nlate\n",
      stderr: "b\n"
    })
    const mark = uniqueSeconds()
    const process = yield* start(`trap '' TERM; setsid sleep ${mark} & sleep ${mark}; :`)
    yield* until(() => living(mark).length >= 2)
    yield* process.stop(50)
    yield* Effect.promise(() => pause(20))
    expect(living(mark)).toEqual([])
  }),
  patience
)
