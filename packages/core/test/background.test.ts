/** Shell commands in the foreground and the background, on a fake operating system. */
import type { Session } from "@vigil/schema/session"
import { type Shell, ShellNotFound } from "@vigil/schema/shell"
import { describe, expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { BackgroundShells } from "../src/background.ts"
import { Database } from "../src/database.ts"
import { Jobs } from "../src/job.ts"
import { Sessions } from "../src/session.ts"
import { monitorOutput, monitorStop } from "../src/tools/monitor.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import { callOf, use } from "./lib/shell-tool.ts"
import { newSession, pass, settle, tagOf, told, unread, waiting, wakes, watching } from "./lib/watching.ts"

const it = watching()

const started = Effect.fnUntraced(function* (background: boolean, command = "make") {
  const session = yield* newSession()
  const shell = yield* (yield* BackgroundShells).start(session.id, { command, background })
  const process = yield* (yield* FakeShell).next
  yield* settle
  return { session, shell, process }
})
const list = (session: Session) => BackgroundShells.use((shells) => shells.list(session.id))
const now = ({ sessionID, id }: Shell) => BackgroundShells.use((shells) => shells.get(sessionID, id))
const story = Effect.map(told, (events) =>
  events.flatMap(({ type }) => (type.startsWith("shell.") ? [type] : []))
)

describe("in the foreground", () => {
  it.effect(
    "the result is the output and how it ended, and nobody is told besides",
    Effect.gen(function* () {
      const session = yield* newSession()
      const result = yield* use(session, { command: "make" })
      const process = yield* (yield* FakeShell).next
      expect(process.command).toBe("make")
      expect(process.env["VIGIL_SESSION_ID"]).toBe(session.id)
      process.print("built\n")
      process.printError("a warning\n")
      process.exit({ code: 2 })
      expect(yield* Fiber.join(result)).toBe("built\n[stderr] a warning\n[exit code 2]")
      yield* settle
      expect(yield* waiting(session)).toEqual([])
      expect(yield* wakes).toBe(0)
      expect(yield* story).toEqual(["shell.started", "shell.ended"])
      expect(yield* list(session)).toMatchObject([
        { status: "ended", reason: "exited", exitCode: 2, background: false }
      ])
    })
  )

  it.effect(
    "a signal is told apart from an exit code, and no output from an empty line",
    Effect.gen(function* () {
      const session = yield* newSession()
      const result = yield* use(session, { command: "make" })
      ;(yield* (yield* FakeShell).next).exit({ signal: "SIGSEGV" })
      expect(yield* Fiber.join(result)).toBe("(no output)\n[killed by SIGSEGV]")
    })
  )

  it.effect(
    "long output is cut in the middle, and monitor_output reads the rest",
    Effect.gen(function* () {
      const session = yield* newSession()
      const result = yield* use(session, { command: "make" })
      const process = yield* (yield* FakeShell).next
      const all = Array.from({ length: 5_000 }, (_, n) => `line ${n} ✓\n`).join("")
      process.print(all)
      process.exit({ code: 0 })
      const text = yield* Fiber.join(result)
      expect(text).toStartWith("line 0 ✓\nline 1 ✓\n")
      expect(text).toEndWith("line 4999 ✓\n[exit code 0]")
      expect(Buffer.byteLength(text)).toBeLessThan(17_000)
      expect(text.isWellFormed()).toBe(true)
      const [, bytes, id, cursor] =
        /\[… (\d+) bytes left out: monitor_output with id (sh_\w+) and cursor (\d+) reads them …\]/.exec(
          text
        )!
      const [head, tail] = [text.slice(0, text.indexOf("\n[…")), text.slice(text.indexOf("…]\n") + 3)]
      const kept = Buffer.byteLength(head) + Buffer.byteLength(tail.replace("\n[exit code 0]", ""))
      // The two line ends at the cut are not counted.
      expect(Buffer.byteLength(all) - Number(bytes) - kept).toBeLessThanOrEqual(4)
      const { execute } = yield* monitorOutput
      const page = yield* execute({ id: id!, cursor: Number(cursor) }, callOf(session))
      const where = all.indexOf(page.output.slice(0, 200))
      expect(Buffer.byteLength(all.slice(0, where))).toBe(Number(cursor))
    })
  )

  it.effect(
    "what takes more than 120 s moves to the background, and its end is told exactly once",
    Effect.gen(function* () {
      const session = yield* newSession()
      const result = yield* use(session, { command: "make" })
      const process = yield* (yield* FakeShell).next
      process.print("begun\n")
      yield* pass(119_999)
      expect(result.pollUnsafe()).toBeUndefined()
      yield* pass(1)
      const [shell] = yield* list(session)
      expect(yield* Fiber.join(result)).toMatch(
        new RegExp(
          `^begun\\n\\[Still running: it took more than 120 s and was moved to the background as ${shell!.id}\\.`
        )
      )
      expect(shell).toMatchObject({ status: "running", background: true })
      expect(process.stops).toEqual([])
      process.print("done\n")
      process.exit({ code: 0 })
      yield* settle
      expect(yield* waiting(session)).toEqual(["exited with code 0, output:\nbegun\ndone"])
      expect(yield* wakes).toBe(1)
      expect(yield* story).toEqual(["shell.started", "shell.updated", "shell.ended"])
    })
  )

  it.effect(
    "the time may be set, within bounds",
    Effect.gen(function* () {
      const session = yield* newSession()
      for (const timeoutMs of [999, 600_001, -1]) {
        const refused = yield* Fiber.join(yield* use(session, { command: "make", timeoutMs }))
        expect(refused).toStartWith(
          "FAILED timeoutMs must be a whole number of milliseconds from 1000 to 600000"
        )
      }
      expect((yield* FakeShell).processes).toEqual([])
      const result = yield* use(session, { command: "make", timeoutMs: 600_000 })
      yield* (yield* FakeShell).next
      yield* pass(599_999)
      expect(result.pollUnsafe()).toBeUndefined()
      yield* pass(1)
      expect(yield* Fiber.join(result)).toContain("more than 600 s")
    })
  )

  it.effect(
    "a user moves it to the background earlier",
    Effect.gen(function* () {
      const shells = yield* BackgroundShells
      const session = yield* newSession()
      const result = yield* use(session, { command: "make" })
      const process = yield* (yield* FakeShell).next
      yield* pass(5_000)
      const [shell] = yield* list(session)
      expect(yield* shells.moveToBackground(session.id, shell!.id)).toMatchObject({ background: true })
      expect(yield* Fiber.join(result)).toContain(
        `[Still running: the user moved it to the background as ${shell!.id}`
      )
      yield* pass(600_000)
      process.exit({ code: 1 })
      yield* settle
      expect(yield* waiting(session)).toHaveLength(1)
      expect(yield* wakes).toBe(1)
      // Later it changes nothing.
      expect(yield* shells.moveToBackground(session.id, shell!.id)).toMatchObject({ status: "ended" })
      expect(yield* unread(session)).toHaveLength(1)
    })
  )

  for (const moments of [0, 1, 2, 3, 5, 8, 13]) {
    it.effect(
      `an end and a move that meet, ${moments} moments apart, tell of the end exactly once`,
      Effect.gen(function* () {
        for (const endsFirst of [true, false]) {
          const shells = yield* BackgroundShells
          const session = yield* newSession()
          const result = yield* use(session, { command: "make" })
          const process = yield* (yield* FakeShell).next
          yield* settle
          const [shell] = yield* list(session)
          const move = Effect.forkChild(shells.moveToBackground(session.id, shell!.id))
          const exit = Effect.sync(() => process.exit({ code: 0 }))
          yield* endsFirst ? exit : move
          for (let i = 0; i < moments; i++) yield* Effect.yieldNow
          yield* endsFirst ? move : exit
          const text = yield* Fiber.join(result)
          yield* settle
          const toldInResult = text.includes("exit code 0") ? 1 : 0
          expect(toldInResult + (yield* unread(session)).length).toBe(1)
          expect((yield* story).filter((type) => type === "shell.ended")).toHaveLength(endsFirst ? 1 : 2)
        }
      })
    )
  }

  it.effect(
    "an interrupt stops the command, and its end is no news",
    Effect.gen(function* () {
      const session = yield* newSession()
      const result = yield* use(session, { command: "make" })
      const process = yield* (yield* FakeShell).next
      yield* settle
      yield* Fiber.interrupt(result)
      expect(process.stops.length).toBeGreaterThan(0)
      expect(yield* list(session)).toMatchObject([{ status: "ended", reason: "cancelled" }])
      expect(yield* waiting(session)).toEqual([])
      expect(yield* wakes).toBe(0)
    })
  )

  for (const moments of [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30]) {
    it.effect(
      `an interrupt ${moments} moments behind the call leaves nothing running`,
      Effect.gen(function* () {
        const session = yield* newSession()
        const result = yield* use(session, { command: "make" })
        for (let i = 0; i < moments; i++) yield* Effect.yieldNow
        yield* Fiber.interrupt(result)
        yield* settle
        for (const process of (yield* FakeShell).processes) expect(process.stops.length).toBeGreaterThan(0)
        for (const shell of yield* list(session)) expect(shell.status).toBe("ended")
        expect(yield* (yield* Jobs).active(session.id)).toEqual([])
      })
    )
  }

  it.effect(
    "an interrupt while its start is being written leaves nothing running",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const session = yield* newSession()
      const written = yield* Deferred.make<void>()
      yield* Effect.forkChild(transaction(Deferred.await(written)))
      const result = yield* use(session, { command: "make" })
      const process = yield* (yield* FakeShell).next
      yield* settle
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(result))
      yield* settle
      yield* Deferred.succeed(written, undefined)
      yield* Fiber.join(interrupting)
      expect(process.stops.length).toBeGreaterThan(0)
      expect((yield* list(session)).filter(({ status }) => status === "running")).toEqual([])
      expect(yield* (yield* Jobs).active(session.id)).toEqual([])
    })
  )

  it.effect(
    "what it daemonised lives on, is listed, and dies when it is stopped",
    Effect.gen(function* () {
      const shells = yield* BackgroundShells
      const session = yield* newSession()
      const result = yield* use(session, { command: "server --daemon" })
      const process = yield* (yield* FakeShell).next
      process.exit({ code: 0, survivors: { survivors: [4711] } })
      yield* Fiber.join(result)
      yield* settle
      const [shell] = yield* list(session)
      expect(shell).toMatchObject({ status: "ended", survivors: [4711] })
      expect(process.stops).toEqual([])
      expect(process.closed).toBe(false)
      // It takes no place among the active.
      expect(yield* (yield* Jobs).active(session.id)).toEqual([])
      yield* shells.stop(session.id, shell!.id, "user")
      expect(process.stops.length).toBeGreaterThan(0)
      expect(process.closed).toBe(true)
      expect((yield* now(shell!)).survivors).toBeUndefined()
      expect(yield* waiting(session)).toEqual([])
    })
  )
})

describe("in the background", () => {
  it.effect(
    "the id comes at once, the end as exactly one notice with code and tail, and a wake",
    Effect.gen(function* () {
      const session = yield* newSession()
      const output = yield* Fiber.join(yield* use(session, { command: "make", background: true }))
      const process = yield* (yield* FakeShell).next
      const [shell] = yield* (yield* BackgroundShells).active(session.id)
      expect(output).toContain(shell!.id)
      yield* pass(3_600_000)
      expect(yield* waiting(session)).toEqual([])
      process.print(`${"x".repeat(10_000)}\nthe last line\n`)
      process.exit({ code: 3 })
      yield* settle
      const [notice, ...others] = yield* unread(session)
      expect(others).toEqual([])
      expect(notice).toMatchObject({
        origin: "shell",
        wakes: true,
        payload: { type: "notice", source: { id: shell!.id } }
      })
      expect((yield* waiting(session))[0]).toMatch(
        /^exited with code 3, output ended with:\n[^]*the last line\nmonitor_output with id sh_/
      )
      expect(yield* wakes).toBe(1)
      expect(yield* (yield* BackgroundShells).active(session.id)).toEqual([])
    })
  )

  it.effect(
    "without any output the end is announced all the same",
    Effect.gen(function* () {
      const { session, process } = yield* started(true)
      process.exit({ code: 0 })
      yield* settle
      expect(yield* waiting(session)).toEqual(["exited with code 0, no output"])
      expect(yield* wakes).toBe(1)
    })
  )

  it.effect(
    "several that end together are told of one by one",
    Effect.gen(function* () {
      const shells = yield* BackgroundShells
      const fake = yield* FakeShell
      const session = yield* newSession()
      for (let n = 0; n < 3; n++) yield* shells.start(session.id, { command: `make ${n}`, background: true })
      for (const process of fake.processes) process.exit({ code: 0 })
      yield* settle
      expect(
        (yield* unread(session))
          .map(({ payload }) => "source" in payload && payload.source.description)
          .toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
      ).toEqual(["make 0", "make 1", "make 2"])
    })
  )

  it.effect(
    "stopped by the agent: what is unread is returned, and no notice comes",
    Effect.gen(function* () {
      const { session, shell, process } = yield* started(true)
      const { execute } = yield* monitorStop
      const { output } = yield* execute({ id: shell.id }, callOf(session))
      expect(output).toBe(`${shell.id}: stopped. Nothing was unread.`)
      expect(process.stops).toHaveLength(1)
      yield* settle
      expect(yield* waiting(session)).toEqual([])
      expect(yield* wakes).toBe(0)
      expect(yield* now(shell)).toMatchObject({ status: "ended", reason: "cancelled" })

      const other = yield* started(true)
      other.process.exit({ code: 7 })
      yield* settle
      const late = yield* execute({ id: other.shell.id }, callOf(other.session))
      expect(late.output).toContain("had ended: exited")
      expect(late.output).toContain("exited with code 7")
      expect(yield* waiting(other.session)).toEqual([])
    })
  )

  it.effect(
    "stopped by the user: a notice says so, and wakes nobody",
    Effect.gen(function* () {
      const { session, shell } = yield* started(true)
      yield* (yield* BackgroundShells).stop(session.id, shell.id, "user")
      yield* settle
      expect(yield* waiting(session)).toEqual(["stopped by the user, no output"])
      expect((yield* unread(session))[0]!.wakes).toBe(false)
      expect(yield* wakes).toBe(0)
    })
  )

  it.effect(
    "is fenced: another session neither sees nor stops it",
    Effect.gen(function* () {
      const shells = yield* BackgroundShells
      const { session, shell, process } = yield* started(true)
      const other = yield* newSession()
      for (const attempt of [
        shells.get(other.id, shell.id),
        shells.stop(other.id, shell.id, "agent"),
        shells.moveToBackground(other.id, shell.id),
        shells.output(other.id, shell.id)
      ]) {
        expect(yield* Effect.flip(attempt as Effect.Effect<unknown, ShellNotFound>)).toBeInstanceOf(
          ShellNotFound
        )
      }
      expect(process.stops).toEqual([])
      expect(yield* list(other)).toEqual([])
      expect(yield* shells.active(session.id)).toHaveLength(1)
    })
  )
})

describe("how many", () => {
  it.effect(
    "8 are active in a session, then a clear failure; an end gives its place back",
    Effect.gen(function* () {
      const shells = yield* BackgroundShells
      const fake = yield* FakeShell
      const session = yield* newSession()
      for (let n = 1; n <= 8; n++)
        yield* shells.start(session.id, { command: `serve ${n}`, background: true })
      const refused = yield* Fiber.join(yield* use(session, { command: "serve 9", background: true }))
      expect(refused).toMatch(
        /^FAILED This session has 8 active shells, which is the most it may have: sh_\w+ 'serve 1', /
      )
      expect(refused).toContain("monitor_stop")
      expect(fake.processes).toHaveLength(8)
      const elsewhere = yield* newSession()
      yield* shells.start(elsewhere.id, { command: "serve", background: true })
      fake.processes[0]!.exit()
      yield* settle
      yield* shells.start(session.id, { command: "serve 9", background: true })
      expect(yield* shells.active(session.id)).toHaveLength(8)
    })
  )

  it.effect(
    "a foreground command is no background shell until it moves, and then counts among the 8",
    Effect.gen(function* () {
      const shells = yield* BackgroundShells
      const fake = yield* FakeShell
      const session = yield* newSession()
      for (let n = 1; n <= 8; n++)
        yield* shells.start(session.id, { command: `serve ${n}`, background: true })
      const result = yield* use(session, { command: "make" })
      yield* settle
      expect(fake.processes).toHaveLength(9)
      yield* pass(120_000)
      expect(yield* Fiber.join(result)).toContain("moved to the background")
      expect(yield* shells.active(session.id)).toHaveLength(9)
      fake.processes[0]!.exit()
      yield* settle
      expect(yield* tagOf(shells.start(session.id, { command: "serve 9", background: true }))).toBe(
        "TooManyShells"
      )
      fake.processes[1]!.exit()
      yield* settle
      yield* shells.start(session.id, { command: "serve 9", background: true })
    })
  )

  it.effect(
    "25 that ended are kept, the newest, and whatever has an unread notice",
    Effect.gen(function* () {
      const shells = yield* BackgroundShells
      const first = yield* started(true, "make first")
      first.process.exit()
      yield* settle
      const { session } = first
      for (let n = 1; n <= 27; n++) {
        yield* shells.start(session.id, { command: `make ${n}`, background: false })
        ;(yield* (yield* FakeShell).next).exit()
        yield* pass(1_000)
      }
      const kept = (yield* list(session)).map(({ command }) => command)
      expect(kept).toEqual([...Array.from({ length: 25 }, (_, n) => `make ${27 - n}`), "make first"])
      expect((yield* story).filter((type) => type === "shell.removed")).toHaveLength(2)
    })
  )
})

describe("a deletion", () => {
  it.effect(
    "ends the session's shells, told with it, and kills them",
    Effect.gen(function* () {
      const { session, process } = yield* started(true)
      yield* (yield* Sessions).remove(session.id)
      yield* settle
      expect(process.stops).toHaveLength(1)
      expect((yield* told).map(({ type, data }) => ("shell" in data ? data.shell.reason : type))).toEqual([
        "session_deleted",
        "session.deleted"
      ])
      expect(yield* list(session)).toEqual([])
      expect(yield* wakes).toBe(0)
    })
  )

  it.effect(
    "while a command is being started leaves nothing of it",
    Effect.gen(function* () {
      const fake = yield* FakeShell
      const session = yield* newSession()
      fake.behaviour.spawning = Effect.yieldNow
      const starting = yield* Effect.forkChild(
        Effect.exit((yield* BackgroundShells).start(session.id, { command: "make", background: true }))
      )
      yield* Effect.yieldNow
      yield* (yield* Sessions).remove(session.id)
      const exit = yield* Fiber.join(starting)
      yield* settle
      for (const process of fake.processes) expect(process.closed).toBe(true)
      expect(yield* (yield* Jobs).active(session.id)).toEqual([])
      if (Exit.isFailure(exit)) expect(yield* tagOf(Effect.failCause(exit.cause))).toBe("SessionNotFound")
    })
  )
})

watching({ shell: { keepEnded: 0 } }).effect(
  "a stop tells how a shell ended also where none that ended is kept",
  Effect.gen(function* () {
    const { session, shell } = yield* started(true)
    const stopped = yield* BackgroundShells.use((shells) => shells.stop(session.id, shell.id, "agent"))
    expect(stopped.shell).toMatchObject({ id: shell.id, status: "ended", reason: "cancelled" })
    expect(yield* list(session)).toEqual([])
  })
)
