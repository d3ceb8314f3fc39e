/** Monitors of real commands: what they print arrives, and nothing of them stays. */
import { describe, expect } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import type { Monitor } from "@vigil/schema/monitor"
import { Effect } from "effect"
import type { ConfigOverrides } from "../src/config.ts"
import { Jobs } from "../src/job.ts"
import { Monitors, type StartOptions } from "../src/monitor.ts"
import { Sessions } from "../src/session.ts"
import { StateDirectory } from "../src/state.ts"
import { testEffect } from "./lib/effect.ts"
import {
  balanced,
  current,
  newSession,
  realServer,
  start,
  told,
  unread,
  until as untilTold,
  waiting
} from "./lib/watching.ts"
import { living, uniqueSeconds } from "./shell/fixture/oracle.ts"
import { patience, until } from "./shell/fixture/run.ts"

const real = (config: ConfigOverrides = {}) => {
  const it = testEffect(realServer(config))
  return {
    live: (name: string, body: Parameters<typeof it.live>[1]) =>
      it.live(name, Effect.andThen(body, balanced), patience)
  }
}

const it = real()

const untilEnded = ({ id }: Pick<Monitor, "id">) =>
  untilTold("monitor.ended", ({ data }) => data.monitor.id === id)

/** To its end: what it came to, and what its session is told. */
const run = Effect.fnUntraced(function* (command: string, options: Partial<StartOptions> = {}) {
  const session = yield* newSession()
  const monitor = yield* start(session, { command, ...options })
  yield* untilEnded(monitor)
  const texts = yield* waiting(session)
  return { session, monitor: yield* current(monitor), lines: texts.slice(0, -1), notice: texts.at(-1)! }
})

/** Ignores TERM, and has left its group, its session and its environment in several ways. */
const resisting = (mark: string, then = "") => `
  trap '' TERM
  setsid -f sleep ${mark} >/dev/null 2>&1
  env -i setsid -f sleep ${mark} >/dev/null 2>&1
  (setsid sh -c '(trap "" TERM HUP; sleep ${mark}; :) & exec sleep ${mark}' >/dev/null 2>&1 &)
  sh -c 'trap "" TERM; sleep ${mark}; :' &
  echo up
  ${then}
  sleep ${mark}; :`
const resistants = 8

describe("a tree that resists is gone, whole, when its end is told:", () => {
  const resist = Effect.fnUntraced(function* (options: Partial<StartOptions> = {}, then = "") {
    const mark = uniqueSeconds()
    const session = yield* newSession()
    const monitor = yield* start(session, { command: resisting(mark, then), ...options })
    return { mark, session, monitor, running: until(() => living(mark).length >= resistants) }
  })

  it.live(
    "at a stop",
    Effect.gen(function* () {
      const { mark, session, monitor, running } = yield* resist()
      yield* running
      const stopped = yield* (yield* Monitors).stop(session.id, monitor.id, "agent")
      expect(living(mark)).toEqual([])
      expect(stopped.monitor).toMatchObject({ reason: "cancelled", signal: "SIGKILL" })
      expect(stopped.monitor).not.toHaveProperty("survivors")
      expect(yield* unread(session)).toEqual([])
    })
  )

  it.live(
    "at its deadline",
    Effect.gen(function* () {
      const { mark, session, monitor } = yield* resist({ timeoutMs: 1_000 })
      yield* untilEnded(monitor)
      expect(living(mark)).toEqual([])
      expect(yield* current(monitor)).toMatchObject({ reason: "expired", signal: "SIGKILL" })
      expect((yield* waiting(session)).at(-1)).toMatch(/^expired after 1s, \d events? \(watch again/)
    })
  )

  it.live(
    "at a limit",
    Effect.gen(function* () {
      const { mark, session, monitor } = yield* resist({}, "sleep 0.3; seq 100000")
      yield* untilEnded(monitor)
      expect(living(mark)).toEqual([])
      const { reason, ledger } = yield* current(monitor)
      expect(reason).toBe("output_limit")
      expect(ledger.linesSuppressed).toBeGreaterThan(0)
      expect((yield* waiting(session)).at(-1)).toStartWith("stopped: more than 256 KiB of output, ")
    })
  )

  it.live(
    "when its session is deleted",
    Effect.gen(function* () {
      const { mark, session, monitor, running } = yield* resist()
      yield* running
      yield* (yield* Sessions).remove(session.id)
      expect(living(mark)).toEqual([])
      expect(existsSync((yield* StateDirectory).folder(session.id, monitor.id))).toBe(false)
      expect((yield* untilEnded(monitor)).data.monitor.reason).toBe("session_deleted")
    })
  )

  it.live(
    "when the command itself exits",
    Effect.gen(function* () {
      const { mark, monitor } = yield* resist({}, "exit 4")
      yield* untilEnded(monitor)
      expect(living(mark)).toEqual([])
      expect(yield* current(monitor)).toMatchObject({ reason: "exited", exitCode: 4 })
    })
  )
})

describe("an end", () => {
  it.live(
    "by exit code or by signal reaches record and notice",
    Effect.gen(function* () {
      for (const code of [0, 1, 42, 255]) {
        const { monitor, notice } = yield* run(`exit ${code}`)
        expect(monitor).toMatchObject({ reason: "exited", exitCode: code })
        expect(monitor).not.toHaveProperty("signal")
        expect(notice).toStartWith(`exited with code ${code}, 0 events`)
      }
      for (const signal of ["KILL", "SEGV", "TERM"]) {
        const { monitor, notice } = yield* run(`kill -${signal} $$`)
        expect(monitor).toMatchObject({ reason: "exited", signal: `SIG${signal}` })
        expect(monitor).not.toHaveProperty("exitCode")
        expect(notice).toStartWith(`killed by SIG${signal}, 0 events`)
      }
    })
  )

  it.live(
    "at once loses nothing, and comes in order",
    Effect.gen(function* () {
      const runs = Array.from({ length: 20 }, (_, n) => run(`echo one ${n}; printf 'two ${n}'`))
      const all = yield* Effect.all(runs, { concurrency: 10 })
      const events = yield* told
      for (const [n, { monitor, lines, notice }] of all.entries()) {
        expect(lines.join("\n")).toBe(`one ${n}\ntwo ${n}`)
        expect(notice).toStartWith("exited with code 0, ")
        const types = events.flatMap(({ type, data }) => {
          const of = "monitorID" in data ? data.monitorID : "monitor" in data ? data.monitor.id : undefined
          return of === monitor.id ? [type] : []
        })
        expect(types.at(0)).toBe("monitor.started")
        expect(types.at(-1)).toBe("monitor.ended")
        expect(types.slice(1, -1).every((type) => type === "monitor.event")).toBe(true)
      }
    })
  )

  it.live(
    "is not held up by a daemon that holds the pipe, which is killed",
    Effect.gen(function* () {
      const mark = uniqueSeconds()
      const { monitor, lines } = yield* run(`setsid -f sleep ${mark}; echo started`)
      expect(monitor).toMatchObject({ reason: "exited", exitCode: 0 })
      expect(lines).toEqual(["started"])
      yield* (yield* Jobs).await(monitor.id)
      expect(living(mark)).toEqual([])
      const { data } = yield* untilTold("monitor.updated")
      expect(data.monitor.survivors).toHaveLength(1)
    })
  )

  it.live(
    "of a filter that is not there says what its shell said",
    Effect.gen(function* () {
      const { notice } = yield* run("echo '{}' | no-such-filter-of-vigil .")
      expect(notice).toStartWith("exited with code 127, 0 events\nstderr ended with:\n")
      expect(notice).toMatch(/no-such-filter-of-vigil: (command )?not found/)
    })
  )

  it.live(
    "is waited for where a command has closed its output",
    Effect.gen(function* () {
      const { monitor, lines, notice } = yield* run("echo one; exec >&- 2>&-; sleep 0.4; exit 7")
      expect(lines).toEqual(["one"])
      expect(monitor).toMatchObject({ reason: "exited", exitCode: 7 })
      expect(notice).toStartWith("exited with code 7, 1 event")
    })
  )

  it.live(
    "comes where a command reads from nobody",
    Effect.gen(function* () {
      expect(yield* run("cat; echo read")).toMatchObject({ lines: ["read"], monitor: { exitCode: 0 } })
    })
  )
})

describe("what is printed", () => {
  it.live(
    "arrives whole where a character is split over 100 ms",
    Effect.gen(function* () {
      const { lines } = yield* run(String.raw`printf 'gr\303'; sleep 0.1; printf '\274n\n'`)
      expect(lines).toEqual(["grün"])
    })
  )

  it.live(
    "arrives also where the last line has no end",
    Effect.gen(function* () {
      expect((yield* run("printf 'one\\ntwo'")).lines).toEqual(["one\ntwo"])
    })
  )

  it.live(
    "as a progress bar is what stood there last",
    Effect.gen(function* () {
      const { lines, monitor } = yield* run(
        String.raw`for i in 10 50 100; do printf '\r%s%%' $i; sleep 0.02; done; echo; printf 'a\r\nb\r\n'`
      )
      expect(lines.join("\n")).toBe("100%\na\nb")
      expect(monitor.ledger.linesRead).toBe(3)
    })
  )

  it.live(
    "to stderr stands in the log only",
    Effect.gen(function* () {
      const { session, monitor, lines } = yield* run("echo out; sleep 0.05; echo err >&2")
      expect(lines).toEqual(["out"])
      const page = yield* (yield* Monitors).output(session.id, monitor.id)
      expect(page).toMatchObject({ output: "out\n[stderr] err\n", ended: true, truncated: false })
    })
  )

  const wide = real({ monitor: { maxStdoutBytes: 2 ** 24 } })

  wide.live(
    "in 100,000 lines at once is accounted for, line by line",
    Effect.gen(function* () {
      const { session, monitor } = yield* run("seq 100000")
      const { linesRead, linesDelivered, linesSuppressed, linesPending, bytesRead } = monitor.ledger
      expect(linesRead).toBe(100_000)
      expect(bytesRead).toBe(588_895)
      expect(linesPending).toBe(0)
      const rows = yield* unread(session)
      const inInbox = rows.flatMap(({ payload }) => (payload.type === "lines" ? payload.lines : []))
      expect(inInbox).toHaveLength(linesDelivered)
      expect(linesDelivered + linesSuppressed).toBe(100_000)
      expect(inInbox.at(-1)).toBe("100000")
      expect(new Set(inInbox).size).toBe(linesDelivered)
    })
  )
})

it.live(
  "a command has none of its server's descriptors: neither database nor sockets nor another's pipes",
  Effect.gen(function* () {
    const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
    yield* Effect.addFinalizer(() => Effect.promise(() => listener.stop(true)))
    const session = yield* newSession()
    const mark = uniqueSeconds()
    yield* start(session, { command: `exec sleep ${mark}`, description: "beside it" })
    yield* start(session, { command: `exec sleep ${mark}` })
    yield* until(() => living(`sleep\0${mark}`).length === 2)
    // While it is loaded, a program has one more.
    for (const pid of living(mark)) yield* until(() => readdirSync(`/proc/${pid}/fd`).join() === "0,1,2")
  })
)

const descriptors = () => readdirSync("/proc/self/fd").length

const many = real({ monitor: { maxActive: 100 }, events: { maxWaiting: 1_000 } })

many.live(
  "fifty at once all arrive, end and leave no descriptor open",
  Effect.gen(function* () {
    yield* run("true")
    const session = yield* newSession()
    const before = descriptors()
    const numbers = Array.from({ length: 50 }, (_, n) => n)
    const monitors = yield* Effect.forEach(
      numbers,
      (n) =>
        start(session, {
          description: `number ${n}`,
          command: `for i in 1 2 3; do echo ${n} $i; sleep 0.05; done`
        }),
      { concurrency: 10 }
    )
    yield* (yield* Jobs).awaitQuiet(session.id)
    yield* Effect.forEach(monitors, ({ id }) => Effect.flatMap(Jobs, (jobs) => jobs.await(id)))
    for (const monitor of monitors)
      expect(yield* current(monitor)).toMatchObject({
        status: "ended",
        exitCode: 0,
        ledger: { linesRead: 3, linesDelivered: 3 }
      })
    const rows = yield* unread(session)
    const lines = rows.flatMap(({ payload }) => (payload.type === "lines" ? payload.lines : []))
    expect(lines.toSorted()).toEqual(numbers.flatMap((n) => [1, 2, 3].map((i) => `${n} ${i}`)).toSorted())
    expect(rows.filter(({ payload }) => payload.type === "notice")).toHaveLength(50)
    yield* until(() => descriptors() <= before)
  })
)
