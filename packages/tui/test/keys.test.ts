import { describe, expect, test } from "bun:test"
import type { Key } from "ink"
import { strokes } from "../src/input.ts"
import { bind, commandFor, keyName, keyText } from "../src/keys.ts"
import { act, state } from "./lib/scene.ts"

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
