import { describe, expect, test } from "bun:test"
import type { SyncedMessage } from "@vigil/sdk/sync"
import { blocksOf, lastAnswer, transcript } from "../src/transcript.ts"
import { placeOf, transcriptSeen } from "../src/state/screen.ts"
import { rowText } from "../src/text/row.ts"
import { act, assistant, event, lines, snapshot, state, synced, text, tool, turn, user } from "./lib/scene.ts"

const laying = { width: 60, details: false }

const rowsOf = (
  messages: ReadonlyArray<SyncedMessage>,
  more: Parameters<typeof snapshot>[0] = {},
  details = false
) => {
  const blocks = blocksOf(snapshot({ messages, ...more }))
  const laid = transcript(blocks, { ...laying, details })
  return blocks.flatMap((_, index) => laid.rowsOf(index)).map(rowText)
}

describe("the transcript", () => {
  test("tells what was typed from what was said and from what a monitor printed", () => {
    expect(rowsOf([user("hello"), assistant(text("hello")), lines("CI", "hello")])).toEqual([
      "❯ hello",
      "",
      "  hello",
      "",
      "◆ CI",
      "│ hello"
    ])
  })

  test("shows controls in all of them, and runs none", () => {
    const nasty = "a\u001b[2Jb"
    const rows = rowsOf([
      user(nasty),
      assistant(text(nasty), tool("shell", { command: nasty }, { output: nasty })),
      lines(nasty, nasty),
      event({ type: "notice", source: { id: "mon_1", description: nasty }, text: nasty })
    ])
    expect(rows.join("\n")).not.toContain("\u001b")
    expect(rows[0]).toBe("❯ a␛[2Jb")
  })

  test("shows tool output in short, and whole with details", () => {
    const output = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n")
    const said = [assistant(tool("shell", { command: "make" }, { output }))]
    expect(rowsOf(said).at(-1)).toBe("    … 26 more lines")
    expect(rowsOf(said, {}, true).at(-1)).toBe("    line 29")
  })

  test("says how a turn ended where that is news, behind what it said", () => {
    const messages = [user("one"), assistant(text("two"))]
    expect(rowsOf(messages, { turns: [turn()] }).at(-1)).toBe("  two")
    expect(rowsOf(messages, { turns: [turn({ outcome: "failed", error: "overloaded" })] }).at(-1)).toBe(
      "■ Failed: overloaded"
    )
    expect(rowsOf(messages, { turns: [turn({ outcome: "interrupted" })] }).at(-1)).toBe("■ Interrupted")
    expect(rowsOf([], { turns: [turn({ outcome: "failed", error: "no model" })] })).toEqual([
      "■ Failed: no model"
    ])
  })

  test("says what lines were suppressed", () => {
    const rows = rowsOf([
      event({ type: "counts", suppressed: [{ source: { id: "mon_1", description: "log" }, lines: 7 }] })
    ])
    expect(rows).toEqual(["◆ Too many events waited", "│ 7 lines of log suppressed"])
  })
})

describe("a transcript of 10,000 parts", () => {
  const messages = Array.from({ length: 1_000 }, (_, index) =>
    assistant(...Array.from({ length: 10 }, (_, part) => text(`part ${part} of message ${index}`)))
  )

  test("lays out what is seen", () => {
    const at = state({ messages })
    const { rows } = transcriptSeen(at)
    expect(rowText(rows.at(-1) ?? [])).toBe("  part 9 of message 999")
  })

  test("keeps the rows of what did not change", () => {
    const before = transcriptSeen(state({ messages })).rows
    const more = [...messages, user("and now?")]
    const after = transcriptSeen(state({ messages: more })).rows
    expect(after.at(-3)).toBe(before.at(-1))
  })
})

describe("reading back", () => {
  const messages = Array.from({ length: 60 }, (_, index) => user(`prompt ${index}`))
  const reading = act(state({ messages }), "scroll.pageUp", "scroll.pageUp")
  const seen = (at: typeof reading) => transcriptSeen(at).rows.map(rowText)

  test("stays put while more is said", () => {
    const later = act(reading, synced({ messages: [...messages, user("new"), assistant(text("answer"))] }))
    expect(seen(later)).toEqual(seen(reading))
  })

  test("stays put while older messages come in front", () => {
    const older = Array.from({ length: 30 }, (_, index) => user(`older ${index}`))
    const later = act(reading, synced({ messages: [...older, ...messages] }))
    expect(seen(later)).toEqual(seen(reading))
    expect(placeOf(later, blocksOf(later.session))?.index).toBeGreaterThan(30)
  })

  test("stays at what is read when the terminal gets another width", () => {
    const narrow = act(reading, { type: "resized", columns: 48, rows: 30 })
    expect(seen(narrow)[0]).toBe(seen(reading)[0])
  })

  test("ends at the end, and follows from there", () => {
    const end = act(reading, "scroll.pageDown", "scroll.pageDown", "scroll.pageDown")
    expect(end.reading).toBeUndefined()
    expect(seen(act(end, synced({ messages: [...messages, user("new")] }))).at(-1)).toBe("❯ new")
  })

  test("asks for older messages near the start", () => {
    const start = act(state({ messages, hasOlder: true }), "scroll.start")
    expect(start.requests).toEqual([{ type: "older" }])
  })

  test("goes on at the end once something is sent", () => {
    expect(act(reading, { type: "typed", text: "x" }, "chat.send").reading).toBeUndefined()
  })
})

describe("the last answer", () => {
  test("is the agent's last text, not its last call", () => {
    const said = [user("q"), assistant(text("first"), text("**second** "), tool("read", { path: "x" }))]
    expect(lastAnswer(snapshot({ messages: said }))).toBe("**second**")
    expect(lastAnswer(snapshot())).toBeUndefined()
  })
})
