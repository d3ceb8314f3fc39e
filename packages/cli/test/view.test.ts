import { emptyLedger, type Monitor } from "@vigil/schema/monitor"
import type { MessageWithParts, ToolPart } from "@vigil/schema/message"
import type { Turn } from "@vigil/schema/turn"
import { describe, expect, test } from "bun:test"
import { firstLine } from "../src/view/fault.ts"
import { endText, ledgerText, monitorTable } from "../src/view/monitor.ts"
import { coloured, paintFor, plain } from "../src/view/paint.ts"
import { age, count, duration, parseDuration } from "../src/view/quantity.ts"
import { fitted, oneLine, table } from "../src/view/table.ts"
import { allowHints, toolLine, toolTitle } from "../src/view/tool.ts"
import { noteText, transcript } from "../src/view/transcript.ts"

describe("times and amounts", () => {
  test("a duration has at most two units", () => {
    expect([0, 340, 4_200, 59_960, 125_000, 3_600_000, 3_780_000, 90_000_000].map(duration)).toEqual([
      "0 ms",
      "340 ms",
      "4.2 s",
      "1 m",
      "2 m 5 s",
      "1 h",
      "1 h 3 m",
      "1 d 1 h"
    ])
  })

  test("an age has one unit", () => {
    expect([0, 59_999, 61_000, 7_200_000, 3 * 86_400_000].map(age)).toEqual([
      "just now",
      "just now",
      "1 m ago",
      "2 h ago",
      "3 d ago"
    ])
  })

  test("a time is a number with its unit, and nothing else", () => {
    expect(["30s", "5m", "1.5h", "250ms"].map(parseDuration)).toEqual([30_000, 300_000, 5_400_000, 250])
    for (const text of ["", "5", "s", "-5s", "5 s", "0s", "1e3s", "5d", "9999h", "5ss"]) {
      expect(parseDuration(text)).toBeUndefined()
    }
  })

  test("one is singular, thousands are grouped", () => {
    expect([count(0, "line"), count(1, "line"), count(12_345, "token")]).toEqual([
      "0 lines",
      "1 line",
      "12,345 tokens"
    ])
  })
})

describe("columns", () => {
  test("line up, wide characters included, without spaces at their end", () => {
    expect(
      table([
        ["a", "b"],
        ["日本", "c"],
        ["x", ""]
      ])
    ).toEqual(["a     b", "日本  c", "x"])
  })

  test("give way to a terminal's width, the widest text first, and are whole elsewhere", () => {
    const rows = [
      ["ID", "TITLE", "WHERE"],
      ["ses_1", "one two three four five", "/home/someone"],
      ["ses_2", "日本語日本語日本語", "/"]
    ]
    const at = (columns?: number) => fitted(rows, { text: [1, 2], columns })
    expect(at()).toEqual(table(rows))
    expect(at(60)).toEqual(table(rows))
    expect(at(30)).toEqual([
      "ID     TITLE       WHERE",
      "ses_1  one two t…  /home/some…",
      "ses_2  日本語日…   /"
    ])
    for (const columns of [25, 16, 8]) {
      expect(Math.max(...at(columns).map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(columns)
    }
  })

  test("a line is cut to its columns", () => {
    expect(oneLine("one\ntwo   three", 40)).toBe("one two three")
    expect(oneLine("one two three", 8)).toBe("one two…")
    expect(oneLine("日本語日本語", 6)).toBe("日本…")
  })
})

describe("a fault", () => {
  test("is told with its causes, each once, in a line", () => {
    const disk = new Error("SQLite failed to open", { cause: new Error("disk \u001b[31mis full\nat x") })
    expect(firstLine(new Error("The database can't be used", { cause: disk }))).toBe(
      "The database can't be used: SQLite failed to open: disk is full"
    )
    expect(firstLine(new Error("a: b", { cause: new Error("b") }))).toBe("a: b")
    expect(firstLine("no error")).toBe("no error")
  })
})

describe("colours", () => {
  const paint = (env: Record<string, string>, isTerminal: boolean) => paintFor({ env, isTerminal })

  test("are for terminals", () => {
    expect(paint({}, true)).toBe(coloured)
    expect(paint({}, false)).toBe(plain)
    expect(paint({ TERM: "dumb" }, true)).toBe(plain)
  })

  test("are as NO_COLOR and FORCE_COLOR say", () => {
    expect(paint({ NO_COLOR: "1" }, true)).toBe(plain)
    expect(paint({ NO_COLOR: "" }, true)).toBe(coloured)
    expect(paint({ FORCE_COLOR: "1" }, false)).toBe(coloured)
    expect(paint({ FORCE_COLOR: "0" }, true)).toBe(plain)
    expect(paint({ FORCE_COLOR: "1", NO_COLOR: "1" }, true)).toBe(plain)
  })
})

const part = (change: Partial<ToolPart>) =>
  ({
    type: "tool",
    name: "shell",
    input: "{}",
    status: "completed",
    startedAt: 1_000,
    endedAt: 1_012,
    ...change
  }) as ToolPart

describe("a tool call", () => {
  test("is told by its command, file or pattern", () => {
    const title = (name: string, input: object) => toolTitle({ name, input: JSON.stringify(input) })
    expect(title("shell", { command: "npm test" })).toBe("npm test")
    expect(title("read", { path: "a.txt", offset: 3 })).toBe("a.txt")
    expect(title("monitor", { command: "tail -F x", description: "x" })).toBe("'x': tail -F x")
    expect(toolTitle({ name: "shell", input: "no JSON" })).toBe("no JSON")
    expect(toolTitle({ name: "shell", input: "null" })).toBe("null")
  })

  test("is one line, whatever stands in its command", () => {
    const command = `echo a\nprintf '\u001b[2J' ${"x".repeat(200)}`
    const line = toolLine(part({ input: JSON.stringify({ command }) }), plain)
    expect(line).not.toMatch(/[\n\u001b]/u)
    expect(line).toEndWith("…  12 ms")
  })

  test("is one line, whatever its tool is called", () => {
    expect(toolLine(part({ name: "e\u001b[2Jv\nil\u0007" }), plain)).toBe("✓ ev il {}  12 ms")
    expect(toolLine(part({ name: " " }), plain)).toStartWith("✓ (no name) ")
    expect(toolLine(part({ name: "x".repeat(1_000) }), plain).length).toBeLessThan(100)
  })

  test("says why it failed", () => {
    const failed = part({ status: "failed", output: "There is no a.txt.\nFind it with glob." })
    expect(toolLine(failed, plain)).toBe("✗ shell {}  12 ms\n    There is no a.txt. Find it with glob.")
  })

  test("that was denied names each flag once", () => {
    const output = "It would be allowed by: --allow 'echo *' --allow 'it'\\''s *' --allow 'echo *'"
    expect(new Set(allowHints(part({ status: "failed", output })))).toEqual(
      new Set(["--allow 'echo *'", "--allow 'it'\\''s *'"])
    )
    expect(allowHints(part({ status: "completed", output }))).toEqual([])
  })
})

const monitor = {
  id: "mon_1",
  sessionID: "ses_1",
  description: "CI",
  status: "ended",
  reason: "exited",
  exitCode: 1,
  startedAt: 1_000,
  endedAt: 9_200,
  ledger: { ...emptyLedger, linesRead: 4, linesDelivered: 3, linesSuppressed: 1, events: 2 }
} as Monitor

describe("a monitor", () => {
  test("says how it ended, also for a reason of the future", () => {
    expect(endText({ reason: "exited", exitCode: 1 })).toBe("exited with code 1")
    expect(endText({ reason: "exited", signal: "SIGSEGV" })).toBe("killed by SIGSEGV")
    expect(endText({ reason: "expired" })).toBe("expired")
    expect(endText({ reason: "eclipse" as never })).toBe("ended (eclipse)")
  })

  test("shows what became of every line", () => {
    expect(ledgerText(monitor.ledger)).toBe("3 lines in 2 events, 1 suppressed")
    expect(noteText({ type: "monitor.ended", monitor }, plain)).toBe(
      "■ 'CI' exited with code 1 after 8.2 s, 3 lines in 2 events, 1 suppressed"
    )
  })

  test("is a row of a table", () => {
    expect(monitorTable([monitor], 70_000)).toEqual([
      "ID     DESCRIPTION  STATE               STARTED  LEDGER                             SESSION",
      "mon_1  CI           exited with code 1  1 m ago  3 lines in 2 events, 1 suppressed  ses_1"
    ])
  })

  test("labels each of its lines", () => {
    const note = { type: "lines", description: "CI", lines: ["one", "two"] } as const
    expect(noteText(note, plain)).toBe("◆ CI: one\n◆ CI: two")
  })
})

describe("a conversation", () => {
  const prompt = (turnID: string, text: string) =>
    ({
      seq: 1,
      message: { role: "user", turnID, payload: { text } },
      parts: []
    }) as unknown as MessageWithParts
  const turn = (id: string, change: Partial<Turn>) => ({ id, ...change }) as Turn

  test("tells behind each turn how it ended, unless it was completed", () => {
    const messages = [prompt("trn_1", "One"), prompt("trn_2", "Two"), prompt("trn_4", "Four")]
    const turns = [
      turn("trn_1", { outcome: "completed" }),
      turn("trn_2", { outcome: "interrupted" }),
      turn("trn_3", { outcome: "server_stopped" }),
      turn("trn_4", { outcome: "failed", error: "no\u001b[2J\nkey" })
    ]
    expect(transcript(messages, turns, plain).filter((line) => line !== "")).toEqual([
      "> One",
      "> Two",
      "interrupted",
      "server stopped",
      "> Four",
      "✗ failed: no\n  key"
    ])
    expect(transcript([], [turn("trn_0", { outcome: "rejected" })], plain)).toEqual(["rejected"])
  })
})
