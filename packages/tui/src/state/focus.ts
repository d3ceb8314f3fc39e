/** What has the focus. It is derived, so that it can't be lost. Pure. */
import type { Context } from "../keys.ts"
import type { State, Typed } from "./shape.ts"
import type { Ask } from "@vigil/sdk/wire"

export type Focus = Extract<
  Context,
  "chat" | "ask" | "reason" | "tasks" | "output" | "list" | "help" | "confirm"
>

/** What waits for an answer that was not given here: the oldest first. */
export const openAsks = ({ session, ask }: State): ReadonlyArray<Ask> =>
  (session?.asks ?? []).filter(({ id }) => ask.answering[id] === undefined)

/** An ask takes the focus by itself only while nothing is typed. */
export const focusOf = (state: State): Focus => {
  const top = state.overlays.at(-1)
  switch (top?.type) {
    case "tasks":
    case "output":
    case "help":
    case "confirm":
      return top.type
    case "palette":
    case "sessions":
    case "models":
      return "list"
    case undefined:
      if (openAsks(state).length === 0) return "chat"
      if (state.ask.reason !== undefined) return "reason"
      return (state.ask.focused ?? state.composer.text === "") ? "ask" : "chat"
  }
}

/** Where a key is looked up, first to last. */
export const contextsOf = (state: State): ReadonlyArray<Context> => {
  const focus = focusOf(state)
  if (focus === "confirm") return ["confirm"]
  return focus === "chat" && state.composer.text === "" ? ["empty", "chat", "global"] : [focus, "global"]
}

/** The text that keys go into; undefined where letters are commands. */
export const focusedText = (state: State): Typed | undefined => {
  const top = state.overlays.at(-1)
  switch (focusOf(state)) {
    case "chat":
      return state.composer
    case "reason":
      return state.ask.reason
    case "list":
      return top !== undefined && "filter" in top ? top.filter : undefined
    default:
      return undefined
  }
}
