/**
 * Finds a pattern in lines, in time that grows with the text only, whatever the pattern is.
 *
 * JavaScript's own matching backtracks, takes hours for some patterns, and cannot be interrupted: ending a Bun worker
 * does not end a match that runs in it. So patterns run here as an automaton: a state is the set of steps that the
 * search may be at; states are made when the text first leads to them, and then following the text is one look-up a
 * character. This is what ripgrep and RE2 do, and like them it knows neither looking around nor back references.
 */
import { compileProgram, type Program } from "./program.ts"
import type { Edge } from "./syntax.ts"
import { parsePattern, requiredText } from "./syntax.ts"

export { PatternRefused } from "./syntax.ts"

/** What stands beside a place: nothing (an end of the line), a word's character, or another. */
type Side = 0 | 1 | 2

interface State {
  /** Sorted. */
  readonly steps: ReadonlyArray<number>
  readonly before: Side
  /** Where a character below 128 leads. */
  readonly ascii: Array<State | undefined>
  readonly others: Map<number, State>
  /** Whether a line that ends here matches. */
  atEnd: boolean | undefined
}

/** How far a search through one line has come; it goes on where it paused. */
export interface Cursor {
  at: number
  state: State | undefined
}

export const newCursor = (at: number): Cursor => ({ at, state: undefined })

const maxStates = 2_000
/** In all states together. */
const maxOthers = 20_000

export class Automaton {
  readonly #program: Program
  readonly #states = new Map<string, State>()
  readonly #found: State = newState([], 0)
  readonly #start: State = newState([], 0)
  #others = 0
  /** Grows with the work done to make states and ways, about a step each. */
  work = 0

  /** What every match holds, where that is known: a text without it need not be looked through. */
  readonly required: string | undefined

  constructor(program: Program, required: string | undefined) {
    this.#program = program
    this.required = required
  }

  /**
   * Looks for the pattern between the cursor and `to`, an end of a line. Pauses when it has worked for `budget` or
   * has come to `until`: then call again. `cursor.at` is where a match was noticed.
   */
  advance(
    text: string,
    cursor: Cursor,
    to: number,
    until: number,
    budget: number
  ): "found" | "absent" | "paused" {
    const stop = this.work + budget
    const last = Math.min(to, until)
    const found = this.#found
    let state = cursor.state ?? this.#start
    let at = cursor.at
    while (at < last) {
      let character = text.charCodeAt(at)
      let next: State | undefined
      if (character < 128) {
        next = state.ascii[character]
      } else {
        if (this.#program.unicode) character = text.codePointAt(at)!
        next = state.others.get(character)
      }
      if (next === undefined) {
        if (this.work > stop) {
          cursor.at = at
          cursor.state = state
          return "paused"
        }
        next = this.#lead(state, character)
      }
      if (next === found) {
        cursor.at = at
        return "found"
      }
      at += character > 0xffff ? 2 : 1
      state = next
    }
    cursor.at = at
    cursor.state = state
    if (at < to) return "paused"
    state.atEnd ??= this.#reach(state, 0) === undefined
    return state.atEnd ? "found" : "absent"
  }

  /** The state behind `character`, made and remembered. */
  #lead(from: State, character: number): State {
    const after: Side = isWord(character) ? 1 : 2
    const reached = this.#reach(from, after)
    let next = this.#found
    if (reached !== undefined) {
      const steps = new Set<number>()
      for (const step of reached) if (step.accepts(character)) steps.add(step.next)
      this.work += reached.length
      next = this.#state(
        [...steps].toSorted((a, b) => a - b),
        after
      )
    }
    if (character < 128) from.ascii[character] = next
    else if (this.#others < maxOthers) {
      from.others.set(character, next)
      this.#others += 1
    }
    return next
  }

  /** The characters' steps that can be reached without one; `undefined` if the pattern's end is among them. */
  #reach({ steps, before }: State, after: Side) {
    const seen = new Set<number>()
    // A match may begin at every place.
    const open = [...steps, this.#program.start]
    const reached: Array<{ readonly accepts: (character: number) => boolean; readonly next: number }> = []
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen.has(index)) continue
      seen.add(index)
      const step = this.#program.steps[index]!
      if (step.type === "found") return undefined
      if (step.type === "character") reached.push(step)
      else if (step.type === "split") open.push(...step.next)
      else if (holds(step.edge, before, after)) open.push(step.next)
    }
    this.work += seen.size
    return reached
  }

  #state(steps: ReadonlyArray<number>, before: Side): State {
    const key = `${before}:${steps.join()}`
    const known = this.#states.get(key)
    if (known) return known
    // All at once: states point to each other, so none alone would be free.
    if (this.#states.size >= maxStates || this.#others >= maxOthers) {
      for (const state of [this.#start, ...this.#states.values()]) {
        state.ascii.fill(undefined)
        state.others.clear()
      }
      this.#states.clear()
      this.#others = 0
    }
    const made = newState(steps, before)
    this.#states.set(key, made)
    return made
  }
}

/** An automaton for a JavaScript pattern. Throws `PatternRefused`. */
export const automatonOf = (pattern: string): Automaton => {
  const parsed = parsePattern(pattern)
  return new Automaton(compileProgram(parsed), requiredText(parsed.node))
}

const newState = (steps: ReadonlyArray<number>, before: Side): State => ({
  steps,
  before,
  ascii: Array.from({ length: 128 }, () => undefined),
  others: new Map(),
  atEnd: undefined
})

const holds = (edge: Edge, before: Side, after: Side): boolean => {
  switch (edge) {
    case "start":
      return before === 0
    case "end":
      return after === 0
    case "word":
      return (before === 1) !== (after === 1)
    case "noWord":
      return (before === 1) === (after === 1)
  }
}

/** A letter of ASCII, a digit, or `_`. */
const isWord = (character: number): boolean =>
  (character >= 97 && character <= 122) ||
  (character >= 65 && character <= 90) ||
  (character >= 48 && character <= 57) ||
  character === 95
