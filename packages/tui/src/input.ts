/** What a terminal sends, as keys of the table and as text. Pure. */
import type { Key } from "ink"
import { graphemes } from "./text/width.ts"

/** A key, and the text that it stands for where text is typed. */
export type Stroke =
  | { readonly type: "key"; readonly key: string; readonly text?: string }
  | { readonly type: "paste"; readonly text: string }

const names: ReadonlyArray<readonly [keyof Key, string]> = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
  ["escape", "esc"]
]

const controls: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "ctrl+j",
  "\t": "tab",
  "\u001b": "esc"
}

/** What Ctrl makes of a letter, where it comes together with others. */
const letterOf = (grapheme: string): string | undefined =>
  /^[\u0001-\u001a]$/u.test(grapheme) ? `ctrl+${String.fromCharCode(grapheme.charCodeAt(0) + 96)}` : undefined

/** More at once was not typed by hand. */
const maxTyped = 64

export const strokes = (input: string, key: Key): ReadonlyArray<Stroke> => {
  if (key.eventType === "release" || isAnswer(input, key)) return []
  const name = names.find(([flag]) => key[flag] === true)?.[1]
  if (name !== undefined) return [{ type: "key", key: modified(name, key, name === "esc") }]
  if (key.ctrl || key.meta || key.super) {
    return input === "" ? [] : [{ type: "key", key: modified(input === " " ? "space" : input, key, false) }]
  }
  // A terminal without bracketed paste: a line that is not the last one was not entered by hand.
  if (/[\r\n](?!$)/u.test(input) || input.length > maxTyped) return [{ type: "paste", text: input }]
  return graphemes(input).flatMap((grapheme): ReadonlyArray<Stroke> => {
    const control = controls[grapheme] ?? letterOf(grapheme)
    if (control !== undefined) return [{ type: "key", key: control }]
    if (/^\p{Cc}/u.test(grapheme)) return []
    return [{ type: "key", key: grapheme === " " ? "space" : grapheme, text: grapheme }]
  })
}

const modified = (name: string, { ctrl, meta, shift }: Key, plain: boolean): string =>
  plain
    ? name
    : [
        ...(ctrl ? ["ctrl"] : []),
        ...(meta ? ["alt"] : []),
        // A letter tells its case itself.
        ...(shift && (name.length > 1 || ctrl) ? ["shift"] : []),
        ctrl ? name.toLowerCase() : name
      ].join("+")

/** A late answer of the terminal to what it was asked at the start. */
const isAnswer = (input: string, { meta }: Key): boolean =>
  /^\]?1[01];rgb:[\da-f/]+/iu.test(input) ||
  (meta && (input === "]" || input === "\\")) ||
  /^\[?\?[\d;]+c$/u.test(input)
