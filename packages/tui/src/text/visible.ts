/**
 * Another's words, so that they show all that they hold and do nothing to a terminal. Pure.
 *
 * What this returns has no controls but newlines, and each grapheme of it takes a cell or two.
 */
import { cellsOf, graphemes } from "./width.ts"

/** Introducer, parameters, intermediates, final byte; ESC [ and its one-character form. */
const control = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`
/** OSC, DCS, SOS, PM and APC, up to their terminator. What has none keeps its text. */
const string = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)`
/** Any other: ESC, intermediates, final byte. */
const short = String.raw`\x1b[ -/]*[0-~]`

const sequences = new RegExp(`${control}|${string}|${short}`, "gu")

/** Without escape sequences, which is how a terminal would show it. */
export const stripped = (text: string): string =>
  text.includes("\u001b") || /[\u0090-\u009f]/u.test(text) ? text.replace(sequences, "") : text

/** C0 and C1 controls but tab and newline, marks that reorder, and what takes no cell or looks like a space. */
const hidden = new RegExp(
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]`,
  "gu"
)

/** `␛` for ESC, `\x9b` for other controls, `\u{202e}` for marks that reorder or hide text. */
const picture = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return "␡"
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`
}

const tabStop = 8

const expanded = (line: string): string => {
  if (!line.includes("\t")) return line
  let out = ""
  let column = 0
  for (const grapheme of graphemes(line)) {
    const cells = grapheme === "\t" ? tabStop - (column % tabStop) : cellsOf(grapheme)
    out += grapheme === "\t" ? " ".repeat(cells) : grapheme
    column += cells
  }
  return out
}

const harmless = /^[\x20-\x7e\n]*$/

/** Everything is shown, nothing is taken away: for what a person is asked to trust. */
export const visible = (text: string): string => {
  if (harmless.test(text)) return text
  const shown = text.replaceAll("\r\n", "\n").toWellFormed().replace(hidden, picture)
  return shown.split("\n").map(spelled).join("\n")
}

/** What would have no cell is spelled, such as a mark without a letter to stand on. */
const spelled = (line: string): string => {
  if (plain.test(line)) return line
  let out = ""
  for (const grapheme of graphemes(expanded(line))) {
    out += cellsOf(grapheme) > 0 ? grapheme : Array.from(grapheme, (character) => picture(character)).join("")
  }
  return out
}

const plain = /^[\x20-\x7e]*$/

/** What a process printed: escape sequences are gone, other controls are shown. */
export const printed = (text: string): string => (harmless.test(text) ? text : visible(stripped(text)))

/** The same on one line. */
export const oneLine = (text: string): string => printed(text).replace(/\s+/gu, " ").trim()
