import type { Event, EventDraft } from "@vigil/schema/event-manifest"
import { emptyLedger } from "@vigil/schema/monitor"
import { describe, expect, test } from "bun:test"
import { begin, type Progress, statusText, step } from "../src/run/progress.ts"
import { plain } from "../src/view/paint.ts"
import { noteText } from "../src/view/transcript.ts"

const turn = (outcome?: string) => ({ turn: { id: "trn_1", ...(outcome && { outcome }) } })
const text = (messageID: string, text: string) => ({
  part: { id: `p${text}`, messageID, type: "text", text }
})
const call = (messageID: string) => ({
  part: {
    id: "call",
    messageID,
    type: "tool",
    name: "read",
    input: '{"path":"a"}',
    startedAt: 0,
    status: "running"
  }
})
const answered = (id: string) => ({
  message: { id, role: "assistant", status: "completed", usage: { inputTokens: 100, outputTokens: 10 } }
})
const monitor = (status: string) => ({
  monitor: { id: "mon_1", description: "CI", status, ledger: emptyLedger, startedAt: 0 }
})

const play = (waits: boolean, ...events: ReadonlyArray<readonly [EventDraft["type"], object]>) => {
  let progress: Progress = begin
  const lines: Array<string> = []
  for (const [type, data] of events) {
    const stepped = step(progress, { type, data } as unknown as Event, waits)
    progress = stepped.progress
    lines.push(...stepped.notes.map((note) => noteText(note, plain)))
  }
  return { progress, lines }
}

describe("the answer of a run", () => {
  test("is the text its last turn ended with, and is no progress", () => {
    const { progress, lines } = play(
      false,
      ["turn.started", turn()],
      ["part.completed", text("m1", "It is done.")],
      ["message.completed", answered("m1")],
      ["turn.ended", turn("completed")]
    )
    expect(progress).toMatchObject({ answer: "It is done.", shown: false, requests: 1, inputTokens: 100 })
    expect(lines).toEqual([])
  })

  test("does not hold what was said before a tool call", () => {
    const { progress, lines } = play(
      false,
      ["turn.started", turn()],
      ["part.completed", text("m1", "Let me look.")],
      ["part.created", call("m1")],
      ["message.completed", answered("m1")],
      ["part.completed", text("m2", "It says a.")],
      ["message.completed", answered("m2")],
      ["turn.ended", turn("completed")]
    )
    expect(lines).toEqual(["● Let me look."])
    expect(progress.answer).toBe("It says a.")
  })

  test("is shown at once while something is watched, and once only", () => {
    const { progress, lines } = play(
      true,
      ["monitor.started", monitor("running")],
      ["turn.started", turn()],
      ["part.completed", text("m1", "I am watching.")],
      ["message.completed", answered("m1")],
      ["turn.ended", turn("completed")],
      ["turn.started", turn()],
      ["part.completed", text("m2", "It broke.")],
      ["message.completed", answered("m2")],
      ["monitor.ended", monitor("ended")],
      ["turn.ended", turn("completed")]
    )
    expect(lines.filter((line) => line.startsWith("●"))).toEqual(["● I am watching."])
    expect(progress.answer).toBe("It broke.")
  })

  test("of an earlier turn is not the answer of one that failed", () => {
    const { progress, lines } = play(
      true,
      ["turn.started", turn()],
      ["part.completed", text("m1", "First.")],
      ["message.completed", answered("m1")],
      ["turn.ended", turn("completed")],
      ["turn.started", turn()],
      ["turn.ended", turn("failed")]
    )
    expect(lines).toEqual(["● First."])
    expect(progress.answer).toBeUndefined()
    expect(progress.ended?.outcome).toBe("failed")
  })
})

test("the status line says what goes on right now", () => {
  expect(statusText(begin)).toBeUndefined()
  expect(statusText(play(true, ["turn.started", turn()]).progress)).toBe("… thinking")
  expect(statusText(play(true, ["turn.started", turn()], ["part.created", call("m")]).progress)).toBe(
    "… read a"
  )
  expect(statusText(play(true, ["monitor.started", monitor("running")]).progress)).toBe("… waiting for 'CI'")
})

test("a summary, and what was done so that requests fit, are told and counted", () => {
  const { progress, lines } = play(
    false,
    ["turn.started", turn()],
    [
      "message.created",
      { message: { id: "s", role: "summary", usage: { inputTokens: 900, outputTokens: 50 } } }
    ],
    ["message.completed", answered("a")],
    ["turn.ended", { turn: { id: "trn_1", outcome: "completed", remark: "Old outputs were left out." } }]
  )
  expect(lines).toEqual([
    "(What came before was summarised, so that it fits the model.)",
    "(Old outputs were left out.)"
  ])
  expect(progress).toMatchObject({ requests: 2, inputTokens: 1_000, outputTokens: 60 })
})
