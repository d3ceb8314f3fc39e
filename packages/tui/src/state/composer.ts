/** The prompt that is being written: several lines, history, and long pastes as chips. Pure. */
import type { Snapshot } from "../store.ts"
import { count } from "../text/quantity.ts"
import { inserted, movedLine } from "./edit.ts"
import { type Composer, emptyComposer } from "./shape.ts"

/** A chip is one character of a private plane, so that it moves and goes as one. */
const firstChip = 0x10f000
const maxChips = 0xff0
const chip = /[\u{10f000}-\u{10ffef}]/gu

/** Longer pastes would push the chat off the screen. */
const maxPastedLines = 12
const maxPastedCharacters = 4_000

/** What comes from a terminal or a clipboard, with lines as they are kept and nothing that could pass for a chip. */
const taken = (text: string) => text.replace(/\r\n?/gu, "\n").replace(chip, "").toWellFormed()

export const typedIn = (composer: Composer, text: string): Composer => ({
  ...composer,
  ...inserted(composer, taken(text)),
  back: 0
})

export const pastedIn = (composer: Composer, raw: string): Composer => {
  const text = taken(raw)
  const lines = text.split("\n").length
  if (lines <= maxPastedLines && text.length <= maxPastedCharacters) return typedIn(composer, text)
  const character = String.fromCodePoint(firstChip + (composer.chips % maxChips))
  const pastes = { ...composer.pastes, [character]: text }
  return { ...composer, ...inserted(composer, character), pastes, chips: composer.chips + 1, back: 0 }
}

/** How a chip reads: `[10,000 lines pasted]`. */
export const chipText = ({ pastes }: Composer, character: string): string | undefined => {
  const text = pastes[character]
  if (text === undefined) return undefined
  const lines = text.replace(/\n$/u, "").split("\n").length
  return lines > 1 ? `[${count(lines, "line")} pasted]` : `[${count(text.length, "character")} pasted]`
}

/** The prompt whole, as it is sent. */
export const expandedText = ({ text, pastes }: Composer): string =>
  text.replace(chip, (character) => pastes[character] ?? "")

/** Prompts as they were sent, newest first. */
export const historyOf = ({ sent }: Composer, snapshot: Snapshot | undefined): ReadonlyArray<string> => {
  const told = (snapshot?.messages ?? []).flatMap(({ message }) =>
    message.role === "user" ? [message.payload.text] : []
  )
  const texts = [...told, ...sent.filter((text) => !told.includes(text))]
  return texts.filter((text, index) => text !== texts[index + 1]).toReversed()
}

/** A line up or down, and past the first or last one through history; the draft comes back at its end. */
export const upOrDown = (composer: Composer, by: -1 | 1, history: ReadonlyArray<string>): Composer => {
  const line = movedLine(composer, by)
  if (line !== undefined) return { ...composer, ...line }
  const back = composer.back - by
  if (back < 0 || back > history.length || back === composer.back) return composer
  const kept = composer.back === 0 ? composer.text : composer.kept
  const text = back === 0 ? kept : (history[back - 1] ?? "")
  return { ...composer, text, cursor: text.length, back, kept }
}

const maxSent = 100

/** Empty again, with what was sent in history. */
export const sentFrom = (composer: Composer): Composer => ({
  ...emptyComposer,
  chips: composer.chips,
  sent: [...composer.sent, expandedText(composer)].slice(-maxSent)
})
