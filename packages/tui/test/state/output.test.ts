import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import {
  beingRead,
  isFollowing,
  nextReading,
  opened,
  type Output,
  outputMoved,
  outputSeen,
  type Page,
  pageBytes,
  paged,
  toEnd,
  toStart
} from "../../src/state/output.ts"
import { rowText } from "../../src/text/row.ts"
import { focusOf } from "../../src/state/focus.ts"
import type { State } from "../../src/state/shape.ts"
import { tickMs } from "../../src/state/tasks.ts"
import { act, ended as endedMonitor, monitor, state, synced } from "../lib/scene.ts"

const width = 40
const height = 10

/** A log as the server keeps it, from `start` on. */
interface Log {
  readonly bytes: Buffer
  readonly start: number
  readonly ended?: boolean
}

const isInside = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** As the server reads it: between characters, from what is kept. */
const read = ({ bytes, start, ended = false }: Log, cursor: number | undefined, limit: number): Page => {
  const size = bytes.length
  const from = Math.max(start, Math.min(cursor ?? Math.max(start, size - limit), size))
  let begin = from
  if (from !== cursor) while (isInside(bytes[begin])) begin += 1
  let end = Math.min(size, from + limit)
  while (end < size && end > begin && isInside(bytes[end])) end -= 1
  const output = bytes.subarray(begin, end).toString("utf8")
  return { output, cursor: end, start, size, truncated: from !== cursor && start > 0, ended }
}

/** Everything that is wanted, until nothing is. */
const settle = (output: Output, log: Log): Output => {
  let at = output
  for (let reads = 0; reads < 200; reads++) {
    const wanted = nextReading(at, width, height)
    if (wanted === undefined) return at
    at = paged(beingRead(at, wanted), read(log, wanted.cursor, wanted.limit), wanted.cursor)
  }
  throw new Error("It reads without end")
}

const open = (log: Log) => settle(paged(opened("mon_1"), read(log, undefined, pageBytes), undefined), log)

const texts = (output: Output) => outputSeen(output, width, height).rows.map(rowText)

const logOf = (lines: number, start = 0): Log => {
  const bytes = Buffer.from(Array.from({ length: lines }, (_, line) => `line ${line} of ✓ many\n`).join(""))
  return { bytes, start }
}

describe("a log in the viewer", () => {
  test("is followed from its end", () => {
    const output = open(logOf(10_000))
    expect(texts(output).at(-1)).toBe("line 9999 of ✓ many")
    expect(isFollowing(output)).toBe(true)
  })

  test("goes on while it is followed", () => {
    const output = open(logOf(100))
    const grown = logOf(140)
    expect(texts(settle({ ...output, size: grown.bytes.length }, grown)).at(-1)).toBe("line 139 of ✓ many")
  })

  test("keeps its place while it is not followed, whatever is printed", () => {
    const held = outputMoved(open(logOf(100)), width, height, -20)
    const grown = logOf(400)
    const later = settle({ ...held, size: grown.bytes.length }, grown)
    expect(texts(later)).toEqual(texts(held))
    expect(isFollowing(later)).toBe(false)
    expect(texts(settle(toEnd(later), grown)).at(-1)).toBe("line 399 of ✓ many")
  })

  test("is read from its start to its end, a page at a time", () => {
    const log = logOf(20_000)
    let output = settle(toStart(open(log)), log)
    expect(texts(output)[0]).toBe("line 0 of ✓ many")
    const seen: Array<string> = []
    for (let pages = 0; pages < 3_000; pages++) {
      seen.push(...texts(output))
      output = settle(outputMoved(output, width, height, height), log)
      if (output.place === undefined && output.to >= output.size) break
    }
    const numbers = [...new Set(seen.map((text) => Number(/^line (\d+) of ✓ many$/u.exec(text)?.[1])))]
    expect(numbers.filter((number) => Number.isNaN(number))).toEqual([])
    expect(numbers.length).toBeGreaterThanOrEqual(20_000 - height)
    // What lies far away is given back.
    expect(output.lines.length).toBeLessThan(20_000 * 1.5)
    expect(output.to - output.from).toBeLessThan(10 * pageBytes)
  })

  test("read backwards has each line once, and whole", () => {
    const log = logOf(20_000)
    let output = open(log)
    let last = 20_000
    for (let pages = 0; pages < 3_000; pages++) {
      output = settle(outputMoved(output, width, height, -height), log)
      const first = Number(/^line (\d+) of ✓ many$/u.exec(texts(output)[0] ?? "")?.[1])
      expect(first).toBe(pages === 0 ? last - 2 * height : Math.max(0, last - height))
      last = first
      if (first === 0) break
    }
    expect(last).toBe(0)
  })

  test("is held in part, however much of it is gone through", () => {
    const log = logOf(60_000)
    const start = settle(toStart(open(log)), log)
    expect(texts(start)[0]).toBe("line 0 of ✓ many")
    expect(start.to - start.from).toBeLessThanOrEqual(9 * pageBytes)
    expect(texts(settle(toEnd(start), log)).at(-1)).toBe("line 59999 of ✓ many")
  })

  test("says that older output is gone", () => {
    const log = logOf(1_000, 4_000)
    const output = settle(toStart(open(log)), log)
    expect(texts(output)[0]).toBe("· older output is gone")
  })

  test("whose place was dropped meanwhile goes on at what is kept", () => {
    const at = settle(toStart(open(logOf(20_000))), logOf(20_000))
    const later = logOf(60_000, 1_200_000)
    const on = settle(
      { ...outputMoved(at, width, height, 20_000), start: later.start, size: later.bytes.length },
      later
    )
    expect(texts(on).length).toBe(height)
  })

  test("holds for any text, wherever pages are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { maxLength: 60 }), (pieces) => {
        const text = pieces.map((piece) => piece.replace(/[\r\n]/gu, "")).join("\n")
        const log: Log = { bytes: Buffer.from(text.toWellFormed()), start: 0 }
        let output = paged(opened("mon_1"), read(log, undefined, 16), undefined)
        for (let reads = 0; reads < 500 && output.from > 0; reads++) {
          const cursor = Math.max(0, output.from - 16)
          output = paged(output, read(log, cursor, output.from - cursor || 4), cursor)
        }
        expect(output.lines.map(({ raw }) => raw).join("\n")).toBe(text.toWellFormed())
      })
    )
  })
})

describe("the viewer", () => {
  const at = act(state({ monitors: [monitor()] }), "tasks.open", "tasks.output")

  test("asks for the newest page", () => {
    expect(focusOf(at)).toBe("output")
    expect(at.requests).toEqual([{ type: "page", id: "mon_7k2", limit: pageBytes }])
  })

  const page = { output: "one\ntwo\n", cursor: 900, start: 892, size: 900, truncated: true, ended: false }
  const read = { ...act(at, { type: "paged", id: "mon_7k2", page }), requests: [] }

  test("reads on when the log has grown", () => {
    expect(act(read, synced({ monitors: [monitor({ log: { start: 0, size: 950 } })] })).requests).toEqual([
      { type: "page", id: "mon_7k2", cursor: 900, limit: pageBytes }
    ])
  })

  test("looks again while time passes, once at a time", () => {
    const looking = act(read, { type: "ticked" }, { type: "ticked" })
    expect(looking.requests).toEqual([{ type: "page", id: "mon_7k2", cursor: 900, limit: pageBytes }])
  })

  test("reads on at once when the feed tells of lines", () => {
    const { ledger } = monitor()
    const seen = act(read, synced({ monitors: [monitor()] }))
    expect(seen.requests).toEqual([])
    const more = monitor({ ledger: { ...ledger, bytesRead: ledger.bytesRead + 20 } })
    expect(act(seen, synced({ monitors: [more] })).requests).toEqual([
      { type: "page", id: "mon_7k2", cursor: 900, limit: pageBytes }
    ])
  })

  test("looks less and less often while there is nothing, and as before once there is", () => {
    const nothing = { ...page, output: "", start: 0 }
    const more = { ...nothing, output: "3\n", cursor: 902, size: 902 }
    const answered = (state: State, page: Page): State =>
      act(state, { type: "ticked" }, { type: "paged", id: "mon_7k2", page, cursor: 900 })
    const waits: Array<State> = [read]
    for (let looks = 0; looks < 5; looks++) waits.push(answered(waits.at(-1)!, nothing))
    expect(waits.map(tickMs)).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    expect(tickMs(answered(waits.at(-1)!, more))).toBe(1_000)
  })

  test("works for what has ended, and stops looking", () => {
    const over = act(
      read,
      synced({ monitors: [endedMonitor("server_restarted", { log: { start: 0, size: 900 } })] })
    )
    expect(over.requests).toEqual([])
  })

  test("that could not read says why, and tries again once there is a connection", () => {
    const failed = act(read, synced({ connection: "lost", monitors: [monitor()] }), {
      type: "pageFailed",
      id: "mon_7k2",
      why: "not connected"
    })
    const overlay = failed.overlays.at(-1)
    expect(overlay?.type === "output" && overlay.output.why).toBe("not connected")
    const back = act(failed, synced({ monitors: [monitor({ log: { start: 0, size: 1_000 } })] }))
    expect(back.requests).toEqual([{ type: "page", id: "mon_7k2", cursor: 900, limit: pageBytes }])
  })
})
