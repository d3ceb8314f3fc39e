/**
 * Every command, once: what it is called, and by which keys it is given where.
 *
 * Help, palette and keyboard come from this table. `keys` in vigil.json gives a command other keys.
 */

/** Where a key counts. What has the focus is asked before `global`; `empty` is a composer without a draft. */
export type Context =
  | "global"
  | "chat"
  | "empty"
  | "ask"
  | "reason"
  | "tasks"
  | "output"
  | "list"
  | "help"
  | "confirm"

interface Entry {
  readonly title: string
  readonly keys: Partial<Readonly<Record<Context, ReadonlyArray<string>>>>
  /** In the palette wherever it is opened. The others are there where one of their keys counts, behind these. */
  readonly palette?: true
}

const typing: ReadonlyArray<Context> = ["chat", "reason", "list"]

const everywhereTyped = (...keys: ReadonlyArray<string>) =>
  Object.fromEntries(typing.map((context) => [context, keys]))

const table = {
  "palette.open": { title: "Commands", keys: { global: ["ctrl+p"] } },
  "tasks.open": {
    title: "Background tasks",
    keys: { global: ["ctrl+t"], empty: ["down"] },
    palette: true
  },
  "session.new": { title: "New session", keys: { global: ["ctrl+n"] }, palette: true },
  "sessions.open": { title: "Switch session", keys: { global: ["ctrl+r"] }, palette: true },
  "models.open": { title: "Switch model", keys: { global: ["alt+m"] }, palette: true },
  "help.open": {
    title: "Help: all keys",
    keys: { empty: ["?"], tasks: ["?"], output: ["?"] },
    palette: true
  },
  "theme.switch": { title: "Theme: dark, light, as the terminal", keys: {}, palette: true },
  "details.toggle": {
    title: "Show tool calls and events whole, or in short",
    keys: { global: ["ctrl+o"] },
    palette: true
  },
  "shell.background": {
    title: "Move the running command to the background",
    keys: { global: ["ctrl+b"] },
    palette: true
  },
  "monitors.stopAll": { title: "Stop all monitors", keys: {}, palette: true },
  "session.copyID": { title: "Copy the session's id", keys: {}, palette: true },
  "answer.copy": { title: "Copy the last answer", keys: {}, palette: true },
  "session.delete": { title: "Delete this session", keys: {}, palette: true },
  "demo.start": { title: "Try the demo model, without a key", keys: {}, palette: true },

  "chat.send": { title: "Send", keys: { chat: ["enter"] } },
  "chat.queue": { title: "Send for after this turn", keys: { chat: ["ctrl+q"] }, palette: true },
  "chat.withdraw": { title: "Take back the prompt that waits", keys: { chat: ["alt+up"] }, palette: true },
  "chat.newline": { title: "New line", keys: { chat: ["ctrl+j", "alt+enter", "shift+enter"] } },
  "chat.interrupt": {
    title: "Interrupt the agent; else to the end of the chat",
    keys: { chat: ["esc"] },
    palette: true
  },
  "chat.cancel": { title: "Clear the draft; else interrupt; else leave", keys: { global: ["ctrl+c"] } },

  "ask.focus": { title: "Answer what is asked", keys: { chat: ["tab"] }, palette: true },
  "ask.next": { title: "Next answer", keys: { ask: ["right", "down", "tab"] } },
  "ask.previous": { title: "Answer before", keys: { ask: ["left", "up", "shift+tab"] } },
  "ask.choose": { title: "Give this answer", keys: { ask: ["enter"] } },
  "ask.pageDown": { title: "More of the command", keys: { ask: ["pagedown"] } },
  "ask.pageUp": { title: "Back in the command", keys: { ask: ["pageup"] } },
  "ask.once": {
    title: "Allow what is asked, once",
    keys: { chat: ["alt+y"], ask: ["alt+y"] },
    palette: true
  },
  "ask.always": {
    title: "Allow what is asked, always",
    keys: { chat: ["alt+a"], ask: ["alt+a"] },
    palette: true
  },
  "ask.reject": {
    title: "Reject what is asked",
    keys: { chat: ["alt+n"], ask: ["alt+n"] },
    palette: true
  },
  "reason.send": { title: "Reject, with this reason", keys: { reason: ["enter"] } },

  "scroll.pageUp": { title: "Page up", keys: { chat: ["pageup"] } },
  "scroll.pageDown": { title: "Page down", keys: { chat: ["pagedown"] } },
  "scroll.up": { title: "Line up", keys: { chat: ["shift+up", "ctrl+up"] } },
  "scroll.down": { title: "Line down", keys: { chat: ["shift+down", "ctrl+down"] } },
  "scroll.start": {
    title: "To the start of the chat",
    keys: { chat: ["ctrl+home"], empty: ["home"] },
    palette: true
  },
  "scroll.end": {
    title: "To the end of the chat",
    keys: { chat: ["ctrl+end"], empty: ["end"] },
    palette: true
  },

  "edit.left": { title: "Left", keys: everywhereTyped("left") },
  "edit.right": { title: "Right", keys: everywhereTyped("right") },
  "edit.up": { title: "Line up, then older prompts", keys: { chat: ["up"] } },
  "edit.down": { title: "Line down, then newer prompts", keys: { chat: ["down"] } },
  "edit.wordLeft": { title: "Word left", keys: everywhereTyped("ctrl+left", "alt+left", "alt+b") },
  "edit.wordRight": { title: "Word right", keys: everywhereTyped("ctrl+right", "alt+right", "alt+f") },
  "edit.lineStart": { title: "Start of the line", keys: everywhereTyped("ctrl+a", "home") },
  "edit.lineEnd": { title: "End of the line", keys: everywhereTyped("ctrl+e", "end") },
  "edit.deleteBack": { title: "Delete back", keys: everywhereTyped("backspace", "ctrl+h") },
  "edit.deleteForward": { title: "Delete", keys: everywhereTyped("delete") },
  "edit.deleteWord": { title: "Delete the word", keys: everywhereTyped("ctrl+w", "alt+backspace") },
  "edit.deleteStart": { title: "Delete to the line's start", keys: everywhereTyped("ctrl+u") },
  "edit.deleteEnd": { title: "Delete to the line's end", keys: everywhereTyped("ctrl+k") },

  "tasks.down": { title: "Next task", keys: { tasks: ["down", "j"] } },
  "tasks.up": { title: "Task before", keys: { tasks: ["up", "k"] } },
  "tasks.first": { title: "First task", keys: { tasks: ["home", "g"] } },
  "tasks.last": { title: "Last task", keys: { tasks: ["end", "G"] } },
  "tasks.output": { title: "Output", keys: { tasks: ["enter", "right"] } },
  "task.stop": { title: "Stop, and try again where that failed", keys: { tasks: ["x"], output: ["x"] } },
  "task.copyID": { title: "Copy the task's id", keys: { tasks: ["c"], output: ["c"] } },

  "output.down": { title: "Line down", keys: { output: ["down", "j"] } },
  "output.up": { title: "Line up", keys: { output: ["up", "k"] } },
  "output.pageDown": { title: "Page down", keys: { output: ["pagedown", "space", "ctrl+f"] } },
  "output.pageUp": { title: "Page up", keys: { output: ["pageup", "b", "ctrl+b"] } },
  "output.start": { title: "To the start", keys: { output: ["home", "g"] } },
  "output.follow": { title: "To the end, and follow", keys: { output: ["end", "G", "f"] } },

  "list.down": { title: "Next", keys: { list: ["down"] } },
  "list.up": { title: "Before", keys: { list: ["up"] } },
  "list.pageDown": { title: "Page down", keys: { list: ["pagedown"], help: ["pagedown", "space"] } },
  "list.pageUp": { title: "Page up", keys: { list: ["pageup"], help: ["pageup", "b"] } },
  "list.choose": { title: "Choose", keys: { list: ["enter"] } },
  "help.down": { title: "Line down", keys: { help: ["down", "j"] } },
  "help.up": { title: "Line up", keys: { help: ["up", "k"] } },

  "confirm.yes": { title: "Yes", keys: { confirm: ["y", "enter"] } },
  back: {
    title: "Back",
    keys: {
      confirm: ["n", "esc", "q"],
      tasks: ["esc", "q", "left"],
      output: ["esc", "q", "left"],
      list: ["esc"],
      help: ["esc", "q", "?"],
      reason: ["esc"],
      ask: ["esc"]
    }
  },

  redraw: { title: "Draw the screen anew", keys: { global: ["ctrl+l"] }, palette: true },
  suspend: { title: "Suspend (fg comes back)", keys: { global: ["ctrl+z"] }, palette: true },
  leave: { title: "Leave", keys: { empty: ["ctrl+d"] }, palette: true }
} as const satisfies Readonly<Record<string, Entry>>

export type CommandId = keyof typeof table

/** A command and the keys that it has now. */
export interface Command {
  readonly id: CommandId
  readonly title: string
  readonly palette: boolean
  readonly keys: Partial<Readonly<Record<Context, ReadonlyArray<string>>>>
}

export interface Bindings {
  readonly commands: ReadonlyArray<Command>
  /** `context key` to what it does. */
  readonly byKey: ReadonlyMap<string, CommandId>
}

/** `keys` of vigil.json: a command to its keys, which replace its own wherever it can be given. */
export type KeySettings = Readonly<Record<string, string | ReadonlyArray<string>>>

const named = new Set(
  "enter esc tab space backspace delete up down left right home end pageup pagedown".split(" ")
)

/** `ctrl+shift+x` in the one spelling that the table has; undefined for what is no key. */
export const keyName = (text: string): string | undefined => {
  const pieces = text.trim().split("+")
  const last = text.trim().endsWith("+") ? "+" : (pieces.at(-1) ?? "")
  const modifiers = (last === "+" ? pieces.slice(0, -2) : pieces.slice(0, -1)).map((word) =>
    word.toLowerCase()
  )
  if (modifiers.some((word) => !["ctrl", "alt", "shift"].includes(word))) return undefined
  const name = last.length > 1 ? (aliases[last.toLowerCase()] ?? last.toLowerCase()) : last
  if (name.length !== 1 && !named.has(name)) return undefined
  const letter = modifiers.includes("ctrl") ? name.toLowerCase() : name
  return [...["ctrl", "alt", "shift"].filter((word) => modifiers.includes(word)), letter].join("+")
}

const aliases: Readonly<Record<string, string>> = {
  escape: "esc",
  return: "enter",
  pgup: "pageup",
  pgdn: "pagedown",
  del: "delete"
}

const isText = (key: string) => key === "space" || Array.from(key).length === 1

/** The table with a user's keys laid over it, and a sentence for each that does not count. */
export const bind = (
  settings: KeySettings = {}
): { readonly bindings: Bindings; readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const own = new Map<string, ReadonlyArray<string>>()
  for (const [id, given] of Object.entries(settings)) {
    if (!Object.hasOwn(table, id)) {
      problems.push(`keys: there is no command ${id}`)
      continue
    }
    const keys: Array<string> = []
    for (const text of typeof given === "string" ? [given] : given) {
      const key = keyName(text)
      if (key === undefined) problems.push(`keys: ${id}: ${text} is no key`)
      else keys.push(key)
    }
    own.set(id, keys)
  }

  const byKey = new Map<string, CommandId>()
  const commands = Object.entries(table as Readonly<Record<CommandId, Entry>>).map(([id, entry]) => {
    const contexts = Object.keys(entry.keys) as Array<Context>
    const given = own.get(id)
    const keys: Partial<Record<Context, ReadonlyArray<string>>> = {}
    for (const context of contexts.length > 0 ? contexts : (["global"] as const)) {
      const wanted = given ?? entry.keys[context] ?? []
      keys[context] = wanted.filter((key) => {
        if (given !== undefined && isText(key) && ["global", ...typing].includes(context)) {
          problems.push(`keys: ${id}: ${key} is text where it would count; add ctrl or alt`)
          return false
        }
        return true
      })
    }
    return { id: id as CommandId, title: entry.title, palette: entry.palette === true, keys }
  })
  // What a user chose goes first; a default that it takes the key from is left without it, which is told.
  const ordered = commands.toSorted((a, b) => Number(own.has(b.id)) - Number(own.has(a.id)))
  for (const { id, keys } of ordered) {
    for (const [context, wanted] of Object.entries(keys)) {
      for (const key of wanted) {
        const taken = byKey.get(`${context} ${key}`)
        if (taken === undefined) byKey.set(`${context} ${key}`, id)
        else problems.push(`keys: ${key} is given to ${taken}, so ${id} has it no more`)
      }
    }
  }
  const held = (id: CommandId, context: string, key: string) => byKey.get(`${context} ${key}`) === id
  return {
    problems: [...new Set(problems)],
    bindings: {
      byKey,
      commands: commands.map((command) => ({
        ...command,
        keys: Object.fromEntries(
          Object.entries(command.keys).map(([context, keys]) => [
            context,
            keys.filter((key) => held(command.id, context, key))
          ])
        )
      }))
    }
  }
}

/** What a key does where the focus is. */
export const commandFor = (
  { byKey }: Bindings,
  contexts: ReadonlyArray<Context>,
  key: string
): CommandId | undefined => {
  for (const context of contexts) {
    const found = byKey.get(`${context} ${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** A command's first key, as it is written for people, if it can be one that counts there; `""` for one without. */
export const keyText = (
  { commands }: Bindings,
  id: CommandId,
  contexts: ReadonlyArray<Context> = []
): string => {
  const keys = commands.find((command) => command.id === id)?.keys ?? {}
  const lists = [...contexts.map((context) => keys[context] ?? []), ...Object.values(keys)]
  const first = lists.find((list) => list.length > 0)?.[0]
  return first === undefined ? "" : shownKey(first)
}

const arrows: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "page up",
  pagedown: "page down"
}

export const shownKey = (key: string): string =>
  key
    .split(/\+(?=.)/u)
    .map((piece) => arrows[piece] ?? piece)
    .join("+")

/** Headings of the help, in their order. */
export const contextTitles: Readonly<Record<Context, string>> = {
  global: "Everywhere",
  chat: "Chat",
  empty: "Chat, while nothing is typed",
  ask: "A question",
  reason: "The reason of a rejection",
  tasks: "Background tasks",
  output: "Output",
  list: "Lists",
  help: "This help",
  confirm: "Are you sure"
}
