/**
 * The UI's one reducer. It decides, and does nothing: what is to be done outside lies in `requests` of the new state.
 *
 *   keys ─► command ┐
 *   paste, resize   ├─► reduce ─► state ─► screen
 *   feed, answers   ┘               └────► requests ─► effects ─► answers
 */
import { bind, type Bindings } from "./keys.ts"
import {
  type Action,
  emptyComposer,
  noticed,
  request,
  restingAsk,
  type State,
  type Stop
} from "./state/shape.ts"
import { command, typedOver } from "./state/command.ts"
import { expandedText, pastedIn, typedIn } from "./state/composer.ts"
import { flat, inserted } from "./state/edit.ts"
import { focusOf, openAsks } from "./state/focus.ts"
import { lookedAgain, reading, withOutput } from "./state/navigate.ts"
import { paged, toldOf } from "./state/output.ts"
import { facts, isRunning, taskOf, withStop } from "./state/tasks.ts"
import type { Snapshot } from "@vigil/sdk/sync"
import type { ThemeName } from "./theme.ts"

export interface Start {
  readonly directory: string
  readonly columns: number
  readonly rows: number
  readonly now: number
  readonly bindings?: Bindings
  readonly theme?: ThemeName
  readonly background?: "dark" | "light" | undefined
  readonly hasColours?: boolean
  readonly hasDemo?: boolean
  readonly opening?: boolean
}

export const initial = (start: Start): State => ({
  screen: { columns: start.columns, rows: start.rows },
  now: start.now,
  directory: start.directory,
  bindings: start.bindings ?? bind().bindings,
  session: undefined,
  opening: start.opening ?? false,
  overlays: [],
  composer: emptyComposer,
  sending: [],
  reading: undefined,
  ask: restingAsk,
  task: undefined,
  stops: {},
  models: { type: "loading" },
  model: undefined,
  recent: [],
  details: false,
  theme: start.theme ?? "auto",
  background: start.background,
  hasColours: start.hasColours ?? true,
  hasDemo: start.hasDemo ?? false,
  notice: undefined,
  leaving: false,
  requests: []
})

/** `now` in epoch milliseconds. */
export const reduce = (before: State, action: Action, now: number): State => {
  const state = { ...before, now }
  switch (action.type) {
    case "command":
      return command(rested(state, action.id === "chat.cancel"), action.id)
    case "typed":
      return typed(rested(state, false), action.text)
    case "pasted":
      return pasted(rested(state, false), action.text)
    case "resized":
      return reading({ ...state, screen: { columns: action.columns, rows: action.rows } })
    case "ticked":
      return lookedAgain(state)
    case "synced":
      return synced(state, action.snapshot)
    case "opening":
      return { ...away(state), session: undefined, opening: true }
    case "left":
      return { ...away(state), session: undefined, opening: false }
    case "prompted":
      return arrived(state, action.text)
    case "promptFailed":
      return giveBack(noticed(arrived(state, expandedText(action.draft)), action.why, "bad"), action.draft)
    case "withdrawn":
      return giveBack(state, { ...emptyComposer, text: action.text, cursor: action.text.length })
    case "replied":
      return replied(state, action.askID, action.why)
    case "stopped":
      return stopped(state, action.id, action.why)
    case "sessionsListed":
      return {
        ...state,
        overlays: state.overlays.map((overlay) =>
          overlay.type === "sessions" ? { ...overlay, list: action.list } : overlay
        )
      }
    case "modelsListed":
      // What is known is not given up because it could not be read again.
      return action.models.type === "failed" && state.models.type === "loaded"
        ? noticed(state, action.models.why, "bad")
        : { ...state, models: action.models }
    case "modelUsed":
      return noticed({ ...state, model: action.model }, `Model: ${action.model}`, "good")
    case "paged":
      return withOutput(state, action.id, (output) => paged(output, action.page, action.cursor))
    case "pageFailed":
      return withOutput(state, action.id, (output) => ({ ...output, loading: undefined, why: action.why }))
    case "noticed":
      return { ...state, notice: action.notice }
    case "background":
      return { ...state, background: action.background }
  }
}

/** A key was pressed: what was told has been seen. */
const rested = (state: State, keepsLeaving: boolean): State => ({
  ...state,
  notice: undefined,
  leaving: keepsLeaving && state.leaving
})

/** Letters go to what is typed; where an ask has the focus they begin a draft and leave it waiting. */
const typed = (state: State, text: string): State => {
  switch (focusOf(state)) {
    case "ask": {
      const drafting = { ...state, ask: { ...state.ask, focused: false } }
      return { ...drafting, composer: typedIn(drafting.composer, text) }
    }
    case "chat":
      return { ...state, composer: typedIn(state.composer, text) }
    case "reason":
    case "list":
      return typedOver(state, (line) => inserted(line, flat(text)))
    default:
      return state
  }
}

const maxFilter = 1_000

const pasted = (state: State, text: string): State => {
  const focus = focusOf(state)
  if (focus === "reason" || focus === "list") return typed(state, flat(text).slice(0, maxFilter))
  if (focus === "ask") return pasted({ ...state, ask: { ...state.ask, focused: false } }, text)
  // Pasted while something is in front: it is there when that is closed.
  return { ...state, composer: pastedIn(state.composer, text) }
}

/** Another session, or none: what belonged to the last one goes, the draft stays. */
const away = (state: State): State => ({
  ...state,
  overlays: state.overlays.filter(({ type }) => type === "palette" || type === "help"),
  reading: undefined,
  ask: restingAsk,
  task: undefined,
  stops: {},
  composer: { ...state.composer, back: 0 }
})

const synced = (state: State, snapshot: Snapshot): State => {
  const { session, phase, error } = snapshot
  if (phase === "deleted")
    return noticed({ ...away(state), session: undefined, opening: false }, "The session was deleted")
  if (session === undefined) {
    if (phase !== "failed") return { ...state, opening: true }
    return noticed({ ...state, opening: false }, error?.message ?? "The session can't be read", "bad")
  }
  const isSame = session.id === state.session?.session.id
  const before = state.session?.connection
  const next: State = { ...(isSame ? state : away(state)), session: { ...snapshot, session }, opening: false }
  // What could not be read while nobody answered.
  const lists = !isSame && next.models.type === "failed"
  const asked = lists ? request(next, { type: "listModels", remote: false }) : next
  const told = phase === "failed" ? noticed(asked, error?.message ?? "The server refuses", "bad") : asked
  return reading(settled(regained(logs(told), before)))
}

/** What was waited for, and has come. */
const settled = (state: State): State => {
  const stops: Record<string, Stop> = {}
  for (const [id, stop] of Object.entries(state.stops)) {
    const task = taskOf(state, id)
    if (task !== undefined && isRunning(task)) stops[id] = stop
  }
  const asked = new Set(state.session?.asks.map(({ id }) => id))
  const answering = Object.fromEntries(Object.entries(state.ask.answering).filter(([id]) => asked.has(id)))
  const ask = { ...state.ask, answering }
  const overlays = state.overlays.filter(
    (overlay) =>
      overlay.type !== "confirm" ||
      overlay.question.type !== "stop" ||
      isStillRunning(state, overlay.question.id)
  )
  const next = { ...state, stops, ask, overlays }
  return openAsks(next).length === 0 ? { ...next, ask: { ...restingAsk, answering } } : next
}

const isStillRunning = (state: State, id: string): boolean => {
  const task = taskOf(state, id)
  return task !== undefined && isRunning(task)
}

/** A log grew, or its process ended: the viewer reads on. */
const logs = (state: State): State => ({
  ...state,
  overlays: state.overlays.map((overlay) => {
    if (overlay.type !== "output") return overlay
    const task = taskOf(state, overlay.output.id)
    if (task === undefined) return overlay
    const { log, status } = facts(task)
    const output = toldOf(overlay.output, task.type === "monitor" ? task.monitor.ledger.bytesRead : log.size)
    return {
      ...overlay,
      output: {
        ...output,
        start: Math.max(output.start, log.start),
        size: Math.max(output.size, log.size),
        ended: output.ended || status === "ended"
      }
    }
  })
})

/** What failed while there was no connection is tried again. */
const regained = (state: State, before: Snapshot["connection"] | undefined): State =>
  state.session?.connection !== "open" || before === "open"
    ? state
    : {
        ...state,
        overlays: state.overlays.map((overlay) =>
          overlay.type === "output" ? { ...overlay, output: { ...overlay.output, why: undefined } } : overlay
        )
      }

const replied = (state: State, askID: string, why: string | undefined): State => {
  if (why === undefined) return state
  const { [askID]: _, ...answering } = state.ask.answering
  return noticed({ ...state, ask: { ...state.ask, answering } }, why, "bad")
}

/** One that was stopped is so shown once the feed tells its end. */
const stopped = (state: State, id: string, why: string | undefined): State => {
  if (!isStillRunning(state, id)) return withStop(state, id, undefined)
  return why === undefined ? state : withStop(state, id, { type: "failed", why })
}

/** On its way no more. */
const arrived = (state: State, text: string): State => {
  const place = state.sending.indexOf(text)
  return place === -1 ? state : { ...state, sending: state.sending.toSpliced(place, 1) }
}

/** A prompt that was not taken is typed again, before what was typed since. */
const giveBack = (state: State, draft: State["composer"]): State => {
  const since = state.composer
  const gap = since.text === "" ? "" : "\n"
  const text = draft.text + gap + since.text
  const sent = since.sent.filter((other) => other !== expandedText(draft))
  return {
    ...state,
    composer: {
      ...since,
      text,
      cursor: since.text === "" ? draft.cursor : draft.text.length + 1 + since.cursor,
      pastes: { ...since.pastes, ...draft.pastes },
      back: 0,
      sent
    }
  }
}
