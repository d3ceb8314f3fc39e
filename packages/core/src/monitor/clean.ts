/** What is left of a line when all that a terminal would act on, or a reader not see, is gone. */

/** A cleaned line that is not blank. */
export interface Line {
  /** No controls but tab, no escape sequences, no bidi controls. Clipped, it ends with ` [… 1234 bytes cut]`. */
  readonly text: string
  /** UTF-8 bytes of `text`, its marker included: never more than `maxLineBytes`. */
  readonly bytes: number
  /** UTF-8 bytes of cleaned text that were cut, 0 if none. */
  readonly clippedBytes: number
  /** Raw stdout offset just behind this line's newline, or the end of output. */
  readonly end: number
}

const encoder = new TextEncoder()

/**
 * C0 and C1 controls but tab, bidi controls, and the two separators that some renderers take for a line end.
 * A newline is none: what is tested may be many lines.
 */
export const special = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const specials = new RegExp(special, "g")
const ordinary = /[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/y
const introducer = /[\u001b\u0080-\u009f]/
export const visible = /\S/

const colours = /\u001b\[[0-9;]*m/g

/**
 * Without colours and `\r\n`, which are most of what needs cleaning. What still holds something special is for the
 * cleaner, from the text as it was: only where nothing is left did no sequence begin inside another.
 */
export const tidy = (text: string): string | undefined => {
  const ended = text.endsWith("\r") ? text.slice(0, -1) : text
  const tidied = ended.replaceAll("\r\n", "\n").replace(colours, "")
  return special.test(tidied) ? undefined : tidied
}

/** The longest beginning of `text` that has at most `maxBytes` UTF-8 bytes, cut between characters. */
export const clip = (text: string, maxBytes: number): string =>
  text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes
    ? text
    : text.slice(0, encoder.encodeInto(text, new Uint8Array(maxBytes)).read)

/** `kept` is the line, or as much of it as could matter; `total` the bytes of all of it. */
export const toLine = (kept: string, total: number, maxLineBytes: number, end: number): Line => {
  if (total <= maxLineBytes) return { text: kept, bytes: total, clippedBytes: 0, end }
  const marker = (cut: number) => ` [… ${cut} bytes cut]`
  const head = clip(kept, Math.max(0, maxLineBytes - Buffer.byteLength(marker(total))))
  const clippedBytes = total - Buffer.byteLength(head)
  const text = head + marker(clippedBytes)
  return { text, bytes: Buffer.byteLength(text), clippedBytes, end }
}

/**
 * ```
 *            ┌───────── final ──────────┐
 *   ground ──┴─ ESC ─▶ escape ─ [ ─▶ csi ┘
 *      ▲                 ├─ space…/ ─▶ designate ─ final ─▶ ground
 *      │                 └─ ] P X ^ _ ─▶ string ─ ESC ─▶ closing ─ anything but \ ─▶ escape
 *      └──────────── BEL (of an OSC), ST ───┘               └── \ ──▶ ground
 * ```
 * The one-character forms (U+009B, U+009D, U+0090 …) lead to the same places; CAN and SUB give up any sequence.
 */
type Mode = "ground" | "escape" | "designate" | "csi" | "osc" | "string" | "closing"

/** What opens a sequence: behind ESC, or as one character. */
const opened: Record<string, Mode> = {
  "[": "csi",
  "]": "osc",
  P: "string",
  X: "string",
  "^": "string",
  _: "string",
  "\u009b": "csi",
  "\u009d": "osc",
  "\u0090": "string",
  "\u0098": "string",
  "\u009e": "string",
  "\u009f": "string"
}

/** Takes one line's text in pieces. It keeps `maxBytes` of what is clean, and counts the rest. */
export class Cleaner {
  private readonly maxBytes: number
  private mode: Mode = "ground"
  /** A `\r` was seen: the next character, if there is one, overwrites the line. */
  private returned = false
  private blank = true
  private total = 0
  private keptBytes = 0
  private kept = ""

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  push(text: string): void {
    if (this.mode === "ground" && !introducer.test(text)) return this.pushUnescaped(text)
    let at = 0
    while (at < text.length) {
      if (this.mode === "ground") {
        ordinary.lastIndex = at
        const run = ordinary.exec(text)
        if (run !== null) {
          this.keep(run[0])
          at = ordinary.lastIndex
          continue
        }
      }
      if (this.control(text[at]!)) at++
    }
  }

  /** The same as a character at a time, without looking at each. */
  private pushUnescaped(text: string): void {
    let end = text.length
    while (end > 0 && text[end - 1] === "\r") end--
    if (end > 0) {
      const last = text.lastIndexOf("\r", end - 1)
      if (last !== -1) this.returned = true
      this.keep(text.slice(last + 1, end).replace(specials, ""))
    }
    if (end < text.length) this.returned = true
  }

  /** The line, unless it is blank. The cleaner is ready for the next. */
  finish(end: number): Line | undefined {
    const line = this.blank ? undefined : toLine(this.kept, this.total, this.maxBytes, end)
    this.mode = "ground"
    this.returned = false
    this.restart()
    return line
  }

  private restart(): void {
    this.blank = true
    this.total = 0
    this.keptBytes = 0
    this.kept = ""
  }

  private overwrite(): void {
    if (!this.returned) return
    this.returned = false
    this.restart()
  }

  private keep(run: string): void {
    this.overwrite()
    const bytes = Buffer.byteLength(run)
    if (this.blank && visible.test(run)) this.blank = false
    // Contiguous from the start: nothing is kept behind the first piece that had to be cut.
    if (this.keptBytes === this.total) {
      const piece = clip(run, this.maxBytes - this.keptBytes)
      this.kept += piece
      this.keptBytes += piece === run ? bytes : Buffer.byteLength(piece)
    }
    this.total += bytes
  }

  /** Whether `c` is dealt with. If not, the sequence is over, and `c` is to be looked at afresh. */
  private control(c: string): boolean {
    if (this.mode === "ground") {
      this.ground(c)
      return true
    }
    if (c === "\u0018" || c === "\u001a") {
      this.mode = "ground"
      return true
    }
    switch (this.mode) {
      case "osc":
      case "string":
        if (c === "\u009c" || (c === "\u0007" && this.mode === "osc")) this.mode = "ground"
        else if (c === "\u001b") this.mode = "closing"
        return true
      case "closing":
        this.mode = c === "\\" ? "ground" : "escape"
        return c === "\\"
    }
    if (c === "\u001b") {
      this.mode = "escape"
      return true
    }
    // A terminal acts on controls inside a sequence and goes on with the sequence.
    if (c !== "\r" && (c < " " || c === "\u007f")) return true
    if (this.mode === "escape" && c <= "~" && opened[c] !== undefined) {
      this.mode = opened[c]
      return true
    }
    if (c >= " " && c <= "/") {
      if (this.mode === "escape") this.mode = "designate"
      return true
    }
    if (this.mode === "csi" && c >= "0" && c <= "?") return true
    this.mode = "ground"
    return c >= "0" && c <= "~"
  }

  private ground(c: string): void {
    if (c === "\r") {
      this.returned = true
      return
    }
    this.overwrite()
    if (c === "\u001b") this.mode = "escape"
    else if (c >= "\u0080" && opened[c] !== undefined) this.mode = opened[c]
  }
}
