import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { bind, type CommandId } from "../../src/keys.ts"
import { contextsOf, focusedText, focusOf } from "../../src/state/focus.ts"
import { itemsOf } from "../../src/state/lists.ts"
import { layoutOf } from "../../src/state/screen.ts"
import type { Action, State } from "../../src/state/shape.ts"
import { selectedTask, tasksOf } from "../../src/state/tasks.ts"
import {
  act,
  ask,
  blankState,
  ended,
  monitor,
  session,
  shell,
  snapshot,
  state,
  synced,
  typed,
  user
} from "../lib/scene.ts"

const commands = bind().bindings.commands.map(({ id }) => id)

const seen = fc
  .record({
    monitors: fc.subarray([monitor(), monitor({ id: "mon_8" }), ended("exited", { id: "mon_9" })]),
    shells: fc.subarray([shell()]),
    asks: fc.subarray([ask(), ask({ id: "ask_2", title: "x".repeat(3_000) })]),
    connection: fc.constantFrom("open" as const, "lost" as const),
    messages: fc.subarray([user("one"), user("two\nthree"), user("four")])
  })
  .map((more) => synced(more))

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...commands).map((id): Action => ({ type: "command", id })) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }).map(typed) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("a\nb", "x\n".repeat(50)).map((text): Action => ({ type: "pasted", text }))
  },
  { weight: 2, arbitrary: seen },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Action>(
      { type: "synced", snapshot: snapshot({ phase: "deleted" }) },
      { type: "left" },
      { type: "opening" },
      { type: "ticked" },
      { type: "stopped", id: "mon_7k2", why: "no" },
      { type: "stopped", id: "mon_7k2" },
      { type: "replied", askID: "ask_1", why: "no" },
      { type: "pageFailed", id: "mon_7k2", why: "no" },
      {
        type: "paged",
        id: "mon_7k2",
        page: { output: "a\nb\n", cursor: 4, start: 0, size: 4, truncated: false, ended: false }
      },
      { type: "sessionsListed", list: { type: "loaded", value: [session()] } },
      { type: "resized", columns: 48, rows: 8 },
      { type: "resized", columns: 120, rows: 40 }
    )
  }
)

const run = (actions: ReadonlyArray<Action>): State => act(blankState(), ...actions)

const escape = (at: State): State => {
  const id = ["esc"].flatMap((key) =>
    contextsOf(at).map((context) => at.bindings.byKey.get(`${context} ${key}`))
  )
  return act(at, id.find((one): one is CommandId => one !== undefined) ?? "back")
}

describe("whatever was pressed, and whatever came", () => {
  test("Esc leads back to the chat", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        let at = run(actions)
        // Nothing lies deeper than one of each kind, a question, and an ask with its reason.
        for (let presses = 0; presses < 12 && focusOf(at) !== "chat"; presses++) at = escape(at)
        expect(focusOf(at)).toBe("chat")
        expect(at.overlays).toEqual([])
      }),
      { numRuns: 300 }
    )
  })

  test("the focus is somewhere, and takes either text or its own keys", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const at = run(actions)
        const focus = focusOf(at)
        expect(contextsOf(at)).toContain(focus)
        expect(focusedText(at) !== undefined).toBe(focus === "chat" || focus === "reason" || focus === "list")
        const typed = focusedText(at)
        if (typed !== undefined) expect(typed.cursor).toBeWithin(0, typed.text.length + 1)
      }),
      { numRuns: 300 }
    )
  })

  test("what is selected is there", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const at = run(actions)
        const tasks = tasksOf(at.session)
        expect(tasks.length === 0 || tasks.includes(selectedTask(at)!)).toBe(true)
        for (const overlay of at.overlays) {
          if (!("filter" in overlay)) continue
          const { length } = itemsOf(at, overlay)
          expect(overlay.index).toBeWithin(0, Math.max(1, length))
        }
      }),
      { numRuns: 300 }
    )
  })

  test("the screen is shared out without remainder", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), fc.integer({ min: 6, max: 60 }), (actions, rows) => {
        const at = act(run(actions), { type: "resized", columns: 80, rows })
        const { header, transcript, gap, waiting, panel, ask, composer } = layoutOf(at)
        const parts = [header, transcript, gap, waiting, panel, ask, composer]
        expect(parts.every((part) => part >= 0)).toBe(true)
        expect(parts.reduce((sum, part) => sum + part, 1 + (panel === 0 ? 2 : 0))).toBe(rows)
      }),
      { numRuns: 300 }
    )
  })
})

describe("an ask", () => {
  test("has the focus while nothing is typed", () => {
    expect(focusOf(state({ asks: [ask()] }))).toBe("ask")
  })

  test("leaves the focus to a draft, which is kept, until it is asked for", () => {
    const drafting = act(state(), typed("hold on"), synced({ asks: [ask()] }))
    expect(focusOf(drafting)).toBe("chat")
    expect(drafting.composer.text).toBe("hold on")
    const answering = act(drafting, "ask.focus")
    expect(focusOf(answering)).toBe("ask")
    expect(act(answering, "ask.choose").composer.text).toBe("hold on")
  })

  test("is not answered by what is typed", () => {
    const typing = act(state({ asks: [ask()] }), typed("y"))
    expect(focusOf(typing)).toBe("chat")
    expect(typing.composer.text).toBe("y")
    expect(typing.requests).toEqual([])
  })

  test("is answered once, and not shown while the answer is on its way", () => {
    const answered = act(state({ asks: [ask()] }), "ask.choose", "ask.choose")
    expect(answered.requests).toEqual([{ type: "reply", askID: "ask_1", reply: "once" }])
    expect(focusOf(answered)).toBe("chat")
  })

  test("comes back where the answer was not taken", () => {
    const at = act(state({ asks: [ask()] }), "ask.choose", {
      type: "replied",
      askID: "ask_1",
      why: "not connected"
    })
    expect(focusOf(at)).toBe("ask")
    expect(at.notice).toEqual({ text: "not connected", tone: "bad" })
  })

  test("is rejected with a reason, or without", () => {
    const at = state({ asks: [ask()] })
    expect(act(at, "ask.reject", typed("not now"), "reason.send").requests).toEqual([
      { type: "reply", askID: "ask_1", reply: "reject", reason: "not now" }
    ])
    expect(act(at, "ask.reject", "reason.send").requests).toEqual([
      { type: "reply", askID: "ask_1", reply: "reject" }
    ])
    expect(focusOf(act(at, "ask.reject", "back"))).toBe("ask")
  })

  test("that is longer than the screen is read to its end", () => {
    const at = state({ asks: [ask({ title: Array.from({ length: 80 }, (_, n) => `line ${n}`).join("\n") })] })
    let end = at
    for (let pages = 0; pages < 20; pages++) end = act(end, "ask.pageDown")
    expect(end.ask.top).toBeGreaterThan(0)
    expect(act(end, "ask.pageDown").ask.top).toBe(end.ask.top)
  })
})
