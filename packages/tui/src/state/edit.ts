/** Editing of text that is typed. The cursor never stands inside a grapheme. Pure. */
import { graphemes } from "../text/width.ts"
import type { CommandId } from "../keys.ts"
import type { Typed } from "./shape.ts"

export const inserted = ({ text, cursor }: Typed, what: string): Typed => ({
  text: text.slice(0, cursor) + what + text.slice(cursor),
  cursor: cursor + what.length
})

const lineStart = ({ text, cursor }: Typed) => text.lastIndexOf("\n", cursor - 1) + 1

const lineEnd = ({ text, cursor }: Typed) => {
  const end = text.indexOf("\n", cursor)
  return end === -1 ? text.length : end
}

const before = ({ text, cursor }: Typed): number => {
  const last = graphemes(text.slice(lineStart({ text, cursor }), cursor)).at(-1)
  return cursor - (last?.length ?? Math.min(1, cursor))
}

const after = ({ text, cursor }: Typed): number => {
  const first = graphemes(text.slice(cursor, lineEnd({ text, cursor })))[0]
  return Math.min(text.length, cursor + (first?.length ?? 1))
}

const wordBefore = ({ text, cursor }: Typed) =>
  cursor - (/[^\s\p{P}]+[\s\p{P}]*$|[\s\p{P}]+$/u.exec(text.slice(0, cursor))?.[0].length ?? 0)

const wordAfter = ({ text, cursor }: Typed) =>
  cursor + (/^[\s\p{P}]*[^\s\p{P}]+|^[\s\p{P}]+/u.exec(text.slice(cursor))?.[0].length ?? 0)

/** Without what lies between the cursor and `to`. */
const without = ({ text, cursor }: Typed, to: number): Typed => {
  const [from, until] = to < cursor ? [to, cursor] : [cursor, to]
  return { text: text.slice(0, from) + text.slice(until), cursor: from }
}

const moves: Partial<Readonly<Record<CommandId, (typed: Typed) => Typed>>> = {
  "edit.left": (typed) => ({ ...typed, cursor: before(typed) }),
  "edit.right": (typed) => ({ ...typed, cursor: after(typed) }),
  "edit.wordLeft": (typed) => ({ ...typed, cursor: wordBefore(typed) }),
  "edit.wordRight": (typed) => ({ ...typed, cursor: wordAfter(typed) }),
  "edit.lineStart": (typed) => ({ ...typed, cursor: lineStart(typed) }),
  "edit.lineEnd": (typed) => ({ ...typed, cursor: lineEnd(typed) }),
  "edit.deleteBack": (typed) => without(typed, before(typed)),
  "edit.deleteForward": (typed) => without(typed, after(typed)),
  "edit.deleteWord": (typed) => without(typed, wordBefore(typed)),
  "edit.deleteStart": (typed) => without(typed, lineStart(typed)),
  "edit.deleteEnd": (typed) => without(typed, lineEnd(typed))
}

/** What a command makes of the text; undefined for one that edits nothing. */
export const edited = (typed: Typed, id: CommandId): Typed | undefined => {
  const move = moves[id]
  if (move === undefined) return undefined
  const { text, cursor } = move(typed)
  return { text, cursor }
}

/** The cursor a line up or down, in the column where it is; undefined where there is none. */
export const movedLine = (typed: Typed, by: -1 | 1): Typed | undefined => {
  const { text } = typed
  const start = lineStart(typed)
  const column = graphemes(text.slice(start, typed.cursor)).length
  const end = lineEnd(typed)
  if (by === -1 ? start === 0 : end === text.length) return undefined
  const from = by === 1 ? end + 1 : text.lastIndexOf("\n", start - 2) + 1
  const line = graphemes(text.slice(from, lineEnd({ text, cursor: from })))
  return { text, cursor: from + line.slice(0, column).join("").length }
}

/** On one line: for filters and reasons. */
export const flat = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
