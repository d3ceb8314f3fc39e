/**
 * What a client knows of one session, and how each event changes it. Pure.
 *
 * Each slice was read at a feed position of its own, and only events behind that change it: so reads and events may
 * overlap in any way. What an event does not touch keeps its identity.
 */
import type {
  Ask,
  Event,
  FeedEvent,
  Input,
  MessageWithParts,
  Monitor,
  MonitorLines,
  SessionInfo,
  SessionStatus,
  Shell,
  Turn
} from "./gen/types.gen.ts"
import * as Transcript from "./transcript.ts"

/** All of it as the server lists it. */
export interface Slices {
  readonly session: SessionInfo
  readonly transcript: Transcript.Transcript
  /** Newest first, as are monitors and shells. */
  readonly turns: ReadonlyArray<Turn>
  readonly monitors: ReadonlyArray<Monitor>
  readonly shells: ReadonlyArray<Shell>
  /** Oldest first. */
  readonly asks: ReadonlyArray<Ask>
  /** In the order in which they will be read. */
  readonly inbox: ReadonlyArray<Input>
}

export type Positions = { readonly [Slice in keyof Slices]: number }

export interface StoreState extends Slices {
  /** How far in the feed each slice is. */
  readonly at: Positions
  readonly deleted: boolean
}

/** Turns that are read, and kept. */
export const newestTurns = 100
/**
 * A guard alone. The server tells what it no longer keeps; that may be more than its 25 of each, since what has an
 * unread notice stays.
 */
const mostEnded = 1_000
/** As the server tells the last line of a record. */
const maxLastLine = 500

/** What was read of a session. */
export interface Reads extends Omit<Slices, "transcript"> {
  readonly messages: ReadonlyArray<MessageWithParts>
  readonly hasOlder: boolean
}

export const stateOf = ({ messages, hasOlder, ...slices }: Reads, at: Positions): StoreState =>
  told({ ...slices, transcript: Transcript.transcriptOf(messages, hasOlder), at, deleted: false })

/** The state behind an event; the same one where that changes nothing. */
export const apply = (state: StoreState, event: FeedEvent): StoreState => {
  if (state.deleted || event.type === "connected" || event.type === "resync") return state
  if (event.type === "message.delta") {
    const transcript = Transcript.grown(state.transcript, event)
    return transcript === state.transcript ? state : { ...state, transcript }
  }
  const slice = sliceOf[nounOf(event)]
  if (slice === undefined || event.seq <= state.at[slice]) return state
  return told({ ...changed(state, event), at: { ...state.at, [slice]: event.seq } })
}

const nounOf = (event: Event) => event.type.slice(0, event.type.indexOf("."))

const sliceOf: Readonly<Record<string, keyof Slices>> = {
  session: "session",
  message: "transcript",
  part: "transcript",
  turn: "turns",
  monitor: "monitors",
  shell: "shells",
  permission: "asks",
  inbox: "inbox"
}

const changed = (state: StoreState, event: Event): StoreState => {
  switch (event.type) {
    case "session.created":
    case "session.updated": {
      const { status, turn } = state.session
      return { ...state, session: { ...event.data.session, status, ...(turn && { turn }) } }
    }
    case "session.deleted":
      return { ...state, deleted: true }
    case "message.created":
      return { ...state, transcript: Transcript.said(state.transcript, event.data.message) }
    case "message.updated":
      return { ...state, transcript: Transcript.revised(state.transcript, event.data.message) }
    case "message.completed":
      return { ...state, transcript: Transcript.completed(state.transcript, event.data.message) }
    case "part.created":
      return { ...state, transcript: Transcript.begun(state.transcript, event.data.part) }
    case "part.completed":
      return { ...state, transcript: Transcript.ended(state.transcript, event.data.part) }
    case "turn.started":
    case "turn.ended":
      return { ...state, turns: put(state.turns, event.data.turn).slice(0, newestTurns) }
    case "monitor.started":
    case "monitor.updated":
    case "monitor.ended":
      return { ...state, monitors: guarded(put(state.monitors, event.data.monitor)) }
    case "monitor.event":
      return { ...state, monitors: state.monitors.map((monitor) => heard(monitor, event)) }
    case "monitor.removed":
      return { ...state, monitors: without(state.monitors, [event.data.monitorID]) }
    case "shell.started":
    case "shell.updated":
    case "shell.ended":
      return { ...state, shells: guarded(put(state.shells, event.data.shell)) }
    case "shell.removed":
      return { ...state, shells: without(state.shells, [event.data.shellID]) }
    case "permission.asked":
      return { ...state, asks: [...without(state.asks, [event.data.ask.id]), event.data.ask] }
    case "permission.replied":
      return { ...state, asks: without(state.asks, [event.data.askID]) }
    case "inbox.admitted": {
      // One that grew is told again, and one that stands for others stands in their place.
      const inputs = [...without(state.inbox, [event.data.input.id]), event.data.input]
      return { ...state, inbox: inputs.toSorted((a, b) => a.seq - b.seq) }
    }
    case "inbox.promoted":
    case "inbox.withdrawn":
      return { ...state, inbox: without(state.inbox, event.data.inputIDs) }
  }
}

const heard = (monitor: Monitor, { data, created }: MonitorLines): Monitor => {
  if (monitor.id !== data.monitorID) return monitor
  const lastLine = data.lines.at(-1)?.slice(0, maxLastLine)
  return {
    ...monitor,
    ledger: data.ledger,
    ...(lastLine !== undefined && { lastLine, lastOutputAt: created })
  }
}

/** In its place, or as the newest. */
const put = <A extends { readonly id: string }>(items: ReadonlyArray<A>, item: A): ReadonlyArray<A> => {
  const place = items.findIndex(({ id }) => id === item.id)
  return place < 0 ? [item, ...items] : items.with(place, item)
}

const without = <A extends { readonly id: string }>(items: ReadonlyArray<A>, ids: ReadonlyArray<string>) =>
  items.filter(({ id }) => !ids.includes(id))

const guarded = <A extends Monitor | Shell>(items: ReadonlyArray<A>): ReadonlyArray<A> => {
  const ended = items.flatMap(({ id, endedAt }) => (endedAt === undefined ? [] : [{ id, endedAt }]))
  if (ended.length <= mostEnded) return items
  // Newest first, so that those of one millisecond stay in the server's order.
  const leaving = ended.toSorted((a, b) => b.endedAt - a.endedAt).slice(mostEnded)
  return without(
    items,
    leaving.map(({ id }) => id)
  )
}

/** With what the session's own record does not say: what it is doing, and its newest turn. */
const told = (state: StoreState): StoreState => {
  const { status: _, turn: __, ...session } = state.session
  const [turn] = state.turns
  const status = statusOf(state)
  if (status === state.session.status && turn === state.session.turn) return state
  return { ...state, session: { ...session, status, ...(turn && { turn }) } }
}

/** A person's answer is what matters most, then a turn, then what may wake it. */
const statusOf = ({ asks, turns, monitors, shells }: Slices): SessionStatus => {
  if (asks.length > 0) return "asking"
  if (turns[0] !== undefined && turns[0].endedAt === undefined) return "running"
  const active =
    monitors.some(({ status }) => status === "running") ||
    shells.some(({ status, background }) => status === "running" && background)
  return active ? "watching" : "idle"
}
