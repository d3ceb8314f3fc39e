/** Which paths the words of a command refer to. Pure but for `isDirectory`, which is given. */
import { dirname, resolve } from "node:path"
import type { Word } from "unbash"
import { knownPrefix, staticValue } from "./word.ts"

export interface Place {
  /** The session's directory. */
  readonly directory: string
  readonly home: string
}

/** Absolute paths, resolved against each of `cwds`, that a word may mean. */
export const pathsIn = (word: Word, { home, cwds }: { home: string; cwds: ReadonlyArray<string> }) => {
  const found = new Set<string>()
  for (const cwd of cwds) {
    for (const text of texts(word, { HOME: home, PWD: cwd })) {
      const path = expandHome(text, home)
      if (path.startsWith("/")) found.add(clean(path))
      else if (/(^|\/)\.\.(\/|$)/u.test(path)) found.add(clean(`${cwd}/${path}`))
    }
  }
  return found
}

/** What in a word may be a path: all of it, an option's value, the alternatives of braces. */
const texts = (word: Word, variables: Readonly<Record<string, string>>) => {
  const { value, whole } = knownPrefix(word, variables)
  // Of an unknown ending the directory in front of it is known.
  const path = whole ? value : value.slice(0, value.lastIndexOf("/") + 1)
  if (path.includes("://")) return []
  const equals = path.indexOf("=")
  const attached = /^-[A-Za-z](?=[/~.])/u.test(path) ? [path.slice(2)] : []
  const braces = word.parts?.some((part) => part.type === "BraceExpansion")
    ? Array.from(word.text.matchAll(/[{,]([/~.][^{},]*)/gu), ([, alternative]) => alternative!)
    : []
  return [path, ...(equals === -1 ? [] : [path.slice(equals + 1)]), ...attached, ...braces]
}

/** `~/x` and `~someone/x`; the homes of others are taken to lie beside one's own. */
export const expandHome = (path: string, home: string) => {
  if (!path.startsWith("~")) return path
  const slash = path.indexOf("/")
  const user = slash === -1 ? path.slice(1) : path.slice(1, slash)
  const rest = slash === -1 ? "" : path.slice(slash)
  if (user === "") return home + rest
  return /^[\w.-]*[\w.]$/u.test(user) ? `${dirname(home)}/${user}${rest}` : path
}

const clean = (path: string) => resolve("/", path) + (/[^/]\/$/u.test(path) ? "/" : "")

export const isInside = (path: string, directory: string) =>
  path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`)

const devices = /^\/dev\/(null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd(\/\d*)?)$/u

/** Whether a path is no place: reading and writing it touches no one's files. */
export const isDevice = (path: string) => devices.test(path)

/** Commands whose first operand is a pattern or a program, not a path. */
const patterned = new Set("awk egrep expr fgrep gawk grep jq mawk rg sed tr yq".split(" "))
/** Commands whose arguments are text, or are looked at elsewhere. */
const textual = new Set(["cd", "echo", "printf", "pushd"])

/** The arguments that may be paths. Where that is unclear, all are. */
export const pathWords = (name: string | undefined, args: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  if (name === undefined) return args
  if (textual.has(name)) return []
  if (!patterned.has(name)) return args
  const values = args.map((word) => staticValue(word) ?? "")
  if (values.some((value) => /^(-[A-Za-z]*[ef]|--(regexp|expression|file))/u.test(value))) return args
  const first = values.findIndex((value) => !/^-./u.test(value))
  return args.filter((_, index) => index !== first)
}
