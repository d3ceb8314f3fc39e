import { describe, expect, test } from "bun:test"
import { EventEmitter } from "node:events"
import { askBackground, backgroundOf, brightness, clipboard, hasColours } from "../src/terminal.ts"
import { themeOf } from "../src/theme.ts"

/** A terminal that has said so much, and what is left to be read by others. */
const saying = (...said: ReadonlyArray<string>) => {
  const heard = said.map((text) => Buffer.from(text, "latin1"))
  const events = new EventEmitter()
  const left: Array<string> = []
  const stdin = {
    on: (event: "readable", listener: () => void) => {
      events.on(event, listener)
      queueMicrotask(() => events.emit("readable"))
    },
    off: (event: "readable", listener: () => void) => void events.off(event, listener),
    read: () => heard.shift() ?? null,
    unshift: (data: Buffer) => void left.push(data.toString("latin1"))
  }
  return { stdin, left }
}

describe("the terminal's background", () => {
  test("is told by the terminal, and what was typed meanwhile is kept", async () => {
    const { stdin, left } = saying("he\u001b]11;rgb:ffff/ffff/f0f0\u001b\\", "llo\u001b[?62;4c")
    const asked: Array<string> = []
    expect(await askBackground(stdin, { write: (text) => asked.push(text) })).toBe("light")
    expect(left.join("")).toBe("hello")
    expect(asked).toEqual(["\u001b]11;?\u001b\\\u001b[c"])
  })

  test("is not waited for where a terminal does not tell it", async () => {
    const { stdin } = saying("\u001b[?1;2c")
    expect(await askBackground(stdin, { write: () => true }, 2 ** 30)).toBeUndefined()
  })

  test("is what COLORFGBG says, and bright or dark by its light", () => {
    expect(backgroundOf({ COLORFGBG: "15;0" })).toBe("dark")
    expect(backgroundOf({ COLORFGBG: "0;15" })).toBe("light")
    expect(backgroundOf({})).toBeUndefined()
    expect(brightness("\u001b]11;rgb:1e/1e/2e\u0007")).toBe("dark")
  })
})

describe("colours", () => {
  test("are left out with NO_COLOR and for a dumb terminal", () => {
    expect(hasColours({ TERM: "xterm-256color" })).toBe(true)
    expect(hasColours({ TERM: "xterm-256color", NO_COLOR: "1" })).toBe(false)
    expect(hasColours({ TERM: "dumb" })).toBe(false)
    const looks = Object.values(themeOf("dark", undefined, false))
    expect(looks.filter((look) => "color" in look || "backgroundColor" in look)).toEqual([])
  })

  test("follow the terminal, unless a theme is chosen", () => {
    expect(themeOf("auto", "light", true)).toEqual(themeOf("light", "dark", true))
    expect(themeOf("auto", undefined, true)).toEqual(themeOf("dark", undefined, true))
    expect(themeOf("light", undefined, true)).not.toEqual(themeOf("dark", undefined, true))
  })
})

test("what is copied goes to the terminal's clipboard, whatever it holds", () => {
  expect(clipboard("ü\u0007")).toBe("\u001b]52;c;w7wH\u0007")
})
