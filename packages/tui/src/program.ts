/** The state as it is now, what changes it, and who is told. */
import { commandFor } from "./keys.ts"
import { reduce } from "./state.ts"
import { contextsOf, focusedText, focusOf } from "./state/focus.ts"
import type { Action, Request, State } from "./state/shape.ts"
import { tickMs } from "./state/tasks.ts"
import type { Stroke } from "./input.ts"

export interface Program {
  readonly state: () => State
  readonly subscribe: (listener: () => void) => () => void
  readonly dispatch: (action: Action) => void
  /** Keys, in their order; listeners are told once. */
  readonly press: (strokes: ReadonlyArray<Stroke>) => void
  /** No timer is left. */
  readonly close: () => void
}

export const makeProgram = (
  start: State,
  perform: (request: Request) => void,
  now: () => number = Date.now
): Program => {
  let state = start
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerMs: number | undefined
  const listeners = new Set<() => void>()

  const step = (action: Action) => {
    const next = reduce(state, action, now())
    state = next.requests.length === 0 ? next : { ...next, requests: [] }
    for (const request of next.requests) perform(request)
  }

  const tick = () => {
    timerMs = undefined
    dispatch({ type: "ticked" })
  }

  /** Time passes only where it is seen to pass: else nothing is drawn, and the process sleeps. */
  const settle = () => {
    const wanted = tickMs(state)
    if (wanted !== timerMs) {
      clearTimeout(timer)
      timer = wanted === undefined ? undefined : setTimeout(tick, wanted)
      timerMs = wanted
    }
    for (const listener of listeners) listener()
  }

  const dispatch = (action: Action) => {
    step(action)
    settle()
  }

  const pressed = (stroke: Stroke) => {
    if (stroke.type === "paste") return step({ type: "pasted", text: stroke.text })
    const id = commandFor(state.bindings, contextsOf(state), stroke.key)
    if (id !== undefined) return step({ type: "command", id })
    const takesText = focusedText(state) !== undefined || focusOf(state) === "ask"
    if (stroke.text !== undefined && takesText) step({ type: "typed", text: stroke.text })
  }

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    dispatch,
    press: (strokes) => {
      for (const stroke of strokes) pressed(stroke)
      settle()
    },
    close: () => {
      clearTimeout(timer)
      listeners.clear()
    }
  }
}
