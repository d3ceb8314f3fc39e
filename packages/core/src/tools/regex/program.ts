/** A pattern's tree as the steps that a search takes through it. */
import { type Edge, type Node, type Parsed, PatternRefused } from "./syntax.ts"

export type Step =
  | { readonly type: "character"; readonly accepts: (character: number) => boolean; readonly next: number }
  | { readonly type: "edge"; readonly edge: Edge; readonly next: number }
  | { readonly type: "split"; readonly next: ReadonlyArray<number> }
  | { readonly type: "found" }

export interface Program {
  readonly steps: ReadonlyArray<Step>
  readonly start: number
  readonly unicode: boolean
}

/** Bounds what one character may cost. */
const maxSteps = 1_000

export const compileProgram = ({ node, unicode }: Parsed): Program => {
  const steps: Array<Step> = []
  const characters = new Map<string, (character: number) => boolean>()

  const push = (step: Step): number => {
    if (steps.length >= maxSteps)
      throw new PatternRefused("The pattern is too large: repeat less in it, for example x{20} for x{2000}.")
    return steps.push(step) - 1
  }

  const accepts = (source: string, flags: string) => {
    const key = `${flags}/${source}`
    const known = characters.get(key)
    if (known) return known
    const made = characterTest(source, unicode ? `${flags}u` : flags)
    characters.set(key, made)
    return made
  }

  /** The entry of `node` when it is followed by the step `next`. */
  const enter = (node: Node, next: number): number => {
    switch (node.type) {
      case "character":
        return push({ type: "character", accepts: accepts(node.source, node.flags), next })
      case "edge":
        return push({ type: "edge", edge: node.edge, next })
      case "sequence":
        return node.nodes.reduceRight((after, part) => enter(part, after), next)
      case "choice":
        return push({ type: "split", next: node.nodes.map((part) => enter(part, next)) })
      case "repeat":
        return repeat(node.node, node.min, node.max, next)
    }
  }

  const repeat = (node: Node, min: number, max: number, next: number): number => {
    let entry = next
    if (max === Infinity) {
      // The loop's way back is known only when its body is there.
      const ways: Array<number> = [next]
      entry = push({ type: "split", next: ways })
      ways.push(enter(node, entry))
    } else {
      for (let count = min; count < max; count++)
        entry = push({ type: "split", next: [enter(node, entry), next] })
    }
    for (let count = 0; count < min; count++) entry = push({ type: "split", next: [enter(node, entry)] })
    return entry
  }

  const found = push({ type: "found" })
  const start = enter(node, found)
  return { steps, start, unicode }
}

const maxRemembered = 4_096

/** Asks the engine about one character, which takes no time to speak of, and remembers its answers. */
const characterTest = (source: string, flags: string): ((character: number) => boolean) => {
  const whole = new RegExp(`^(?:${source})$`, flags)
  const answers = new Map<number, boolean>()
  return (character) => {
    const known = answers.get(character)
    if (known !== undefined) return known
    const answer = whole.test(String.fromCodePoint(character))
    if (answers.size < maxRemembered) answers.set(character, answer)
    return answer
  }
}
