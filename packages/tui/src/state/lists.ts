/** Lists that are searched by typing: commands, sessions, models. Pure. */
import { byLengthAsc, Fzf } from "fzf"
import type { ModelList, SessionInfo } from "@vigil/sdk/wire"
import { type Command, type Context, keyText } from "../keys.ts"
import { age } from "../text/quantity.ts"
import { oneLine } from "../text/visible.ts"
import { contextsOf } from "./focus.ts"
import type { Overlay, State } from "./shape.ts"

export interface Item {
  readonly id: string
  readonly title: string
  /** To the right of it. */
  readonly note: string
  /** Which characters of the title were typed. */
  readonly matched: ReadonlySet<number>
  readonly current: boolean
}

interface Candidate extends Omit<Item, "matched"> {
  /** Found behind all others, however well it fits. */
  readonly last?: boolean
}

type Searched = Extract<Overlay, { readonly filter: unknown }>

export const itemsOf = (state: State, overlay: Searched): ReadonlyArray<Item> => {
  const { text } = overlay.filter
  const all = candidates(state, overlay)
  if (text.trim() === "") return all.map((item) => ({ ...item, matched: new Set<number>() }))
  const typed = overlay.type === "models" ? own(text, all) : []
  const found = new Fzf([...all], {
    selector: ({ title }: Candidate) => title,
    tiebreakers: [byLengthAsc]
  })
    .find(text)
    .map(({ item, positions }) => ({ ...item, matched: positions }))
  const isLast = ({ last }: Candidate) => last === true
  return [...found.filter((item) => !isLast(item)), ...found.filter(isLast), ...typed]
}

/** The model that is typed, which no list need have. */
const own = (text: string, all: ReadonlyArray<Candidate>): ReadonlyArray<Item> => {
  const id = text.trim()
  if (!/^[\w.-]+\/\S+$/u.test(id) || all.some((item) => item.id === id)) return []
  return [{ id, title: id, note: "as typed", matched: new Set(), current: false }]
}

const candidates = (state: State, overlay: Searched): ReadonlyArray<Candidate> => {
  switch (overlay.type) {
    case "palette":
      return commandItems(state)
    case "sessions":
      return overlay.list.type === "loaded" ? sessionItems(state, overlay.list.value) : []
    case "models":
      return state.models.type === "loaded" ? modelItems(state, state.models.value) : []
  }
}

/** Where a key would be looked up behind the palette: what counts most widely first. */
const contextsBehind = (state: State): ReadonlyArray<Context> =>
  contextsOf({
    ...state,
    overlays: state.overlays.filter(({ type }) => type !== "palette")
  }).toReversed()

/** Here nothing is typed, and each key is something to do with what is seen. */
const doing: ReadonlyArray<Context> = ["ask", "tasks", "output", "help"]

/**
 * Those given lately first, then those of the view behind, then as the table has them; behind all of them the moves
 * and edits of the chat, which nobody looks for by name who can press them.
 */
const commandItems = (state: State): ReadonlyArray<Candidate> => {
  const { bindings, recent, hasDemo } = state
  const behind = contextsBehind(state)
  const counts = ({ keys }: Command, contexts: ReadonlyArray<Context>) =>
    contexts.some((context) => (keys[context]?.length ?? 0) > 0)
  const view = behind.filter((context) => doing.includes(context))
  const isOwn = (command: Command) => !command.palette && counts(command, view)
  const isLast = (command: Command) => !command.palette && !isOwn(command)
  const rank = (command: Command) =>
    recent.includes(command.id)
      ? recent.indexOf(command.id)
      : recent.length + (isOwn(command) ? 0 : isLast(command) ? 2 : 1)
  return bindings.commands
    .filter((command) => command.palette || counts(command, behind))
    .filter(({ id }) => id !== "palette.open" && (id !== "demo.start" || hasDemo))
    .toSorted((a, b) => rank(a) - rank(b))
    .map((command) => ({
      id: command.id,
      title: command.title,
      note: keyText(bindings, command.id, behind),
      current: false,
      last: isLast(command) && !recent.includes(command.id)
    }))
}

const status: Readonly<Record<SessionInfo["status"], string>> = {
  idle: "",
  running: "works",
  asking: "asks",
  watching: "watches"
}

const sessionItems = (state: State, sessions: ReadonlyArray<SessionInfo>): ReadonlyArray<Candidate> =>
  sessions.map((session) => ({
    id: session.id,
    title: sessionTitle(session),
    note: [
      session.id === state.session?.session.id ? "here" : "",
      status[session.status],
      age(state.now - session.updatedAt)
    ]
      .filter((text) => text !== "")
      .join(" · "),
    current: session.id === state.session?.session.id
  }))

/** A session without a title is told by where it is. */
export const sessionTitle = ({
  title,
  directory,
  id
}: Pick<SessionInfo, "title" | "directory" | "id">): string =>
  oneLine(title ?? "") || `${directory.split("/").at(-1) ?? directory} ${id.slice(-6)}`

const modelItems = (state: State, { providers }: ModelList): ReadonlyArray<Candidate> => {
  const current = modelOf(state)
  const listed = providers
    .filter(({ usable }) => usable)
    .flatMap(({ provider, models = [] }) => models.map((model) => `${provider}/${model}`))
  const all = current === undefined || listed.includes(current) ? listed : [current, ...listed]
  return all.map((id) => ({ id, title: id, note: id === current ? "in use" : "", current: id === current }))
}

/** What the session uses, or what the next one will. */
export const modelOf = ({ session, model, models }: State): string | undefined =>
  session?.session.model ?? model ?? (models.type === "loaded" ? models.value.default : undefined)

/** Something can be asked: else the UI says what is missing. */
export const hasModel = (state: State): boolean =>
  state.models.type !== "loaded" || state.models.value.providers.some(({ usable }) => usable)
