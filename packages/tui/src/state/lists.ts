/** Lists that are searched by typing: commands, sessions, models. Pure. */
import { byLengthAsc, Fzf } from "fzf"
import type { ModelList, SessionInfo } from "@vigil/sdk/wire"
import { type CommandId, keyText } from "../keys.ts"
import { age } from "../text/quantity.ts"
import { oneLine } from "../text/visible.ts"
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

type Candidate = Omit<Item, "matched">

type Searched = Extract<Overlay, { readonly filter: unknown }>

export const itemsOf = (state: State, overlay: Searched): ReadonlyArray<Item> => {
  const { text } = overlay.filter
  const all = candidates(state, overlay)
  if (text.trim() === "") return all.map((item) => ({ ...item, matched: new Set<number>() }))
  const typed = overlay.type === "models" ? own(text, all) : []
  const found = new Fzf([...all], {
    selector: ({ title }: Candidate) => title,
    tiebreakers: [byLengthAsc]
  }).find(text)
  return [...found.map(({ item, positions }) => ({ ...item, matched: positions })), ...typed]
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

/** Those given lately first, then as the table has them. */
const commandItems = ({ bindings, recent, hasDemo }: State): ReadonlyArray<Candidate> => {
  const rank = (id: CommandId) => (recent.includes(id) ? recent.indexOf(id) : recent.length)
  return bindings.commands
    .filter(({ id, palette }) => palette && (id !== "demo.start" || hasDemo))
    .toSorted((a, b) => rank(a.id) - rank(b.id))
    .map(({ id, title }) => ({ id, title, note: keyText(bindings, id), current: false }))
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
