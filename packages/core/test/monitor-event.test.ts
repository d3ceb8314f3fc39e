/** From bytes to events: windows, rows, wakes, limits, and books that balance whatever fails. */
import { describe, expect } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { InputId } from "@vigil/schema/input"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Inbox } from "../src/inbox.ts"
import { Monitors } from "../src/monitor.ts"
import { payloadText } from "../src/monitor/notice.ts"
import { Sessions } from "../src/session.ts"
import { StateDirectory } from "../src/state.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import {
  current,
  Faults,
  newSession,
  pass,
  readAll,
  settle,
  start,
  started,
  story,
  told,
  unread,
  until,
  waiting,
  Wakes,
  wakes,
  watching
} from "./lib/watching.ts"

const it = watching()

const lines = (count: number, bytes: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${from + index} `.padEnd(bytes - 1, "x") + "\n").join("")

describe("a window", () => {
  it.effect(
    "is opened by the first line, and what is complete when it closes is one event",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.print("one\n")
      yield* pass(150)
      process.print("two\nthr")
      yield* pass(49)
      expect(yield* unread(session)).toEqual([])
      yield* pass(1)
      expect(yield* waiting(session)).toEqual(["one\ntwo"])
      expect((yield* until("monitor.event")).data).toMatchObject({
        monitorID: monitor.id,
        seq: 1,
        lines: ["one", "two"],
        ledger: { linesRead: 2, linesDelivered: 2, events: 1, bytesRead: 8 }
      })
      expect(yield* wakes).toBe(1)
      process.print("ee\n")
      yield* pass(199)
      expect(yield* wakes).toBe(1)
      yield* pass(1)
      expect(yield* waiting(session)).toEqual(["one\ntwo\nthree"])
      expect(yield* wakes).toBe(2)
    })
  )

  it.effect(
    "is not opened by half a line, nor by a blank one",
    Effect.gen(function* () {
      const { session, process } = yield* started()
      process.print("half", "\r", "  \n\n")
      yield* pass(60_000)
      expect(yield* unread(session)).toEqual([])
      expect(yield* wakes).toBe(0)
    })
  )

  it.effect(
    "between the bytes of a character does not break it",
    Effect.gen(function* () {
      const { session, process } = yield* started()
      const bytes = new TextEncoder().encode("grün €\n")
      for (const byte of bytes) {
        process.print(Uint8Array.of(byte))
        yield* pass(100)
      }
      yield* pass(200)
      expect(yield* waiting(session)).toEqual(["grün €"])
    })
  )
})

describe("rows", () => {
  it.effect(
    "a batch joins its monitor's last unread row, and what comes after reading makes a new one",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started({ delivery: "queue" })
      for (const line of ["a\n", "b\n"]) {
        process.print(line)
        yield* pass(200)
      }
      expect(yield* unread(session)).toMatchObject([
        { id: `${monitor.id}:1`, delivery: "queue", origin: "monitor", kind: "synthetic", wakes: true }
      ])
      yield* readAll(session)
      process.print("c\n")
      yield* pass(200)
      expect((yield* unread(session)).map(({ id }) => String(id))).toEqual([`${monitor.id}:3`])
      yield* readAll(session)
      const messages = yield* (yield* Sessions).messages(session.id)
      expect(messages.map(({ message }) => String(message.id))).toEqual([
        `${monitor.id}:1`,
        `${monitor.id}:3`
      ])
    })
  )

  it.effect(
    "each stays within 16 KiB, as it will be read, however short its lines",
    Effect.gen(function* () {
      const { session, process } = yield* started()
      for (let batch = 0; batch < 15; batch++) {
        process.print(lines(400, 9, batch * 400))
        yield* pass(200)
      }
      const rows = yield* unread(session)
      expect(rows.length).toBeGreaterThan(1)
      const label = 200
      for (const { payload } of rows) {
        if (payload.type !== "lines") throw new Error("no lines")
        expect(Buffer.byteLength(payloadText(payload))).toBeLessThanOrEqual(16_384 + label)
      }
      const all = rows.flatMap(({ payload }) => (payload.type === "lines" ? payload.lines : []))
      expect(all.map((line) => Number.parseInt(line, 10))).toEqual(Array.from({ length: 6_000 }, (_, n) => n))
    })
  )

  it.effect(
    "what is more than one event holds is split at line ends",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.print(lines(40, 1_024))
      yield* pass(200)
      const rows = yield* unread(session)
      expect(rows.map(({ id }) => String(id))).toEqual([1, 2, 3].map((seq) => `${monitor.id}:${seq}`))
      expect((yield* current(monitor)).ledger).toMatchObject({ linesDelivered: 40, events: 3 })
    })
  )

  it.effect(
    "a line over 16 KiB is clipped, delivered and counted",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.print("x".repeat(20_000) + "\n")
      yield* pass(200)
      const { ledger } = yield* current(monitor)
      expect(ledger).toMatchObject({ linesRead: 1, linesDelivered: 1, linesClipped: 1, bytesRead: 20_001 })
      expect(ledger.bytesClipped).toBeGreaterThan(20_000 - 16_384)
      expect((yield* waiting(session))[0]).toContain(`${ledger.bytesClipped}`)
    })
  )

  it.effect(
    "stderr goes to the log, labelled, and is no event",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      process.printError("careful\n")
      process.print("fine\n")
      yield* pass(200)
      expect(yield* waiting(session)).toEqual(["fine"])
      const page = yield* (yield* Monitors).output(session.id, monitor.id)
      expect(page.output).toBe("[stderr] careful\nfine\n")
      expect((yield* current(monitor)).ledger.bytesRead).toBe(5)
    })
  )
})

it.effect(
  "a session is woken once the row is there to be read",
  Effect.gen(function* () {
    const woken = yield* Wakes
    const inbox = yield* Inbox
    const seen: Array<number> = []
    woken.turn = (sessionID) => Effect.map(inbox.pending(sessionID), (rows) => void seen.push(rows.length))
    const { process } = yield* started()
    process.print("one\n")
    yield* pass(200)
    expect(seen).toEqual([1])
  })
)

describe("the rate limit", () => {
  it.effect(
    "ends a watch of more than 30 events in 30 s, once 30 s have passed",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      let printed = 0
      for (; printed < 200; printed++) {
        process.print(`line ${printed}\n`)
        yield* pass(500)
        if (process.stops.length > 0) break
      }
      expect(printed).toBeGreaterThanOrEqual(59)
      expect(printed).toBeLessThan(64)
      const { ledger, reason, signal } = yield* current(monitor)
      expect({ reason, signal }).toEqual({ reason: "rate_limit", signal: "SIGTERM" })
      expect(ledger).toMatchObject({ linesRead: printed + 1, linesSuppressed: 1, events: printed })
      expect((yield* waiting(session)).at(-1)).toStartWith(
        `stopped: more than 30 events in 30 s, ${printed} events, 1 line suppressed`
      )
    })
  )

  it.effect(
    "never ends a watch of a line a second",
    Effect.gen(function* () {
      const { monitor, process } = yield* started()
      for (let second = 0; second < 90; second++) {
        process.print(`second ${second}\n`)
        yield* pass(1_000)
      }
      expect(yield* current(monitor)).toMatchObject({
        status: "running",
        ledger: { linesDelivered: 90, events: 90, linesSuppressed: 0 }
      })
    })
  )
})

const small = watching({
  monitor: { maxStdoutBytes: 16_384, killGraceMs: 70, batchMs: 0, maxBatchBytes: 1_024 }
})

small.effect(
  "the output limit ends a watch once what lies within it is delivered",
  Effect.gen(function* () {
    const { session, monitor, process } = yield* started()
    process.print(lines(20, 1_000))
    yield* settle
    expect(process.stops).toEqual([70])
    const { ledger, reason } = yield* current(monitor)
    expect(reason).toBe("output_limit")
    expect(ledger).toMatchObject({ bytesRead: 20_000, linesRead: 20, linesDelivered: 16, linesSuppressed: 4 })
    expect((yield* waiting(session)).at(-1)).toStartWith("stopped: more than 16 KiB of output, ")
  })
)

small.effect(
  "a flood is killed at once while nothing can be stored, so that it does not fill the memory",
  Effect.gen(function* () {
    const faults = yield* Faults
    const { monitor, process } = yield* started()
    faults.failsOn = /INSERT INTO inbox/
    process.print("first\n")
    yield* settle
    for (let megabyte = 0; megabyte < 3; megabyte++) process.print(lines(1_000, 1_000))
    yield* settle
    expect(process.stops).toEqual([0])
    faults.failsOn = undefined
    yield* pass(10_000)
    expect(yield* current(monitor)).toMatchObject({ status: "ended", reason: "output_limit" })
  })
)

small.effect(
  "windows and the size of events can be set",
  Effect.gen(function* () {
    const { session, process } = yield* started()
    process.print(lines(3, 600))
    yield* settle
    expect(yield* unread(session)).toHaveLength(3)
  })
)

describe("the log", () => {
  const short = watching({ monitor: { maxLogBytes: 131_072, maxStdoutBytes: 2 ** 20 } })

  short.effect(
    "keeps the newest output, is read in pages of 64 KiB at most, and reads say what is gone",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      const text = lines(2_000, 100)
      process.print(text)
      yield* settle
      const monitors = yield* Monitors
      const { log } = yield* current(monitor)
      expect(log.size).toBe(200_000)
      expect(log.start).toBeGreaterThanOrEqual(200_000 - 131_072)
      const oldest = yield* monitors.output(session.id, monitor.id, { cursor: 0, limit: 1_000_000 })
      expect(oldest).toMatchObject({ truncated: true, start: log.start, size: 200_000, ended: false })
      expect(oldest.output).toBe(text.slice(oldest.cursor - oldest.output.length, oldest.cursor))
      expect(Buffer.byteLength(oldest.output)).toBeLessThanOrEqual(65_536)
      const newest = yield* monitors.output(session.id, monitor.id, { limit: 50 })
      expect(newest).toMatchObject({ output: text.slice(-50), cursor: 200_000 })
    })
  )

  it.effect(
    "can be read after the end, and what was not yet delivered lay in a file of its own until then",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      const folder = (yield* StateDirectory).folder(session.id, monitor.id)
      const saved = () => {
        const files = existsSync(`${folder}/stdout`) ? readdirSync(`${folder}/stdout`) : []
        return files.map((file) => readFileSync(`${folder}/stdout/${file}`, "utf8")).join("")
      }
      process.printError("not this\n")
      process.print("one\ntw")
      expect(saved()).toBe("one\ntw")
      process.exit()
      yield* until("monitor.ended")
      yield* settle
      expect(existsSync(`${folder}/stdout`)).toBe(false)
      const page = yield* (yield* Monitors).output(session.id, monitor.id)
      expect(page).toMatchObject({ output: "[stderr] not this\none\ntw", ended: true })
    })
  )
})

describe("an inbox that is full", () => {
  const crowded = watching({ monitor: { maxActive: 100 }, events: { maxWaiting: 64 } })

  crowded.effect(
    "keeps counts of its oldest lines, in the books as in the inbox",
    Effect.gen(function* () {
      const session = yield* newSession()
      const shell = yield* FakeShell
      const ids: Array<string> = []
      for (let count = 0; count < 66; count++) {
        ids.push((yield* start(session, { description: `number ${count}` })).id)
        shell.processes[count]!.print(`a ${count}\nb ${count}\n`)
        yield* pass(200)
      }
      const rows = yield* unread(session)
      expect(rows).toHaveLength(64)
      expect(rows[0]!.payload).toMatchObject({
        type: "counts",
        suppressed: [0, 1, 2].map((count) => ({ source: { id: ids[count]! }, lines: 2 }))
      })
      const monitors = yield* Monitors
      for (const [count, id] of ids.entries()) {
        const { ledger } = yield* monitors.get(session.id, id)
        expect([ledger.linesDelivered, ledger.linesSuppressed]).toEqual(count < 3 ? [0, 2] : [2, 0])
      }
      const updated = (yield* told).filter(({ type }) => type === "monitor.updated")
      expect(updated).toHaveLength(3)

      // What was replaced stays known: it is not admitted a second time.
      const inbox = yield* Inbox
      yield* inbox.admit({
        id: InputId.make(`${ids[0]}:1`),
        sessionID: session.id,
        delivery: "steer",
        origin: "monitor",
        payload: { type: "lines", source: { id: ids[0]!, description: "number 0" }, lines: ["a 0", "b 0"] },
        wakes: true
      })
      expect(yield* unread(session)).toEqual(rows)
    })
  )

  const tiny = watching({ events: { maxWaiting: 2 }, monitor: { maxBatchBytes: 1_024 } })

  tiny.effect(
    "takes a flood of one monitor without a count below zero",
    Effect.gen(function* () {
      const { monitor, process } = yield* started()
      process.print(lines(20, 600))
      yield* pass(200)
      expect((yield* current(monitor)).ledger).toMatchObject({
        linesRead: 20,
        linesDelivered: 1,
        linesSuppressed: 19,
        events: 20
      })
    })
  )
})

describe("a database that fails for a while", () => {
  it.effect(
    "loses no line and doubles none",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      const faults = yield* Faults
      for (const failing of [/INSERT INTO inbox/, /INSERT INTO event/, /INSERT INTO kv/, /^COMMIT/]) {
        faults.failsOn = failing
        process.print(`${failing} 1\n`)
        yield* pass(1_000)
        process.print(`${failing} 2\n`)
        yield* pass(10_000)
        expect(yield* unread(session)).toEqual([])
        faults.failsOn = undefined
        yield* pass(5_200)
        expect(yield* waiting(session)).toEqual([`${failing} 1\n${failing} 2`])
        yield* readAll(session)
      }
      expect(yield* current(monitor)).toMatchObject({
        status: "running",
        ledger: { linesRead: 8, linesDelivered: 8, events: 8 }
      })
    })
  )

  it.effect(
    "only delays an end, which is written once",
    Effect.gen(function* () {
      const { session, monitor, process } = yield* started()
      const faults = yield* Faults
      faults.failsOn = /INSERT INTO kv/
      process.print("last words")
      process.exit({ code: 1 })
      yield* pass(3_000)
      expect(yield* unread(session)).toEqual([])
      faults.failsOn = undefined
      yield* pass(5_000)
      expect(yield* waiting(session)).toMatchObject([
        "last words",
        expect.stringContaining("exited with code 1")
      ])
      expect(yield* story).toEqual(["started", "event", "ended"])
      expect((yield* current(monitor)).status).toBe("ended")
      expect(yield* wakes).toBe(1)
    })
  )
})

it.effect(
  "a log that can't be written is shown on the record, and the watch goes on",
  Effect.gen(function* () {
    const { session, monitor, process } = yield* started()
    rmSync((yield* StateDirectory).folder(session.id, monitor.id), { recursive: true })
    process.print("still told\n")
    yield* pass(200)
    expect(yield* waiting(session)).toEqual(["still told"])
    const found = yield* current(monitor)
    expect(found.status).toBe("running")
    expect(found.log).toMatchObject({ size: 11, error: expect.stringContaining("not kept") })
    process.exit()
    yield* settle
    expect((yield* until("monitor.ended")).data.monitor.log.error).toContain("not kept")
  })
)

it.effect(
  "what was printed last, and when, stands in the record",
  Effect.gen(function* () {
    const { monitor, process } = yield* started()
    process.print("one\ntwo\n")
    yield* pass(200)
    const { lastLine, lastOutputAt, log } = yield* current(monitor)
    expect({ lastLine, lastOutputAt, log }).toEqual({
      lastLine: "two",
      lastOutputAt: monitor.startedAt + 200,
      log: { start: 0, size: 8 }
    })
    process.print("not yet told\n")
    expect((yield* current(monitor)).log.size).toBe(21)
  })
)

it.effect(
  "what is read and not yet delivered is pending, and then no more",
  Effect.gen(function* () {
    const { session, monitor, process } = yield* started()
    process.print("one\ntwo\nthr")
    yield* settle
    const pending = { linesRead: 2, linesPending: 2, linesDelivered: 0, bytesRead: 11 }
    expect((yield* current(monitor)).ledger).toMatchObject(pending)
    expect(yield* (yield* Monitors).list(session.id)).toMatchObject([{ ledger: pending }])
    yield* pass(200)
    expect((yield* current(monitor)).ledger).toMatchObject({
      linesRead: 2,
      linesPending: 0,
      linesDelivered: 2,
      bytesRead: 11
    })
  })
)

it.effect(
  "what reading costs is added up in the record",
  Effect.gen(function* () {
    const { session, monitor } = yield* started()
    const monitors = yield* Monitors
    const usage = { cacheReadTokens: 0 }
    yield* monitors.charge(session.id, [monitor.id], { ...usage, inputTokens: 100, outputTokens: 7 })
    // One request that brought both: each bears a half, and one that is gone takes its own along.
    yield* monitors.charge(session.id, [monitor.id, "mon_gone"], {
      ...usage,
      inputTokens: 51,
      outputTokens: 1
    })
    const cost = { reads: 2, inputTokens: 126, outputTokens: 8 }
    expect(yield* current(monitor)).toMatchObject({ cost })
    expect((yield* told).at(-1)).toMatchObject({ type: "monitor.updated", data: { monitor: { cost } } })
  })
)

it.effect(
  "the deadline that is shown follows a clock that was set",
  Effect.gen(function* () {
    yield* TestClock.setTime(10_000_000)
    const { monitor, process } = yield* started({ timeoutMs: 60_000 })
    expect(monitor.expiresAt).toBe(10_060_000)
    yield* TestClock.setTime(5_000_000)
    process.print("one\n")
    yield* pass(200)
    expect((yield* current(monitor)).expiresAt).toBe(5_060_000)
  })
)
