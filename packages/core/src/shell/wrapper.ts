/** Commands that run other commands. Pure. */
import type { Word } from "unbash"
import { staticValue } from "./word.ts"

/** What a command runs besides itself: words that are a command, or text that is a script. */
export interface Wrapped {
  readonly commands: ReadonlyArray<ReadonlyArray<Word>>
  readonly scripts: ReadonlyArray<string>
}

/** Short options that take the next word, and how many words stand before the command. */
interface Wrapper {
  readonly valued?: string
  readonly skip?: number
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  busybox: {},
  chroot: { skip: 1 },
  command: {},
  doas: { valued: "uC" },
  env: { valued: "uC" },
  exec: { valued: "a" },
  flock: { valued: "wE", skip: 1 },
  ionice: { valued: "cn" },
  nice: { valued: "n" },
  nohup: {},
  setsid: {},
  stdbuf: { valued: "ioe" },
  strace: { valued: "eosaPp" },
  sudo: { valued: "ughpCrtTUDRac" },
  time: { valued: "fo" },
  timeout: { valued: "ks", skip: 1 },
  xargs: { valued: "aEdILnPs" }
}

const shells = new Set(["bash", "sh", "dash", "zsh", "ksh", "ash"])
const nothing: Wrapped = { commands: [], scripts: [] }

/** What `words`, a command and its arguments, run besides themselves, as far as their text tells. */
export const wrapped = (words: ReadonlyArray<Word>): Wrapped => {
  const path = words[0] && staticValue(words[0])
  if (path === undefined) return nothing
  const name = path.slice(path.lastIndexOf("/") + 1)
  const args = words.slice(1)
  if (shells.has(name) || name === "su" || name === "script") return script(flagged(args))
  if (name === "eval" || name === "watch") return script(joined(args))
  if (name === "trap") return script(args[0] && staticValue(args[0]))
  if (name === "find") return { commands: executed(args), scripts: [] }
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (wrapper === undefined) return nothing
  const split = args.findIndex((word) => /^(-S|--split-string)/u.test(staticValue(word) ?? ""))
  if (name === "env" && split !== -1) return script(joined(args.slice(split + 1)))
  const inner = operands(args, wrapper)
  return inner.length === 0 ? nothing : { commands: [inner], scripts: [] }
}

const interpreters = new Set([...shells, "python", "python3", "node", "perl", "ruby", "php", "deno"])

/** Whether a command runs what it is given on stdin, which its own words do not tell. */
export const readsProgram = (words: ReadonlyArray<Word>): boolean => {
  const [name = "", ...args] = words.map((word) => staticValue(word) ?? "?")
  if (!interpreters.has(name.slice(name.lastIndexOf("/") + 1))) return false
  return args.every((arg) => /^(-|-[A-Za-z]*s[A-Za-z]*|-[ilx]+|\/dev\/stdin)$/u.test(arg))
}

const script = (text: string | undefined): Wrapped =>
  text === undefined || text.trim() === "" ? nothing : { commands: [], scripts: [text] }

/** All words as one text; undefined where one of them is dynamic. */
const joined = (words: ReadonlyArray<Word>) => {
  const values = words.map(staticValue)
  return values.every((value) => value !== undefined) ? values.join(" ") : undefined
}

/** The script behind `-c`, also in `-lc`. */
const flagged = (args: ReadonlyArray<Word>) => {
  const flag = args.findIndex((word) => /^(-[a-z]*c[a-z]*|--command)$/u.test(staticValue(word) ?? ""))
  if (flag === -1) return undefined
  const text = args.slice(flag + 1).find((word) => !/^[-+]./u.test(staticValue(word) ?? ""))
  return text && staticValue(text)
}

/** The commands of `find`: each runs from `-exec` up to `;` or `+`. */
const executed = (args: ReadonlyArray<Word>) => {
  const commands: Array<ReadonlyArray<Word>> = []
  for (let index = 0; index < args.length; index++) {
    if (!/^-(exec|ok)(dir)?$/u.test(staticValue(args[index]!) ?? "")) continue
    const rest = args.slice(index + 1)
    const end = rest.findIndex((word) => [";", "+"].includes(staticValue(word) ?? ""))
    const command = end === -1 ? rest : rest.slice(0, end)
    if (command.length > 0) commands.push(command)
  }
  return commands
}

/** What is left behind a wrapper's own options, assignments and operands. */
const operands = (args: ReadonlyArray<Word>, { valued = "", skip = 0 }: Wrapper) => {
  let index = 0
  for (; index < args.length; index++) {
    const value = staticValue(args[index]!) ?? ""
    if (value === "--") {
      index++
      break
    }
    if (/^-[A-Za-z]*$/u.test(value) && valued.includes(value.at(-1)!) && value.length > 1) index++
    else if (!/^-./u.test(value) && !/^[A-Za-z_]\w*=/u.test(value)) break
  }
  while (/^[A-Za-z_]\w*=/u.test((args[index] && staticValue(args[index]!)) ?? "")) index++
  return args.slice(index + skip)
}
