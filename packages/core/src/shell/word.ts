/** What a word of a command stands for, as far as that can be known without running it. Pure. */
import type { Word, WordPart } from "unbash"

/** The word without its quotes; undefined where it depends on anything but the command's text. */
export const staticValue = (word: Word): string | undefined => {
  if (word.parts === undefined) return word.value
  let value = ""
  for (const part of word.parts) {
    const known = staticPart(part)
    if (known === undefined) return undefined
    value += known
  }
  return value
}

/** What stands in front of the first part that is unknown; `home` and `cwd` stand for their variables. */
export const knownPrefix = (word: Word, variables: Readonly<Record<string, string>>) => {
  let value = ""
  if (word.parts === undefined) return { value: word.value, whole: true }
  for (const part of word.parts) {
    const children = part.type === "DoubleQuoted" ? part.parts : [part]
    for (const child of children) {
      const known = staticPart(child) ?? variable(child, variables)
      if (known === undefined) return { value, whole: false }
      value += known
    }
  }
  return { value, whole: true }
}

const staticPart = (part: WordPart): string | undefined => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value
    case "DoubleQuoted":
      return part.parts.every((part) => part.type === "Literal")
        ? part.parts.map((part) => (part.type === "Literal" ? part.value : "")).join("")
        : undefined
    default:
      return undefined
  }
}

const variable = (part: WordPart, variables: Readonly<Record<string, string>>) => {
  if (part.type === "SimpleExpansion") return variables[part.text.slice(1)]
  if (part.type === "ParameterExpansion" && part.prefix === undefined) return variables[part.parameter]
  return undefined
}

const plain = /^[\p{L}\p{N}_@%+=:,./^-]+$/u

/** The word as patterns see it: without quotes where they change nothing, else as it was written. */
export const shown = (word: Word): string => {
  const value = staticValue(word)
  return value !== undefined && plain.test(value) ? value : word.text
}

/** Whether a word says the same with and without its quotes. */
export const isPlain = (text: string) => plain.test(text)
