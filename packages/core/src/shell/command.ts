/**
 * What a command line runs and touches, taken apart for permission.
 *
 * Nothing is expanded or run. Each simple command becomes a subject of its own, wherever it stands; what can't be
 * taken apart is asked for whole. When in doubt there is one subject too many.
 */
import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { Subject } from "@vigil/schema/permission"
import { hiddenCharacter } from "@vigil/schema/text"
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirect,
  type SyntaxNode,
  type Word
} from "unbash"
import { literal } from "../permission/rule.ts"
import { isDevice, isInside, pathsIn, type Place, pathWords } from "./path.ts"
import { savedPattern } from "./pattern.ts"
import { shown, staticValue } from "./word.ts"
import { readsProgram, wrapped } from "./wrapper.ts"

export interface Scan {
  /** Every simple command, and `> file` for each file that a redirection writes. Never empty. */
  readonly subjects: ReadonlyArray<Subject>
  /** Absolute directories outside the session's that arguments, redirections and `cd` refer to. */
  readonly directories: ReadonlyArray<string>
  /** It could not be taken apart, or runs what only its data tells: all of it is a subject besides its parts. */
  readonly whole: boolean
}

export interface ScanOptions extends Place {
  /** Tells `/etc` from `/etc/passwd`, whose directory is meant. */
  readonly isDirectory?: (path: string) => boolean
}

const maxLength = 65_536
const maxNesting = 16
const maxSubjects = 1_000
const maxPlaces = 16

export const scan = (command: string, options: ScanOptions): Scan => {
  const walker = new Walker(options)
  if (command.length > maxLength || hiddenCharacter.test(command)) walker.unclear = true
  else walker.script(command, 0)
  const { subjects, directories } = walker
  const whole = walker.unclear || subjects.size > maxSubjects
  if (whole || subjects.size === 0) {
    const value = command.trim()
    subjects.delete(value)
    subjects.set(value, { action: "shell", value, pattern: literal(value), exact: true })
  }
  return { subjects: [...subjects.values()].slice(-maxSubjects), directories: [...directories], whole }
}

class Walker {
  readonly subjects = new Map<string, Subject>()
  readonly directories = new Set<string>()
  unclear = false
  private places: ReadonlyArray<string>
  private readonly options: ScanOptions

  constructor(options: ScanOptions) {
    this.options = options
    this.places = [options.directory]
  }

  script(text: string, nesting: number) {
    if (nesting > maxNesting) {
      this.unclear = true
      return
    }
    try {
      this.visit(parse(text), nesting)
    } catch {
      // Too deep for the stack, or a fault of the parser.
      this.unclear = true
    }
  }

  private visit(node: SyntaxNode, nesting: number): void {
    switch (node.type) {
      case "Script":
        if (node.errors && node.errors.length > 0) this.unclear = true
        break
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) this.unclear = true
        break
      case "ArithmeticExpansion":
        if (node.expression === undefined && /[^\s()[\]$]/u.test(node.text)) this.unclear = true
        break
      case "ArithmeticCommand":
        if (node.expression === undefined && node.body.trim() !== "") this.unclear = true
        break
      case "Unknown":
        this.unclear = true
        break
      case "AndOr": {
        const before = this.places
        node.commands.forEach((command, index) => {
          const from = this.places
          this.visit(command, nesting)
          // Behind `cd x &&` nothing runs elsewhere.
          const moved =
            command.type === "Command" && node.operators[index] === "&&" && this.targets(command, from)
          if (moved) this.places = moved
        })
        this.places = join(before, this.places)
        return
      }
      case "Command":
        this.command(node, nesting)
        break
      case "Redirect":
        this.redirect(node)
        break
      case "For":
      case "Select":
        for (const word of node.wordlist ?? []) this.refer(word)
        break
      case "ArrayValue":
        for (const word of node.elements) this.refer(word)
        break
      case "TestCommand":
        this.evaluated(node, nesting)
        break
    }
    forEachChild(node, (child) => this.visit(child, nesting))
  }

  private command(node: Command, nesting: number) {
    const assignments = node.prefix.filter((child): child is Assignment => child.type === "Assignment")
    for (const { value } of assignments) if (value.type === "Word") this.refer(value)
    const words = node.name === undefined ? [] : [node.name, ...node.args.map(asWord)]
    if (assignments.length > 0) {
      const value = [...assignments.map(({ text }) => text), ...words.map(shown)].join(" ")
      this.add({ action: "shell", value, pattern: literal(value) })
    }
    this.words(words, nesting)
    const targets = this.targets(node, this.places)
    if (targets) this.places = join(this.places, targets)
  }

  /** A command and its arguments, without what stands around them. */
  private words(words: ReadonlyArray<Word>, nesting: number): void {
    const [first, ...args] = words
    if (first === undefined) return
    const name = staticValue(first)
    const texts = words.map(shown)
    const value = texts.join(" ")
    if (name === undefined) this.add({ action: "shell", value, pattern: literal(value), exact: true })
    else if (name === "find" && texts.some((text) => /^-(exec|ok|delete|fprint|fls)/u.test(text))) {
      this.add({ action: "shell", value, pattern: literal(value), exact: true })
    } else if (name === "cd" && args.some((word) => staticValue(word) === undefined)) {
      this.add({ action: "shell", value, pattern: literal(value) })
    } else this.add({ action: "shell", value, pattern: savedPattern(texts) })
    for (const word of pathWords(name, args)) this.refer(word)
    if (name !== undefined && evaluating.has(name)) for (const word of args) this.evaluated(word, nesting)
    // Of `curl … | sh` only the whole can be judged.
    if (readsProgram(words)) this.unclear = true
    const { commands, scripts } = wrapped(words)
    for (const command of commands) {
      if (nesting > maxNesting) this.unclear = true
      else this.words(command, nesting + 1)
    }
    for (const script of scripts) this.script(script, nesting + 1)
  }

  private redirect({ operator, target }: Redirect) {
    if (target === undefined) return
    const known = staticValue(target)
    const duplicates = (operator === ">&" || operator === "<&") && /^(\d+-?|-)$/u.test(known ?? "")
    if (duplicates) return
    this.refer(target)
    if (operator === "<" || operator === "<&" || (known !== undefined && isDevice(known))) return
    const value = `> ${shown(target)}`
    this.add({ action: "shell", value, pattern: literal(value) })
  }

  /** Tests and some builtins evaluate `$(…)` in text that was quoted: `[[ 'a[$(x)]' -eq 1 ]]` runs x. */
  private evaluated(node: SyntaxNode, nesting: number): void {
    if (node.type === "Word") {
      const value = staticValue(node)
      if (value !== undefined && /\$\(|`/u.test(value)) this.quoted(value, nesting)
    } else if (node.type !== "Script") forEachChild(node, (child) => this.evaluated(child, nesting))
  }

  /** Visits what a here-document of this text would run. */
  private quoted(text: string, nesting: number) {
    const [statement] = parse(`: <<${delimiter}\n${text}\n${delimiter}\n`).commands
    const command = statement?.command
    const body = command?.type === "Command" ? command.redirects[0] : undefined
    if (body?.type === "HereDoc" && nesting < maxNesting) this.visit(body, nesting + 1)
    else this.unclear = true
  }

  /** Where `cd` may lead from each of `places`; undefined for other commands, and where it can't be known. */
  private targets(node: Command, places: ReadonlyArray<string>) {
    const name = node.name && staticValue(node.name)
    if (name !== "cd" && name !== "pushd") return undefined
    const values = node.args.map((word) => (word.type === "Word" ? staticValue(word) : undefined))
    const operand = values.findIndex((value) => value === undefined || !/^-./u.test(value))
    const word = node.args[operand]
    if (word === undefined) {
      this.outside(this.options.home)
      return [this.options.home]
    }
    if (word.type !== "Word") return undefined
    const value = values[operand]
    const found =
      value !== undefined && /^[^/~]/u.test(value) && value !== "-"
        ? places.map((place) => resolve(place, value))
        : [...pathsIn(word, { home: this.options.home, cwds: places })]
    for (const path of found) this.outside(stripSlash(path))
    if (found.length > maxPlaces) this.unclear = true
    return found.length > 0 ? found.map(stripSlash) : undefined
  }

  private refer(word: Word) {
    const isDirectory = this.options.isDirectory ?? exists
    for (const path of pathsIn(word, { home: this.options.home, cwds: this.places })) {
      if (isDevice(path) || isInside(stripSlash(path), this.options.directory)) continue
      this.outside(path.endsWith("/") ? stripSlash(path) : isDirectory(path) ? path : dirname(path))
    }
  }

  private outside(path: string) {
    if (!isInside(path, this.options.directory) && this.directories.size < maxSubjects)
      this.directories.add(path)
  }

  private add(subject: Subject) {
    if (this.subjects.size <= maxSubjects) this.subjects.set(subject.value, subject)
  }
}

/** Builtins that evaluate subscripts in their arguments. */
const evaluating = new Set(
  "[ declare export let local mapfile printf read readarray readonly test typeset unset wait".split(" ")
)

const delimiter = "END-OF-VIGIL-TEXT"

const asWord = (argument: Word | Assignment): Word => {
  if (argument.type === "Word") return argument
  const { value, text, pos, end } = argument
  const parts = value.type === "Word" ? value.parts : undefined
  const front = text.slice(0, value.pos - pos)
  const name = { type: "Literal", pos, end: value.pos, value: front, text: front } as const
  return {
    type: "Word",
    text,
    value: value.type === "Word" ? front + value.value : text,
    pos,
    end,
    parts: parts && [name, ...parts]
  }
}

const join = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) =>
  [...new Set([...before, ...after])].slice(-maxPlaces)

const stripSlash = (path: string) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path)

const exists = (path: string) => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
