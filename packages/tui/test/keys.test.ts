import { describe, expect, test } from "bun:test"
import type { Key } from "ink"
import { strokes } from "../src/input.ts"
import { bind, commandFor, keyName, keyText } from "../src/keys.ts"
import { itemsOf } from "../src/state/lists.ts"
import type { State } from "../src/state/shape.ts"
import { act, ask, monitor, state } from "./lib/scene.ts"

describe("the key table", () => {
  test("gives no key to two commands of one place", () => expect(bind().problems).toEqual([]))

  test("has a way back from everywhere but the chat", () => {
    const { byKey } = bind().bindings
    for (const context of ["ask", "reason", "tasks", "output", "list", "help", "confirm"]) {
      expect(byKey.get(`${context} esc`)).toBe("back")
    }
  })

  test("names keys in the spelling that keyName gives", () => {
    for (const { keys } of bind().bindings.commands) {
      for (const list of Object.values(keys)) for (const key of list) expect(keyName(key)).toBe(key)
    }
  })
})

describe("keys of vigil.json", () => {
  test("replace a command's own wherever it can be given", () => {
    const { bindings, problems } = bind({ "tasks.open": "Ctrl+G" })
    expect(problems).toEqual([])
    expect(commandFor(bindings, ["empty", "chat", "global"], "ctrl+g")).toBe("tasks.open")
    expect(commandFor(bindings, ["global"], "ctrl+t")).toBeUndefined()
    expect(keyText(bindings, "tasks.open")).toBe("ctrl+g")
  })

  test("take a key from who had it, which is told", () => {
    const { bindings, problems } = bind({ "models.open": ["ctrl+t"] })
    expect(commandFor(bindings, ["global"], "ctrl+t")).toBe("models.open")
    expect(problems).toEqual(["keys: ctrl+t is given to models.open, so tasks.open has it no more"])
  })

  test("that can't be meant are told and do not count", () => {
    const { bindings, problems } = bind({ nonsense: "x", "tasks.open": "hyper+x", "models.open": "m" })
    expect(problems).toEqual([
      "keys: there is no command nonsense",
      "keys: tasks.open: hyper+x is no key",
      "keys: models.open: m is text where it would count; add ctrl or alt"
    ])
    expect(commandFor(bindings, ["chat", "global"], "m")).toBeUndefined()
  })

  test("may take a command's keys away", () => {
    expect(keyText(bind({ suspend: [] }).bindings, "suspend")).toBe("")
  })
})

describe("what a terminal sends", () => {
  const key = (more: Partial<Key> = {}) => ({ ...more }) as Key

  test("is told by the names of the table", () => {
    expect(strokes("", key({ upArrow: true, shift: true }))).toEqual([{ type: "key", key: "shift+up" }])
    expect(strokes("p", key({ ctrl: true }))).toEqual([{ type: "key", key: "ctrl+p" }])
    expect(strokes("m", key({ meta: true }))).toEqual([{ type: "key", key: "alt+m" }])
    expect(strokes("", key({ escape: true, meta: true }))).toEqual([{ type: "key", key: "esc" }])
    expect(strokes("G", key({ shift: true }))).toEqual([{ type: "key", key: "G", text: "G" }])
    expect(strokes(" ", key())).toEqual([{ type: "key", key: "space", text: " " }])
  })

  test("at once is several keys, and a paste where lines come along", () => {
    expect(strokes("ls\r", key()).map((stroke) => (stroke.type === "key" ? stroke.key : stroke))).toEqual([
      "l",
      "s",
      "enter"
    ])
    expect(strokes("ok\u001a", key()).at(-1)).toEqual({ type: "key", key: "ctrl+z" })
    expect(strokes("one\rtwo", key())).toEqual([{ type: "paste", text: "one\rtwo" }])
  })

  test("is not typed where it answers a question of the start", () => {
    expect(strokes("]", key({ meta: true }))).toEqual([])
    expect(strokes("11;rgb:1e1e/1e1e/2e2e", key())).toEqual([])
    expect(strokes("a", key({ eventType: "release" }))).toEqual([])
  })
})

describe("every command", () => {
  const listed = (at: State) => {
    const top = act(at, "palette.open").overlays.at(-1)
    return top !== undefined && "filter" in top ? itemsOf(act(at, "palette.open"), top) : []
  }

  const views: Readonly<Record<string, State>> = {
    chat: state(),
    draft: act(state(), { type: "typed", text: "wait" }),
    ask: state({ asks: [ask()] }),
    reason: act(state({ asks: [ask()] }), "ask.reject"),
    tasks: act(state({ monitors: [monitor()] }), "tasks.open"),
    output: act(state({ monitors: [monitor()] }), "tasks.open", "tasks.output"),
    list: act(state(), "sessions.open"),
    help: act(state(), "help.open")
  }

  test("is in the palette of the view where its keys count; a question is answered by its keys", () => {
    const found = new Set(Object.values(views).flatMap((view) => listed(view).map(({ id }) => id)))
    const missing = bind()
      .bindings.commands.map(({ id }) => id)
      .filter((id) => !found.has(id) && id !== "demo.start")
    expect(missing).toEqual(["palette.open", "confirm.yes"])
  })

  test("of the palette is told with a key that counts there", () => {
    const key = (view: State, id: string) => listed(view).find((item) => item.id === id)?.note
    expect(key(views["tasks"]!, "task.stop")).toBe("x")
    expect(key(views["help"]!, "list.pageDown")).toBe("page down")
    expect(key(views["chat"]!, "scroll.start")).toBe("ctrl+home")
    expect(key(views["chat"]!, "task.stop")).toBeUndefined()
  })

  test("from the palette is done in the view behind it", () => {
    const typing = act(views["draft"]!, "palette.open", { type: "typed", text: "delete the word" })
    expect(act(typing, "list.choose").composer.text).toBe("")
    const stopping = act(views["tasks"]!, "palette.open", { type: "typed", text: "stop, and" }, "list.choose")
    expect(stopping.overlays.map(({ type }) => type)).toEqual(["tasks", "confirm"])
  })

  test("that moves or edits is found behind the others, and not before those of the view", () => {
    const found = (view: State, text: string) => {
      const at = act(view, "palette.open", { type: "typed", text })
      const top = at.overlays.at(-1)
      return top !== undefined && "filter" in top ? itemsOf(at, top).map(({ id }) => id) : []
    }
    const news = found(views["chat"]!, "new")
    expect(news[0]).toBe("session.new")
    expect(news.indexOf("chat.newline")).toBeGreaterThan(news.indexOf("ask.focus"))
    expect(listed(views["tasks"]!)[0]?.id).toBe("tasks.down")
    expect(listed(views["chat"]!)[0]?.id).toBe("tasks.open")
  })

  test("can be given, from the palette or by a key", () => {
    const unreachable = bind().bindings.commands.filter(
      ({ palette, keys }) => !palette && Object.values(keys).every((list) => list.length === 0)
    )
    expect(unreachable).toEqual([])
  })

  test("of the palette does something, or says why not", () => {
    const at = act(state(), "palette.open")
    for (const { id, palette } of at.bindings.commands) {
      if (!palette) continue
      const after = act(act(at, "back"), id)
      const before = act(at, "back")
      const isQuiet = ["chat.interrupt", "scroll.start", "scroll.end", "ask.focus", "chat.queue"].includes(id)
      expect(
        isQuiet || JSON.stringify({ ...after, bindings: 0 }) !== JSON.stringify({ ...before, bindings: 0 })
      ).toBe(true)
    }
  })
})
