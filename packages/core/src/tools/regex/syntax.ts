/**
 * Reads JavaScript's regular expressions into a tree.
 *
 * The engine itself has checked the source before, so this only finds the pieces; what one character may be is asked
 * of the engine again, piece by piece. What needs backtracking (looking around, back references) is refused.
 */

export type Node =
  /** One character, as a source of its own: `a`, `\d`, `[^x-z]`, `.`. */
  | { readonly type: "character"; readonly source: string; readonly flags: string }
  | { readonly type: "edge"; readonly edge: Edge }
  | { readonly type: "sequence"; readonly nodes: ReadonlyArray<Node> }
  | { readonly type: "choice"; readonly nodes: ReadonlyArray<Node> }
  | { readonly type: "repeat"; readonly node: Node; readonly min: number; readonly max: number }

/** Something between two characters. */
export type Edge = "start" | "end" | "word" | "noWord"

/** Why a pattern is not searched for, as a sentence. */
export class PatternRefused extends Error {}

export interface Parsed {
  readonly node: Node
  /** Whether characters are code points, as with the flag u. */
  readonly unicode: boolean
}

const maxLength = 1_000

/** Understands what JavaScript does, with the flag u or else without, and a leading `(?i)`. */
export const parsePattern = (pattern: string): Parsed => {
  if (pattern.length > maxLength)
    throw new PatternRefused(
      `The pattern is longer than ${maxLength} characters. Search for a shorter part of it.`
    )
  const insensitive = pattern.startsWith("(?i)")
  const source = insensitive ? pattern.slice(4) : pattern
  const unicode = compiles(source, "u") === undefined
  const error = unicode ? undefined : compiles(source, "")
  if (error !== undefined)
    throw new PatternRefused(
      `${error.replace(/^Invalid regular expression: ?/u, "Not a JavaScript regular expression: ")}. For plain text set "literal": true.`
    )
  const parser = new Parser(source, unicode)
  return { node: parser.choice(insensitive ? "i" : ""), unicode }
}

/** The longest text that stands in every match as it is; `undefined` if none is certain. */
export const requiredText = (node: Node): string | undefined => {
  let longest = ""
  let run = ""
  for (const part of node.type === "sequence" ? node.nodes : [node]) {
    const plain = part.type === "character" && part.flags === "" ? plainCharacter(part.source) : undefined
    run = plain === undefined ? "" : run + plain
    if (run.length > longest.length) longest = run
  }
  return longest === "" ? undefined : longest
}

const plainCharacter = (source: string): string | undefined => {
  if (/^\\[^\p{L}\p{N}]$/u.test(source)) return source.slice(1)
  return /^[^\\.[]$/u.test(source) ? source : undefined
}

const compiles = (source: string, flags: string): string | undefined => {
  try {
    RegExp(source, flags)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const needsBacktracking = (what: string) =>
  new PatternRefused(
    `${what} cannot be searched for in bounded time. Search for a simpler pattern and read what it finds.`
  )

class Parser {
  readonly #source: string
  readonly #unicode: boolean
  #at = 0

  constructor(source: string, unicode: boolean) {
    this.#source = source
    this.#unicode = unicode
  }

  choice(flags: string): Node {
    const nodes = [this.#sequence(flags)]
    while (this.#eat("|")) nodes.push(this.#sequence(flags))
    return nodes.length === 1 ? nodes[0]! : { type: "choice", nodes }
  }

  #sequence(flags: string): Node {
    const nodes: Array<Node> = []
    while (this.#at < this.#source.length && !this.#ahead("|") && !this.#ahead(")"))
      nodes.push(this.#quantified(this.#term(flags)))
    return { type: "sequence", nodes }
  }

  #term(flags: string): Node {
    if (this.#eat("(")) return this.#group(flags)
    if (this.#eat("^")) return { type: "edge", edge: "start" }
    if (this.#eat("$")) return { type: "edge", edge: "end" }
    if (this.#eat(String.raw`\b`)) return { type: "edge", edge: "word" }
    if (this.#eat(String.raw`\B`)) return { type: "edge", edge: "noWord" }
    const start = this.#at
    if (this.#ahead("[")) this.#class()
    else if (this.#ahead("\\")) this.#escape()
    else this.#at += this.#unicode ? String.fromCodePoint(this.#source.codePointAt(this.#at)!).length : 1
    return { type: "character", source: this.#source.slice(start, this.#at), flags }
  }

  #group(flags: string): Node {
    let inner = flags
    if (this.#eat("?")) {
      for (const look of ["=", "!", "<=", "<!"])
        if (this.#ahead(look)) throw needsBacktracking(`What looks around, (?${look}…),`)
      if (this.#eat("<")) this.#skipPast(">")
      else inner = this.#modified(flags)
    }
    const node = this.choice(inner)
    this.#at += 1
    return node
  }

  /** `(?:` or `(?i-s:`. */
  #modified(flags: string): string {
    const colon = this.#source.indexOf(":", this.#at)
    const [on = "", off = ""] = this.#source.slice(this.#at, colon).split("-")
    this.#at = colon + 1
    return [...new Set(flags + on)].filter((flag) => flag !== "m" && !off.includes(flag)).join("")
  }

  #class() {
    this.#at += 1
    while (!this.#ahead("]")) this.#at += this.#ahead("\\") ? 2 : 1
    this.#at += 1
  }

  #escape() {
    const rest = this.#source.slice(this.#at)
    if (/^\\(?:[1-9]|k<)/u.test(rest)) throw needsBacktracking("A back reference")
    const long = this.#unicode
      ? /^\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|[^])/u
      : /^\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|0[0-7]{0,2}|[^])/
    this.#at += long.exec(rest)?.[0].length ?? 1
  }

  #quantified(node: Node): Node {
    const found = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/u.exec(this.#source.slice(this.#at))
    if (!found) return node
    this.#at += found[0].length
    const [text, low, comma, high] = found
    if (low !== undefined) {
      const min = Number(low)
      return { type: "repeat", node, min, max: comma ? (high ? Number(high) : Infinity) : min }
    }
    return {
      type: "repeat",
      node,
      min: text.startsWith("+") ? 1 : 0,
      max: text.startsWith("?") ? 1 : Infinity
    }
  }

  #ahead(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #eat(text: string): boolean {
    if (!this.#ahead(text)) return false
    this.#at += text.length
    return true
  }

  #skipPast(text: string) {
    this.#at = this.#source.indexOf(text, this.#at) + text.length
  }
}
