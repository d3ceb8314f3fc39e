import { describe, expect, test } from "bun:test"
import { defaults } from "@vigil/schema/config"
import { emptyLedger, type Ledger } from "@vigil/schema/monitor"
import * as fc from "fast-check"
import type { Line } from "../../src/monitor/clean.ts"
import * as Policy from "../../src/monitor/policy.ts"

const limits: Policy.Limits = defaults.monitor
const KiB = 1024

/** Plays a monitor: numbered lines, and a record that the actions are committed to. */
const watch = (own: Partial<Policy.Limits> = {}) => {
  let state = Policy.start({ ...limits, ...own })
  let offset = 0
  let printed = 0
  let record: Ledger = emptyLedger
  const actions: Array<Policy.Action> = []
  const send = (input: Policy.Input) => {
    const next = Policy.step(state, input)
    // A commit that failed is tried again from the same state.
    expect(Policy.step(state, input)).toEqual(next)
    for (const action of next.actions) {
      if (action.type === "deliver" || action.type === "end") {
        record = Policy.add(record, action.delta)
        expect(record.bytesRead).toBe(action.type === "end" ? action.cursor : action.batch.cursor)
        expect(record.linesPending).toBe(0)
        expect(balanced(record)).toBe(true)
      }
    }
    state = next.state
    actions.push(...next.actions)
    return next.actions
  }
  const makeLines = (count: number, size: number): Array<Line> =>
    Array.from({ length: count }, () => {
      offset += size + 1
      return { text: String(++printed), bytes: size, clippedBytes: 0, end: offset }
    })
  return {
    send,
    open: (at = 0) => send({ type: "opened", at }),
    print: (at: number, count = 1, size = 10) => {
      const before = offset
      const lines = makeLines(count, size)
      return send({ type: "read", at, lines, bytes: offset - before })
    },
    /** Bytes that complete no line. */
    dribble: (at: number, bytes: number) => {
      offset += bytes
      return send({ type: "read", at, lines: [], bytes })
    },
    window: (at: number) => send({ type: "window", at }),
    cause: (at: number, reason: Policy.Cause["reason"]) => send({ type: "cause", at, cause: { reason } }),
    close: (at: number, rest = 0) => {
      offset -= rest
      return send({ type: "closed", at, lines: rest === 0 ? [] : makeLines(1, rest - 1) })
    },
    get ledger() {
      return Policy.add(record, Policy.ahead(state))
    },
    get state() {
      return state
    },
    get printed() {
      return printed
    },
    get offset() {
      return offset
    },
    actions
  }
}

const balanced = (ledger: Ledger) =>
  ledger.linesRead === ledger.linesDelivered + ledger.linesSuppressed + ledger.linesPending
const batches = (actions: ReadonlyArray<Policy.Action>) =>
  actions.flatMap((action) => (action.type === "deliver" ? [action.batch] : []))
const texts = (actions: ReadonlyArray<Policy.Action>) =>
  batches(actions).map(({ lines }) => lines.map(({ text }) => text))
const ending = (actions: ReadonlyArray<Policy.Action>) =>
  actions.flatMap((action) => (action.type === "end" ? [action.cause.reason] : []))
const stops = (actions: ReadonlyArray<Policy.Action>) =>
  actions.flatMap((action) => (action.type === "stop" ? [action.cause.reason] : []))

describe("windows", () => {
  test("the first line opens a window, and what it holds when it closes is one event", () => {
    const monitor = watch()
    monitor.open()
    expect(monitor.print(1000)).toEqual([{ type: "window", afterMs: 200 }])
    expect(monitor.print(1100, 2)).toEqual([])
    expect(monitor.ledger).toMatchObject({ linesRead: 3, linesPending: 3, linesDelivered: 0, bytesRead: 33 })
    expect(batches(monitor.window(1200))).toMatchObject([{ seq: 1, cursor: 33, bytes: 36 }])
    expect(monitor.ledger).toMatchObject({ linesRead: 3, linesPending: 0, linesDelivered: 3, events: 1 })
    expect(monitor.print(1300)).toEqual([{ type: "window", afterMs: 200 }])
  })

  test("bytes that complete no line open none, and are counted", () => {
    const monitor = watch()
    expect(monitor.dribble(0, 500)).toEqual([])
    expect(monitor.ledger).toEqual({ ...emptyLedger, bytesRead: 500 })
  })

  test("a window of no length delivers at once", () => {
    const monitor = watch({ batchMs: 0 })
    expect(texts(monitor.print(0, 2))).toEqual([["1", "2"]])
  })

  test("what is more than one event holds is split at line ends", () => {
    const monitor = watch({ maxBatchBytes: 100 })
    monitor.print(0, 5, 40)
    expect(batches(monitor.window(200))).toMatchObject([
      { seq: 1, bytes: 83, lines: [{ text: "1" }, { text: "2" }] },
      { seq: 2, bytes: 83, lines: [{ text: "3" }, { text: "4" }] },
      { seq: 3, bytes: 40, lines: [{ text: "5" }] }
    ])
  })

  test("a flood does not wait for its window: full events go, the rest stays", () => {
    const monitor = watch({ maxStdoutBytes: 1024 * 1024 * KiB })
    let most = 0
    for (let i = 0; i < 1000; i++) {
      monitor.print(i / 10, 64, KiB - 1)
      most = Math.max(most, monitor.state.heldBytes)
    }
    expect(most).toBeLessThanOrEqual(Policy.maxHeldBytes)
    expect(monitor.ledger.linesRead).toBe(64_000)
    monitor.window(200)
    expect(monitor.ledger).toMatchObject({ linesPending: 0, linesDelivered: 64_000 })
    expect(monitor.actions.filter(({ type }) => type === "window")).toHaveLength(1)
  })
})

describe("ends", () => {
  test("last lines and end are one step, also those that had no newline", () => {
    const monitor = watch()
    monitor.open()
    monitor.print(1000)
    monitor.dribble(1010, 5)
    expect(monitor.cause(1020, "exited")).toEqual([{ type: "stop", cause: { reason: "exited" } }])
    expect(monitor.window(1200)).toEqual([])
    const last = monitor.close(1210, 5)
    expect(texts(last)).toEqual([["1", "2"]])
    expect(ending(last)).toEqual(["exited"])
    expect(monitor.ledger).toMatchObject({ bytesRead: 16, linesRead: 2, linesDelivered: 2, events: 1 })
  })

  test("the first cause is the reason, and stops the process once", () => {
    const monitor = watch()
    monitor.cause(0, "expired")
    expect(monitor.cause(1, "cancelled")).toEqual([])
    expect(monitor.cause(2, "exited")).toEqual([])
    expect(ending(monitor.close(3))).toEqual(["expired"])
    expect(stops(monitor.actions)).toEqual(["expired"])
  })

  for (const reason of ["exited", "expired", "cancelled", "server_restarted", "error"] as const)
    test(`lines that come while ${reason} is carried out are delivered`, () => {
      const monitor = watch()
      monitor.cause(0, reason)
      monitor.print(10, 3)
      expect(monitor.ledger.linesPending).toBe(3)
      expect(texts(monitor.close(500))).toEqual([["1", "2", "3"]])
    })

  test("a session that was deleted gets nothing more", () => {
    const monitor = watch()
    monitor.print(0, 2)
    monitor.cause(10, "session_deleted")
    monitor.print(20)
    expect(texts(monitor.close(30))).toEqual([])
    expect(monitor.ledger).toMatchObject({ linesRead: 3, linesSuppressed: 3, events: 0 })
  })

  test("also where another cause came first", () => {
    const monitor = watch()
    monitor.print(0, 2)
    monitor.cause(10, "expired")
    monitor.cause(20, "session_deleted")
    const last = monitor.close(30)
    expect(texts(last)).toEqual([])
    expect(ending(last)).toEqual(["expired"])
  })

  test("an end without a cause is an error, and says so", () => {
    const monitor = watch()
    expect(monitor.close(0)).toMatchObject([{ type: "end", cause: { reason: "error" } }])
  })

  test("nothing follows the end", () => {
    const monitor = watch()
    monitor.cause(0, "exited")
    monitor.close(1)
    expect(
      [monitor.print(2), monitor.window(3), monitor.cause(4, "expired"), monitor.close(5)].flat()
    ).toEqual([])
  })

  test("clipped lines are delivered and counted besides", () => {
    const monitor = watch()
    monitor.send({
      type: "read",
      at: 0,
      bytes: 50,
      lines: [{ text: "x", bytes: 1, clippedBytes: 40, end: 50 }]
    })
    expect(monitor.ledger).toMatchObject({ linesClipped: 0, linesPending: 1 })
    monitor.window(200)
    expect(monitor.ledger).toMatchObject({ linesDelivered: 1, linesClipped: 1, bytesClipped: 40 })
  })
})

describe("output limit", () => {
  test("what lies within it is delivered, what passes it is suppressed and counted", () => {
    const monitor = watch({ maxStdoutBytes: 55 })
    expect(monitor.print(0, 5)).toEqual([{ type: "window", afterMs: 200 }])
    expect(stops(monitor.print(10, 2))).toEqual(["output_limit"])
    monitor.print(20)
    const last = monitor.close(500)
    expect(texts(last)).toEqual([["1", "2", "3", "4", "5"]])
    expect(ending(last)).toEqual(["output_limit"])
    expect(monitor.ledger).toMatchObject({
      bytesRead: 88,
      linesRead: 8,
      linesDelivered: 5,
      linesSuppressed: 3
    })
  })

  test("just as much as is allowed is allowed", () => {
    const monitor = watch({ maxStdoutBytes: 55 })
    expect(stops(monitor.print(0, 5))).toEqual([])
    expect(stops(monitor.dribble(0, 1))).toEqual(["output_limit"])
  })

  test("a line without end passes it too", () => {
    const monitor = watch()
    expect(monitor.dribble(0, 256 * KiB)).toEqual([])
    expect(stops(monitor.dribble(0, 1))).toEqual(["output_limit"])
    monitor.close(10, 256 * KiB + 1)
    expect(monitor.ledger).toMatchObject({ linesRead: 1, linesSuppressed: 1, bytesRead: 256 * KiB + 1 })
  })

  test("it holds while another cause is carried out, and is not the reason", () => {
    const monitor = watch({ maxStdoutBytes: 55 })
    monitor.cause(0, "expired")
    monitor.print(0, 7)
    const last = monitor.close(10)
    expect([texts(last), ending(last)]).toEqual([[["1", "2", "3", "4", "5"]], ["expired"]])
    expect(monitor.ledger.linesSuppressed).toBe(2)
  })
})

describe("rate limit", () => {
  /** A line at each time, its window closing 200 ms later; the time at which it was stopped. */
  const stoppedAt = (times: ReadonlyArray<number>, own: Partial<Policy.Limits> = {}) => {
    const monitor = watch(own)
    monitor.open()
    for (const at of times) {
      const actions = [...monitor.print(at), ...monitor.window(at + (own.batchMs ?? limits.batchMs))]
      if (stops(actions).length > 0) return { at, reasons: stops(actions), monitor }
    }
    return undefined
  }
  const every = (ms: number, untilMs: number) =>
    Array.from({ length: Math.floor(untilMs / ms) }, (_, i) => i * ms)

  test("four events a second for 28 s are delivered whole", () => {
    expect(stoppedAt(every(250, 28_000))).toBeUndefined()
  })

  test("and stopped as soon as 30 s have passed, with the batch that passes the limit suppressed", () => {
    const stopped = stoppedAt(every(250, 60_000))!
    expect(stopped.at).toBe(30_000)
    expect(stopped.reasons).toEqual(["rate_limit"])
    const { monitor } = stopped
    const before = monitor.ledger
    expect(before).toMatchObject({
      linesSuppressed: 1,
      linesPending: 0,
      linesDelivered: before.linesRead - 1
    })
    monitor.print(31_000, 5)
    expect(texts(monitor.close(31_500))).toEqual([])
    expect(monitor.ledger).toMatchObject({ linesSuppressed: 6, events: before.events })
  })

  test("a line a second is never stopped", () => {
    expect(stoppedAt(every(1000, 600_000))).toBeUndefined()
  })

  test("nor where timers are some milliseconds off, with any window", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 70, maxLength: 70 }),
        fc.constantFrom(0, 10, 200, 500),
        (late, batchMs) => {
          expect(
            stoppedAt(
              late.map((ms, i) => i * 1000 + ms),
              { batchMs }
            )
          ).toBeUndefined()
        }
      )
    )
  })

  test("the 31st less than 29.8 s behind the first is one too many, at 29.8 s it is not", () => {
    const burst = (lastMs: number) => [
      ...Array.from({ length: 30 }, (_, i) => 40_000 + i * 300),
      40_000 + lastMs
    ]
    expect(stoppedAt(burst(29_799.9))?.at).toBe(69_799.9)
    expect(stoppedAt(burst(29_800))).toBeUndefined()
  })

  test("the events of one window count each", () => {
    const monitor = watch({ maxBatchBytes: 100, rateEvents: 3 })
    monitor.open()
    monitor.print(50_000, 5, 90)
    const actions = monitor.window(50_200)
    expect(texts(actions)).toEqual([["1"], ["2"], ["3"]])
    expect(stops(actions)).toEqual(["rate_limit"])
    expect(monitor.ledger).toMatchObject({ linesDelivered: 3, linesSuppressed: 2, events: 3 })
  })

  test("the last lines of a command that exits are not judged", () => {
    const monitor = watch({ maxBatchBytes: 100, rateEvents: 3 })
    monitor.open()
    monitor.print(50_000, 5, 90)
    monitor.cause(50_100, "exited")
    expect(texts(monitor.close(50_110))).toHaveLength(5)
  })

  test("one event per window is a limit too", () => {
    expect(stoppedAt([31_000, 70_000, 99_800], { rateEvents: 1 })).toBeUndefined()
    expect(stoppedAt([31_000, 40_000], { rateEvents: 1 })?.at).toBe(40_000)
  })
})

describe("leftover", () => {
  const lines = (count: number, size: number) =>
    Array.from({ length: count }, (_, i) => ({
      text: String(i),
      bytes: size,
      clippedBytes: i === count - 1 ? 7 : 0,
      end: 100 + (i + 1) * (size + 1)
    }))

  test("what a crash left is delivered, without being an event", () => {
    const left = Policy.leftover(limits, { cursor: 100, end: 180, lines: lines(7, 10) })
    expect(left.lines).toHaveLength(7)
    expect(left.delta).toEqual({
      ...emptyLedger,
      bytesRead: 80,
      linesRead: 7,
      linesDelivered: 7,
      linesClipped: 1,
      bytesClipped: 7
    })
  })

  test("of much, the newest lines, and the oldest are suppressed", () => {
    const left = Policy.leftover(limits, { cursor: 100, end: 100 + 1001 * 50, lines: lines(50, 1000) })
    expect(left.lines.map(({ text }) => Number(text))).toEqual(Array.from({ length: 16 }, (_, i) => 34 + i))
    expect(left.delta).toMatchObject({ linesRead: 50, linesDelivered: 16, linesSuppressed: 34 })
  })

  test("nothing beyond the output limit", () => {
    const own = { ...limits, maxStdoutBytes: 130 }
    const left = Policy.leftover(own, { cursor: 100, end: 155, lines: lines(5, 10) })
    expect(left.lines.map(({ text }) => text)).toEqual(["0", "1"])
    expect(left.delta).toMatchObject({ bytesRead: 55, linesDelivered: 2, linesSuppressed: 3 })
  })
})

describe("properties", () => {
  const passing = fc.record({
    afterMs: fc.nat(900),
    type: fc.constantFrom("print", "print", "print", "window")
  })
  const size = fc.nat(60)
  const event = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(passing, fc.nat(6), size) },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.record({
          afterMs: fc.nat(100),
          type: fc.constantFrom("expired", "cancelled", "exited", "session_deleted")
        }),
        fc.nat(6),
        size
      )
    }
  )
  const own = fc.record({
    batchMs: fc.constantFrom(0, 200),
    maxBatchBytes: fc.integer({ min: 60, max: 300 }),
    rateEvents: fc.integer({ min: 1, max: 12 }),
    rateWindowMs: fc.integer({ min: 1000, max: 5000 }),
    maxStdoutBytes: fc.integer({ min: 100, max: 20_000 })
  })

  test("whatever happens, every line is in one place, in order, within the limits, and the first cause is the reason", () => {
    const reasons = new Set<string>()
    fc.assert(
      fc.property(own, fc.array(event, { maxLength: 80 }), fc.nat(40), (own, events, rest) => {
        const monitor = watch(own)
        monitor.open()
        const check = () => {
          expect(balanced(monitor.ledger)).toBe(true)
          expect(monitor.ledger.linesRead).toBe(monitor.printed)
          expect(monitor.ledger.bytesRead).toBe(monitor.offset)
          expect(monitor.state.deliveredAt.length).toBeLessThanOrEqual(own.rateEvents)
        }
        let at = 0
        let closing = 0
        for (const [{ afterMs, type }, count, size] of events) {
          at += afterMs
          if (type === "print") monitor.print(at, count, size)
          else if (type === "window") monitor.window(at)
          else {
            closing++
            monitor.cause(at, type)
          }
          check()
        }
        if (rest > 0) monitor.dribble(at, rest)
        check()
        if (closing === 0) monitor.cause(at, "exited")
        monitor.close(at, rest)
        check()

        const all = batches(monitor.actions)
        expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1))
        expect(monitor.ledger).toMatchObject({ events: all.length, linesPending: 0 })
        const delivered = all.flatMap(({ lines }) => lines)
        expect(delivered.map(({ text }) => Number(text))).toEqual(delivered.map((_, i) => i + 1))
        expect(delivered).toHaveLength(monitor.ledger.linesDelivered)
        for (const batch of all) {
          expect(batch.lines.length).toBeGreaterThan(0)
          expect(batch.bytes).toBeLessThanOrEqual(own.maxBatchBytes)
          expect(batch.cursor).toBeLessThanOrEqual(own.maxStdoutBytes)
        }
        expect(ending(monitor.actions)).toEqual(stops(monitor.actions))
        expect(monitor.actions.at(-1)!.type).toBe("end")
        reasons.add(ending(monitor.actions)[0]!)
      }),
      { numRuns: 500 }
    )
    // The property is worth something only where all of them came about.
    expect(reasons).toContain("rate_limit")
    expect(reasons).toContain("output_limit")
    expect(reasons).toContain("expired")
  })
})
