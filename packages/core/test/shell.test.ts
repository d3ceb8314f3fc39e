import { afterAll, describe, expect, test } from "bun:test"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Shell, SpawnFailed, type SpawnOptions } from "../src/shell.ts"
import { testEffect } from "./lib/effect.ts"
import { exists, living, pause, uniqueSeconds } from "./shell/fixture/oracle.ts"
import {
  environment,
  it,
  patience,
  run,
  shellLayer,
  start,
  temporaryDirectory,
  tidy,
  until
} from "./shell/fixture/run.ts"

afterAll(tidy)

const live = (name: string, body: Parameters<typeof it.live>[1]) => it.live(name, body, patience)

/** At its gate. */
const spawn = Effect.fn("test.spawn")(function* (command: string, options: Partial<SpawnOptions> = {}) {
  const shell = yield* Shell
  return yield* shell.spawn({
    command,
    cwd: "/",
    env: environment,
    onStdout: () => {},
    onStderr: () => {},
    ...options
  })
})

describe("the gate", () => {
  live(
    "holds the command until it is opened",
    Effect.gen(function* () {
      const file = join(temporaryDirectory(), "ran")
      const process = yield* spawn(`echo $$ >${file}`)
      yield* Effect.promise(() => pause(100))
      expect(existsSync(file)).toBe(false)
      expect(exists(process.pid)).toBe(true)
      yield* process.open
      expect(yield* process.ended).toEqual({ exitCode: 0, outputAbandoned: false })
      // The pid that the caller knew before is the command's own.
      expect(yield* Effect.promise(() => Bun.file(file).text())).toBe(`${process.pid}\n`)
    })
  )

  live(
    "never opens after a stop",
    Effect.gen(function* () {
      const file = join(temporaryDirectory(), "ran")
      const process = yield* spawn(`touch ${file}`)
      const stopping = yield* Effect.forkChild(process.stop())
      yield* Effect.yieldNow
      yield* process.open
      expect((yield* Fiber.join(stopping)).signal).toBe("SIGTERM")
      yield* process.open
      expect(existsSync(file)).toBe(false)
    })
  )

  live(
    "stays closed when the scope closes before it is opened",
    Effect.gen(function* () {
      const file = join(temporaryDirectory(), "ran")
      const { pid } = yield* Effect.scoped(spawn(`touch ${file}`))
      expect(exists(pid)).toBe(false)
      expect(existsSync(file)).toBe(false)
    })
  )
})

describe("a scope", () => {
  live(
    "stops its process when it closes, escapees too",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const scope = yield* Scope.make()
      yield* start(`trap '' TERM; setsid sleep ${mark} & sleep ${mark}; :`).pipe(Scope.provide(scope))
      yield* until(() => living(mark).length >= 3)
      yield* Scope.close(scope, Exit.void)
      expect(living(mark)).toEqual([])
    })
  )

  live(
    "is left alone by an interrupted stop, which goes on",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const process = yield* start(`trap '' TERM; sleep ${mark}; :`)
      yield* until(() => living(mark).length >= 2)
      const stopping = yield* Effect.forkChild(process.stop(50))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(stopping)
      expect((yield* process.ended).signal).toBe("SIGKILL")
    })
  )
})

describe("virtual time", () => {
  it.effect(
    "does not keep anything from ending",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      expect(yield* run("(sleep 0.05; echo late) & exit 3")).toMatchObject({ exitCode: 3, stdout: "late\n" })
      const process = yield* start(`trap '' TERM; setsid sleep ${mark} & sleep ${mark}; :`)
      yield* until(() => living(mark).length >= 3)
      expect((yield* process.stop(50)).signal).toBe("SIGKILL")
      yield* TestClock.adjust("1 hour")
      expect(living(mark)).toEqual([])
    }),
    patience
  )
})

const reported: Array<unknown> = []
const listening = Logger.layer([Logger.make(({ message }) => void reported.push(message))])

describe("a receiver that throws", () => {
  testEffect(shellLayer().pipe(Layer.provideMerge(listening))).live(
    "loses its command and is reported, and nothing else is hurt",
    Effect.gen(function* () {
      const failure = new Error("no")
      let calls = 0
      const other = yield* start("sleep 0.3; echo fine")
      const process = yield* start("while :; do echo x; sleep 0.01; done", {
        onStdout: () => {
          calls++
          throw failure
        }
      })
      expect((yield* process.ended).signal).toMatch(/^SIG(TERM|KILL)$/)
      expect(calls).toBe(1)
      expect(reported).toEqual([["A receiver of output threw; its command is killed", failure]])
      yield* other.ended
      expect(other.output.stdout).toBe("fine\n")
    }),
    patience
  )
})

describe("output", () => {
  live(
    "belongs to its receiver, and comes in order and whole",
    Effect.gen(function* () {
      const chunks: Array<Uint8Array> = []
      const process = yield* start("seq 1 100000", { onStdout: (bytes) => void chunks.push(bytes) })
      yield* process.ended
      const expected = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("")
      expect(Buffer.concat(chunks).toString() === expected).toBe(true)
    })
  )

  live(
    "without end leaves room for everybody else",
    Effect.gen(function* () {
      const flood = yield* start("yes", { onStdout: () => {} })
      expect(yield* run("echo here")).toMatchObject({ stdout: "here\n", exitCode: 0 })
      yield* flood.stop()
    })
  )
})

live(
  "fifty at once each keep their own output and end",
  Effect.gen(function* () {
    const ends = yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => index),
      (index) => run(`echo out ${index}; echo err ${index} >&2; exit ${index}`),
      { concurrency: "unbounded" }
    )
    expect(ends.map(({ exitCode, stdout, stderr }) => [exitCode, stdout, stderr])).toEqual(
      ends.map((_, index) => [index, `out ${index}\n`, `err ${index}\n`])
    )
  })
)

live(
  "fifty resisting ones stop together",
  Effect.gen(function* () {
    const mark = uniqueSeconds()
    const processes = yield* Effect.forEach(
      Array.from({ length: 50 }, () => `trap '' TERM; setsid sleep ${mark} & sleep ${mark}; :`),
      (command) => start(command),
      { concurrency: "unbounded" }
    )
    yield* until(() => living(mark).length >= 150)
    yield* Effect.forEach(processes, (process) => process.stop(100), { concurrency: "unbounded" })
    expect(living(mark)).toEqual([])
  })
)

describe("a command that can't be started", () => {
  const refusal = (options: Partial<SpawnOptions> & { command: string }) =>
    Effect.flip(spawn(options.command, options))

  live(
    "says what to do about it",
    Effect.gen(function* () {
      const directory = temporaryDirectory()
      const file = join(directory, "file")
      writeFileSync(file, "")
      const reasons = yield* Effect.all([
        refusal({ command: "true", cwd: join(directory, "none") }),
        refusal({ command: "true", cwd: file }),
        refusal({ command: "tr\0ue" }),
        refusal({ command: "true", env: { BAD: "a\0b" } }),
        refusal({ command: `: ${"x".repeat(3_000_000)}` })
      ])
      expect(reasons.map((error) => error.reason)).toEqual([
        "missing_directory",
        "missing_directory",
        "nul",
        "nul",
        "too_long"
      ])
      expect(reasons[0]).toBeInstanceOf(SpawnFailed)
      expect(reasons[0].message).toBe(
        `${directory}/none does not exist; create it or choose another directory`
      )
      expect(reasons[3].message).toContain("BAD")
      // And the next one starts.
      expect((yield* run("echo ok")).stdout).toBe("ok\n")
    })
  )

  for (const options of [{ sh: "/nonexistent/sh" }, { shell: "/nonexistent/bash" }])
    testEffect(shellLayer(options)).live(
      `names a missing shell: ${JSON.stringify(options)}`,
      Effect.gen(function* () {
        const error = yield* refusal({ command: "true" })
        expect(error.reason).toBe("missing_shell")
        expect(error.message).toContain("/nonexistent/")
      }),
      patience
    )

  const deafWatchdog = () => {
    const sh = join(temporaryDirectory(), "sh")
    writeFileSync(sh, `#!/bin/sh\ncase $3 in lifeline-watchdog) exec sleep 60 ;; esac\nexec /bin/sh "$@"\n`)
    chmodSync(sh, 0o755)
    return sh
  }
  testEffect(shellLayer({ sh: deafWatchdog() })).live(
    "is one that no watchdog confirms: it never runs",
    Effect.gen(function* () {
      const file = join(temporaryDirectory(), "ran")
      const error = yield* refusal({ command: `touch ${file}` })
      expect(error.reason).toBe("unwatched")
      expect(existsSync(file)).toBe(false)
    }),
    patience
  )
})

live(
  "a watchdog that is killed comes back, and goes on confirming",
  Effect.gen(function* () {
    const shell = yield* Shell
    const first = (yield* shell.watchdogPid)!
    process.kill(first, "SIGKILL")
    expect((yield* run("echo still")).stdout).toBe("still\n")
    const second = yield* shell.watchdogPid
    expect(second).toBeNumber()
    expect(second).not.toBe(first)
  })
)

test(
  "closing the layer refuses new commands and ends what runs",
  async () => {
    const mark = uniqueSeconds()
    const stopped = Deferred.makeUnsafe<string>()
    const shell = await Effect.runPromise(
      Effect.gen(function* () {
        const shell = yield* Shell
        const scope = yield* Scope.make()
        const process = yield* start(`setsid sleep ${mark} & sleep ${mark}`).pipe(Scope.provide(scope))
        yield* until(() => living(mark).length >= 2)
        yield* Effect.forkDetach(
          process.ended.pipe(Effect.flatMap((end) => Deferred.succeed(stopped, end.signal ?? "none")))
        )
        return shell
      }).pipe(Effect.provide(shellLayer()))
    )
    expect(living(mark)).toEqual([])
    expect(await Effect.runPromise(Deferred.await(stopped))).toBe("SIGTERM")
    const late = await Effect.runPromise(
      spawn("true").pipe(Effect.flip, Effect.scoped, Effect.provideService(Shell, shell))
    )
    expect(late.reason).toBe("closed")
  },
  patience
)

test("is named after what runs the commands", async () => {
  const name = await Effect.runPromise(
    Shell.use((shell) => Effect.succeed(shell.name)).pipe(Effect.provide(shellLayer()))
  )
  expect(name).toBe(Bun.which("bash") ? "bash" : "sh")
})
