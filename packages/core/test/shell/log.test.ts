import { afterAll, describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { readdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openLog, readBytes, readPage } from "../../src/shell/log.ts"
import { temporaryDirectory, tidy } from "./fixture/run.ts"

afterAll(tidy)

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (read: Uint8Array) => new TextDecoder().decode(read)

const onDisk = (directory: string) =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)

const logOf = (maxBytes: number) => {
  const directory = temporaryDirectory()
  return { directory, log: openLog({ directory, maxBytes }) }
}

/** From one cursor to the end, page by page. */
const readAll = (directory: string, cursor: number, limit: number) => {
  let output = ""
  for (let at = cursor; ;) {
    const page = readPage(directory, { cursor: at, limit })
    output += page.output
    if (page.cursor === page.size) return output
    expect(page.cursor).toBeGreaterThan(at)
    at = page.cursor
  }
}

describe("what is kept", () => {
  test("is all of it, while it fits", () => {
    const { directory, log } = logOf(1024)
    log.append(bytes("one\n"))
    log.append(bytes("two\n"))
    expect(log.state).toEqual({ start: 0, size: 8 })
    expect(readPage(directory, { limit: 100 })).toEqual({
      output: "one\ntwo\n",
      cursor: 8,
      start: 0,
      size: 8,
      truncated: false
    })
  })

  test("is bounded on disk, whatever is printed, and at least three quarters of the bound", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 40 }), (sizes) => {
        const { directory, log } = logOf(4000)
        let printed = 0
        for (const size of sizes) {
          log.append(new Uint8Array(size).fill(97))
          printed += size
          expect(onDisk(directory)).toBeLessThanOrEqual(4000)
          expect(log.state.size).toBe(printed)
          expect(printed - log.state.start).toBeGreaterThanOrEqual(Math.min(printed, 3000))
          expect(onDisk(directory)).toBe(printed - log.state.start)
        }
        log.close()
        rmSync(directory, { recursive: true })
      }),
      { numRuns: 40 }
    )
  })

  test("survives a new server, which goes on at its end", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("x".repeat(350)))
    log.close()
    log.append(bytes("ignored"))
    const next = openLog({ directory, maxBytes: 400 })
    expect(next.state).toEqual({ start: 0, size: 350 })
    next.append(bytes("y".repeat(100)))
    expect(next.state).toEqual({ start: 100, size: 450 })
    expect(readPage(directory, { limit: 1000 }).output).toBe("x".repeat(250) + "y".repeat(100))
  })

  test("never lets a cursor go back, also when the files hold less than was printed", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("abc"))
    log.close()
    const next = openLog({ directory, maxBytes: 400, size: 10 })
    expect(next.state.size).toBe(10)
    next.append(bytes("def"))
    expect(readPage(directory, { cursor: 3, limit: 100 })).toEqual({
      output: "def",
      cursor: 13,
      start: 0,
      size: 13,
      truncated: true
    })
  })

  test("is cut up to a cursor by whole segments, but for the one being written", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("x".repeat(250)))
    log.dropBefore(99)
    expect(log.state.start).toBe(0)
    log.dropBefore(150)
    expect(log.state.start).toBe(100)
    log.dropBefore(250)
    expect(log.state).toEqual({ start: 200, size: 250 })
    log.append(bytes("y"))
    expect(readPage(directory, { limit: 1000 }).output).toBe("x".repeat(50) + "y")
  })
})

describe("a page", () => {
  test("goes on where the last one ended, across segments", () => {
    const { directory, log } = logOf(4000)
    const printed = Array.from({ length: 500 }, (_, index) => `${index}\n`).join("")
    log.append(bytes(printed))
    expect(readAll(directory, 0, 64)).toBe(printed)
  })

  test("is the newest without a cursor", () => {
    const { directory, log } = logOf(4000)
    log.append(bytes("0123456789"))
    expect(readPage(directory, { limit: 4 })).toMatchObject({ output: "6789", cursor: 10, truncated: false })
  })

  test("begins where the log does when older output was asked for, and says so", () => {
    const { directory, log } = logOf(400)
    for (let line = 0; line < 100; line++) log.append(bytes(`${String(line).padStart(9)}\n`))
    const { start } = log.state
    expect(start).toBe(600)
    const page = readPage(directory, { cursor: 5, limit: 20 })
    expect(page).toEqual({
      output: "       60\n       61\n",
      cursor: 620,
      start,
      size: 1000,
      truncated: true
    })
    expect(readPage(directory, { cursor: start, limit: 20 }).truncated).toBe(false)
    expect(readPage(directory, { limit: 20 }).truncated).toBe(true)
  })

  test("is empty at the end, and behind it", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("abc"))
    for (const cursor of [3, 4, 1e12])
      expect(readPage(directory, { cursor, limit: 10 })).toEqual({
        output: "",
        cursor: 3,
        start: 0,
        size: 3,
        truncated: false
      })
  })

  test("of a log that is not there is empty", () => {
    expect(readPage(join(temporaryDirectory(), "none"), { cursor: 7, limit: 10 })).toEqual({
      output: "",
      cursor: 0,
      start: 0,
      size: 0,
      truncated: false
    })
  })

  test("is cut between characters, and pages together are the whole", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 4, max: 30 }),
        fc.integer({ min: 1, max: 7 }),
        (printed, limit, chunk) => {
          const { directory, log } = logOf(8000)
          const all = bytes(printed)
          for (let at = 0; at < all.length; at += chunk) log.append(all.subarray(at, at + chunk))
          expect(readAll(directory, 0, limit)).toBe(printed)
          expect(printed.endsWith(readPage(directory, { limit }).output)).toBe(true)
          log.close()
          rmSync(directory, { recursive: true })
        }
      ),
      { numRuns: 60 }
    )
  })

  test("starts with a whole character where a segment was dropped in the middle of one", () => {
    const { directory, log } = logOf(40)
    log.append(bytes("€".repeat(40)))
    const page = readPage(directory, { cursor: 0, limit: 1000 })
    expect(page.output).toMatch(/^€+$/)
    expect(page.truncated).toBe(true)
  })

  test("comes to an end where the last character never became whole", () => {
    const { directory, log } = logOf(400)
    log.append(new Uint8Array([97, 0xe2, 0x82]))
    const first = readPage(directory, { cursor: 0, limit: 10 })
    expect(first).toMatchObject({ output: "a", cursor: 1, size: 3 })
    expect(readPage(directory, { cursor: first.cursor, limit: 10 })).toMatchObject({
      output: "\ufffd",
      cursor: 3
    })
  })

  test("goes on through bytes that are no characters", () => {
    const { directory, log } = logOf(400)
    log.append(new Uint8Array(50).fill(0x80))
    log.append(new Uint8Array(50).fill(0xff))
    expect(readAll(directory, 0, 8)).toBe("\ufffd".repeat(100))
  })
})

describe("raw bytes", () => {
  test("are read from a cursor on", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("0123456789".repeat(30)))
    const read = readBytes(directory, 95, 20)
    expect(text(read.bytes)).toBe("56789012345678901234")
    expect(read).toMatchObject({ from: 95, start: 0, size: 300 })
    expect(readBytes(directory, 300, 20)).toMatchObject({ from: 300, bytes: new Uint8Array(0) })
  })

  test("begin later when the oldest are gone", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("x".repeat(900)))
    expect(readBytes(directory, 0, 5).from).toBe(log.state.start)
  })
})

describe("a log that can't be written", () => {
  test("says why, never throws, and goes on counting", () => {
    const file = join(temporaryDirectory(), "file")
    writeFileSync(file, "")
    const log = openLog({ directory: join(file, "log"), maxBytes: 400 })
    log.append(bytes("abc"))
    expect(log.state).toEqual({
      start: 3,
      size: 3,
      error: "Some of the output was not kept: its directory is gone"
    })
  })

  test("survives a full disk, and writes again when there is room", () => {
    const directory = temporaryDirectory()
    // A segment on a device that is always full.
    symlinkSync("/dev/full", join(directory, "0000000000000000.log"))
    const log = openLog({ directory, maxBytes: 400 })
    log.append(bytes("lost"))
    expect(log.state).toEqual({
      start: 4,
      size: 4,
      error: "Some of the output was not kept: the disk is full"
    })
    expect(readdirSync(directory)).toEqual([])
    log.append(bytes("kept"))
    expect(log.state).toMatchObject({ start: 4, size: 8 })
    expect(readPage(directory, { cursor: 0, limit: 10 })).toEqual({
      output: "kept",
      cursor: 8,
      start: 4,
      size: 8,
      truncated: true
    })
  })

  test("tells of a gap in the middle, and goes on behind it", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("x".repeat(100)))
    symlinkSync("/dev/full", join(directory, "0000000000000100.log"))
    log.append(bytes("lost"))
    log.append(bytes("kept"))
    expect(readPage(directory, { cursor: 98, limit: 10 })).toMatchObject({ output: "xx", truncated: false })
    expect(readPage(directory, { cursor: 100, limit: 10 })).toMatchObject({
      output: "kept",
      cursor: 108,
      truncated: true
    })
  })

  test("notices a directory that was removed once it needs a new file, and does not make it again", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("x".repeat(100)))
    rmSync(directory, { recursive: true })
    log.append(bytes("more"))
    expect(log.state.error).toBe("Some of the output was not kept: its directory is gone")
    expect(log.state.size).toBe(104)
    log.close()
  })

  test("reads what is left of a file that lost its end", () => {
    const { directory, log } = logOf(400)
    log.append(bytes("x".repeat(150)))
    truncateSync(join(directory, "0000000000000000.log"), 60)
    expect(readPage(directory, { cursor: 50, limit: 100 })).toMatchObject({
      output: "x".repeat(10),
      cursor: 60
    })
    expect(readPage(directory, { cursor: 60, limit: 100 })).toMatchObject({
      output: "x".repeat(50),
      cursor: 150,
      truncated: true
    })
    log.close()
  })
})
