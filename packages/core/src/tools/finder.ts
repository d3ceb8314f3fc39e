/**
 * Finds a text or a pattern in a line, in time that grows with the line only.
 *
 * JavaScript's own matching backtracks, takes hours for some patterns, and nothing interrupts it. RE2 does not; in
 * exchange it knows neither looking around nor back references.
 */
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js"

export interface Finder {
  /** False where no line of this text holds a match, found out at once for all of them; true where one may. */
  mayHold(text: string): boolean
  /** Characters to look through without a pause. It may grow with what was looked through, and fall. */
  readonly reach: number
  /** Whether there is a match, which is known much sooner than where it is. */
  holds(line: string): boolean
  /** About where the first match ends in a line that holds one. */
  endIn(line: string): number
}

/** Why a pattern is not searched for, as a sentence. */
export class PatternRefused extends Error {}

/** Looks for a text as it stands. */
export const literalFinder = (literal: string): Finder => ({
  mayHold: (text) => text.includes(literal),
  reach: Infinity,
  holds: (line) => line.includes(literal),
  endIn: (line) => line.indexOf(literal) + literal.length
})

const maxLength = 1_000
/** In instructions: bounds what one character may cost. */
const maxProgram = 1_000
/** Characters times instructions that take a tenth of a second in the worst case. */
const reachWork = 500_000
const minReach = 2_000
/** The library follows a text by states that it makes as they come up: many are a sign that it is at a loss. */
const maxStates = 1_000

/** Looks for a regular expression in RE2's syntax. Throws `PatternRefused`. */
export const patternFinder = (pattern: string): Finder => {
  if (!/[\\^$.*+?()[\]{}|]/u.test(pattern)) return literalFinder(pattern)
  if (pattern.length > maxLength)
    throw new PatternRefused(
      `The pattern is longer than ${maxLength} characters. Search for a shorter part of it.`
    )
  const expression = compiled(pattern)
  const program = expression.programSize()
  if (program > maxProgram) throw tooLarge()
  const least = Math.max(minReach, Math.floor(reachWork / program))
  let seen = 0
  let costly = false
  const holds = (text: string): boolean => {
    const found = expression.test(text)
    seen += text.length
    costly ||= states(expression) > maxStates
    return found
  }
  const anyLine = linesTogether(pattern)
  const reach = () => (costly ? least : least + seen)
  const mayHold = (text: string): boolean => {
    // In CRLF a line ends elsewhere; what is long is for who can pause.
    if (anyLine === undefined || text.length > reach() || text.includes("\r")) return true
    const found = anyLine.test(text)
    seen += text.length
    costly ||= states(anyLine) > maxStates
    return found
  }
  return {
    mayHold,
    get reach() {
      return reach()
    },
    holds,
    endIn: (line) => {
      let size = least
      while (size < line.length && !holds(line.slice(0, size))) size *= 2
      const start = line.slice(0, size)
      const matcher = expression.matcher(start)
      return matcher.find() ? matcher.end() : start.length
    }
  }
}

const states = (expression: RE2JS) => expression.re2().lazyDFA?.stateCount ?? 0

/**
 * The pattern such that it matches a text of many lines at least where it matches one of them. None where it says
 * itself what its anchors mean.
 */
const linesTogether = (pattern: string): RE2JS | undefined =>
  escapes(pattern).some((escape) => /[AzZ]/u.test(escape)) || /\(\?[A-Za-z]*[-m]/u.test(pattern)
    ? undefined
    : compiled(pattern, RE2JS.MULTILINE)

const compiled = (pattern: string, flags = 0): RE2JS => {
  // The library would take it for the letter k.
  if (escapes(pattern).includes(String.raw`\k`)) throw needsBacktracking("A back reference")
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), flags)
  } catch (error) {
    if (error instanceof RE2JSException) throw refused(error)
    throw error
  }
}

/** The backslashes of a pattern, each with the character that it changes. */
export const escapes = (pattern: string): ReadonlyArray<string> => pattern.match(/\\./gsu) ?? []

const refused = (error: RE2JSException): PatternRefused => {
  const reason = error.message.replace(/^error parsing regexp: /u, "")
  if (/: `\(\?<?[=!]/u.test(reason)) return needsBacktracking("What looks around, such as (?=…) or (?<!…),")
  if (/: `\\[1-9]/u.test(reason)) return needsBacktracking("A back reference")
  if (error instanceof RE2JSSyntaxException && /^(?:invalid repeat count|expression too large)/u.test(reason))
    return tooLarge()
  return new PatternRefused(`Not a regular expression: ${reason}. For plain text set "literal": true.`)
}

const tooLarge = () =>
  new PatternRefused("The pattern is too large: repeat less in it, for example x{20} for x{2000}.")

const needsBacktracking = (what: string) =>
  new PatternRefused(
    `${what} cannot be searched for in bounded time. Search for a simpler pattern and read what it finds.`
  )
