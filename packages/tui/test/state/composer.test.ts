import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { chipText, expandedText } from "../../src/state/composer.ts"
import { composerRows, waitingPrompts } from "../../src/state/screen.ts"
import { emptyComposer } from "../../src/state/shape.ts"
import { rowWidth } from "../../src/text/row.ts"
import { graphemes } from "../../src/text/width.ts"
import { act, session, state, synced, typed, user } from "../lib/scene.ts"

const pasted = (text: string) => ({ type: "pasted", text }) as const
const long = Array.from({ length: 10_000 }, (_, line) => `line ${line}`).join("\n")

describe("the composer", () => {
  test("sends what was typed, and is empty then", () => {
    const sent = act(state(), typed("hello"), "chat.send")
    expect(sent.requests).toMatchObject([{ type: "prompt", text: "hello", delivery: "steer" }])
    expect(sent.composer.text).toBe("")
  })

  test("shows what is on its way until the server has it", () => {
    const sent = act(state(), typed("hello"), "chat.send")
    expect(waitingPrompts(sent)).toEqual(["hello"])
    expect(waitingPrompts(act(sent, { type: "prompted", text: "hello" }))).toEqual([])
  })

  test("sends nothing where nothing was typed", () => {
    expect(act(state(), typed(" \n "), "chat.send").requests).toEqual([])
  })

  test("queues for after the turn", () => {
    expect(act(state(), typed("later"), "chat.queue").requests).toMatchObject([{ delivery: "queue" }])
  })

  test("has lines, also by a backslash at the end", () => {
    expect(act(state(), typed("a"), "chat.newline", typed("b")).composer.text).toBe("a\nb")
    expect(act(state(), typed("a\\"), "chat.send").composer.text).toBe("a\n")
  })

  test("keeps the draft whatever comes meanwhile", () => {
    const at = act(
      state(),
      typed("half a th"),
      synced({ session: session({ status: "running" }) }),
      "tasks.open",
      "back",
      {
        type: "resized",
        columns: 48,
        rows: 20
      }
    )
    expect(at.composer).toMatchObject({ text: "half a th", cursor: 9 })
  })

  test("gives a prompt back that was not taken, before what was typed since", () => {
    const sent = act(state(), typed("first"), "chat.send")
    const [request] = sent.requests
    if (request?.type !== "prompt") throw new Error("no prompt")
    const at = act(sent, typed("second"), {
      type: "promptFailed",
      draft: request.draft,
      why: "not connected"
    })
    expect(at.composer.text).toBe("first\nsecond")
    expect(at.notice?.text).toBe("not connected")
  })
})

describe("a prompt that waits", () => {
  const waiting = {
    id: "inp_w",
    sessionID: session().id,
    kind: "prompt",
    delivery: "queue",
    origin: "user",
    payload: { type: "prompt", text: "later" },
    seq: 1,
    createdAt: 0,
    wakes: true
  } as const

  test("can be taken back, before what is typed", () => {
    const at = act(state({ inbox: [waiting] }), typed("now"), "chat.withdraw")
    expect(at.requests).toEqual([{ type: "withdraw", inputID: "inp_w" }])
    expect(act(at, { type: "withdrawn", text: "later" }).composer.text).toBe("later\nnow")
  })

  test("need not be there", () => expect(act(state(), "chat.withdraw").notice?.text).toBe("No prompt waits"))
})

describe("history", () => {
  const at = state({ messages: [user("one"), user("two")] })

  test("goes back from the first line, and forth to the draft", () => {
    const back = act(at, typed("draft"), "edit.up")
    expect(back.composer.text).toBe("two")
    expect(act(back, "edit.up").composer.text).toBe("one")
    expect(act(back, "edit.up", "edit.up").composer.text).toBe("one")
    expect(act(back, "edit.up", "edit.down", "edit.down").composer.text).toBe("draft")
  })

  test("has what was just sent", () => {
    expect(act(at, typed("three"), "chat.send", "edit.up").composer.text).toBe("three")
  })

  test("is not gone through while the cursor moves in lines", () => {
    expect(act(at, typed("a\nbc"), "edit.up").composer).toMatchObject({ text: "a\nbc", cursor: 1 })
  })
})

describe("a long paste", () => {
  const at = act(state(), typed("See: "), pasted(long), typed(" thanks"))

  test("is a chip that tells its lines", () => {
    expect(graphemes(at.composer.text).length).toBe("See: ".length + 1 + " thanks".length)
    expect(chipText(at.composer, graphemes(at.composer.text)[5] ?? "")).toBe("[10,000 lines pasted]")
  })

  test("is sent whole", () => {
    expect(act(at, "chat.send").requests).toMatchObject([{ text: `See: ${long} thanks` }])
  })

  test("goes by one press", () => {
    const without = act(state(), pasted(long), "edit.deleteBack")
    expect(without.composer.text).toBe("")
  })

  test("is not mixed up with one that is sent and given back", () => {
    const sent = act(state(), pasted(long), "chat.send")
    const [request] = sent.requests
    if (request?.type !== "prompt") throw new Error("no prompt")
    const other = long.replaceAll("line", "row")
    const both = act(sent, pasted(other), { type: "promptFailed", draft: request.draft, why: "no" })
    expect(expandedText(both.composer)).toBe(`${long}\n${other}`)
  })

  test("of few lines is text, with the lines of any system", () => {
    expect(act(state(), pasted("a\r\nb\rc")).composer.text).toBe("a\nb\nc")
  })
})

describe("the cursor", () => {
  const edits = fc.array(
    fc.oneof(
      fc.constantFrom(
        "edit.left",
        "edit.right",
        "edit.wordLeft",
        "edit.wordRight",
        "edit.lineStart",
        "edit.lineEnd",
        "edit.deleteBack",
        "edit.deleteForward",
        "edit.deleteWord",
        "edit.deleteEnd",
        "edit.up",
        "edit.down",
        "chat.newline"
      ),
      fc.constantFrom("a", "日", "👩‍👩‍👧", "é", "word ", "ก็").map(typed)
    ),
    { maxLength: 40 }
  )

  test("never stands inside a character", () => {
    fc.assert(
      fc.property(edits, (edits) => {
        const { text, cursor } = act(state(), ...edits).composer
        const before = text.slice(0, cursor)
        expect(graphemes(before).length + graphemes(text.slice(cursor)).length).toBe(graphemes(text).length)
      })
    )
  })

  test("is seen inside the rows, which have their width", () => {
    fc.assert(
      fc.property(edits, fc.integer({ min: 2, max: 12 }), (edits, width) => {
        const { rows, x, y } = composerRows(act(state(), ...edits).composer, width)
        for (const row of rows) expect(rowWidth(row)).toBeLessThanOrEqual(width)
        expect(y).toBeWithin(0, rows.length)
        expect(x).toBeWithin(0, width)
      })
    )
  })

  test("deletes whole characters and words", () => {
    expect(act(state(), typed("a👩‍👩‍👧"), "edit.deleteBack").composer.text).toBe("a")
    expect(act(state(), typed("git commit"), "edit.deleteWord").composer.text).toBe("git ")
    expect(act(state(), typed("a\nb"), "edit.lineStart", "edit.deleteBack").composer.text).toBe("ab")
  })

  test("of an empty composer is at its start", () => {
    expect(composerRows(emptyComposer, 10)).toMatchObject({ x: 0, y: 0 })
  })
})
