/** Moving through what is seen: chat, output, lists. Pure. */
import { moved } from "../text/window.ts"
import { itemsOf } from "./lists.ts"
import { beingRead, lookedAt, nextReading, type Output, outputMoved } from "./output.ts"
import { innerWidth, layoutOf, placeOf, transcriptBlocks, transcriptSeen } from "./screen.ts"
import { type Overlay, request, type State } from "./shape.ts"

/** The chat by so many rows; reading ends where its end is reached. */
export const scrolled = (state: State, by: number): State => {
  const { blocks, laid } = transcriptBlocks(state)
  const place = moved(laid, layoutOf(state).transcript, placeOf(state, blocks), by)
  const block = place && blocks[place.index]
  if (place === undefined || block === undefined) return { ...state, reading: undefined }
  const newest = state.reading?.newest ?? blocks.at(-1)?.id ?? ""
  return wantOlder({ ...state, reading: { block: block.id, row: place.row, newest } })
}

/** Older messages are loaded before their absence is seen. */
const wantOlder = (state: State): State => {
  const near = transcriptSeen(state).top.index < 20
  return near && state.session?.hasOlder === true ? request(state, { type: "older" }) : state
}

export const toStartOfChat = (state: State): State => {
  const { blocks } = transcriptBlocks(state)
  const [first] = blocks
  if (first === undefined) return state
  const reading = { block: first.id, row: 0, newest: state.reading?.newest ?? blocks.at(-1)?.id ?? "" }
  return wantOlder({ ...state, reading })
}

export const pageOf = (state: State): number => Math.max(1, layoutOf(state).transcript - 2)

/** The overlay in front, changed. */
export const inFront = (state: State, change: (overlay: Overlay) => Overlay): State => {
  const top = state.overlays.at(-1)
  return top === undefined ? state : { ...state, overlays: [...state.overlays.slice(0, -1), change(top)] }
}

export const moveInList = (state: State, by: number): State =>
  inFront(state, (overlay) => {
    if (!("filter" in overlay)) return overlay
    const last = itemsOf(state, overlay).length - 1
    const index = Math.min(Math.max(0, overlay.index), last)
    // From one end on to the other by single steps, as far as that by pages.
    const to = by === 1 && index === last ? 0 : by === -1 && index === 0 ? last : index + by
    return { ...overlay, index: Math.max(0, Math.min(to, last)) }
  })

export const outputSize = (state: State) => ({
  width: innerWidth(state),
  height: Math.max(1, layoutOf(state).panel - 2)
})

/** The output viewer changed, wherever it is in the stack, and what it should read next. */
export const withOutput = (
  state: State,
  id: string | undefined,
  change: (output: Output) => Output
): State => {
  let next = state
  const overlays = state.overlays.map((overlay) => {
    if (overlay.type !== "output" || (id !== undefined && overlay.output.id !== id)) return overlay
    return { ...overlay, output: change(overlay.output) }
  })
  next = { ...state, overlays }
  return reading(next)
}

/** Asks for the page that is wanted next, if one is. */
export const reading = (state: State): State => {
  let next = state
  const overlays = state.overlays.map((overlay) => {
    if (overlay.type !== "output") return overlay
    const { width, height } = outputSize(state)
    const wanted = nextReading(overlay.output, width, height)
    if (wanted === undefined) return overlay
    const { loading: _, ...at } = wanted
    next = request(next, { type: "page", id: overlay.output.id, ...at })
    return { ...overlay, output: beingRead(overlay.output, wanted) }
  })
  return next === state ? state : { ...next, overlays }
}

export const movedOutput = (state: State, by: (height: number) => number): State => {
  const { width, height } = outputSize(state)
  return withOutput(state, undefined, (output) => outputMoved(output, width, height, by(height)))
}

/** A process may print without a word to the feed: while its output is seen, what is new is asked for. */
export const lookedAgain = (state: State): State => {
  const top = state.overlays.at(-1)
  if (top?.type !== "output" || state.session?.connection !== "open") return state
  return withOutput(state, top.output.id, lookedAt)
}
