/** What each command makes of the state. Pure. */
import type { CommandId } from "../keys.ts"
import { lastAnswer } from "../transcript.ts"
import { choices, maxTop } from "./asks.ts"
import { expandedText, historyOf, sentFrom, typedIn, upOrDown } from "./composer.ts"
import { edited } from "./edit.ts"
import { focusedText, focusOf, openAsks } from "./focus.ts"
import { itemsOf } from "./lists.ts"
import { inFront, movedOutput, moveInList, pageOf, scrolled, toStartOfChat, withOutput } from "./navigate.ts"
import { opened, pageBytes, toEnd, toStart } from "./output.ts"
import {
  type AskChoice,
  emptyComposer,
  emptyTyped,
  noticed,
  type Overlay,
  type Question,
  request,
  type State,
  type Typed
} from "./shape.ts"
import { canStop, isRunning, selectedTask, selectTask, taskOf, tasksOf, withStop } from "./tasks.ts"

/** In front; one of its kind that was open goes, and so does a question that was not answered. */
export const open = (state: State, overlay: Overlay): State => ({
  ...state,
  overlays: [...state.overlays.filter(({ type }) => type !== overlay.type && type !== "confirm"), overlay]
})

export const closed = (state: State): State => ({ ...state, overlays: state.overlays.slice(0, -1) })

const search = { filter: emptyTyped, index: 0 }

const isWorking = ({ session }: State) =>
  session?.session.status === "running" || session?.session.status === "asking"

/** Text that has the focus, changed. */
export const typedOver = (state: State, change: (typed: Typed) => Typed): State => {
  const typed = focusedText(state)
  if (typed === undefined) return state
  const next = change(typed)
  if (next === typed) return state
  switch (focusOf(state)) {
    case "chat":
      return { ...state, composer: { ...state.composer, ...next } }
    case "reason":
      return { ...state, ask: { ...state.ask, reason: next } }
    default:
      return inFront(state, (overlay) =>
        "filter" in overlay ? { ...overlay, filter: next, index: 0 } : overlay
      )
  }
}

const send = (state: State, delivery: "steer" | "queue"): State => {
  const { composer } = state
  const text = expandedText(composer)
  if (text.trim() === "") return state
  // A backslash at the end stands for a new line, where a terminal has no key for it.
  if (composer.text.endsWith("\\") && composer.cursor === composer.text.length) {
    const kept = composer.text.slice(0, -1)
    return { ...state, composer: typedIn({ ...composer, text: kept, cursor: kept.length }, "\n") }
  }
  return request(
    { ...state, composer: sentFrom(composer), sending: [...state.sending, text], reading: undefined },
    { type: "prompt", text, draft: composer, delivery }
  )
}

const interrupt = (state: State): State => {
  if (isWorking(state)) return request(noticed(state, "Interrupting…"), { type: "interrupt" })
  return { ...state, reading: undefined }
}

const cancel = (state: State): State => {
  if (state.overlays.length > 0) return { ...state, overlays: [] }
  if (state.ask.reason !== undefined) return { ...state, ask: { ...state.ask, reason: undefined } }
  if (state.composer.text !== "") {
    const { sent, chips } = state.composer
    return { ...state, composer: { ...emptyComposer, sent, chips } }
  }
  if (isWorking(state)) return interrupt(state)
  if (state.leaving) return request(state, { type: "leave" })
  return { ...noticed(state, "Ctrl-C again to leave"), leaving: true }
}

const back = (state: State): State => {
  if (state.overlays.length > 0) return closed(state)
  if (state.ask.reason !== undefined) return { ...state, ask: { ...state.ask, reason: undefined } }
  return { ...state, ask: { ...state.ask, focused: false } }
}

/** Rejecting asks for a reason first, which may be empty. */
const answer = (state: State, choice: AskChoice): State => {
  const ask = openAsks(state)[0]
  if (ask === undefined) return noticed(state, "Nothing is asked")
  if (choice === "reject" && state.ask.reason === undefined) {
    return { ...state, overlays: [], ask: { ...state.ask, choice, reason: emptyTyped } }
  }
  const reason = state.ask.reason?.text.trim()
  const answering = { ...state.ask.answering, [ask.id]: true as const }
  return request(
    {
      ...state,
      ask: { ...state.ask, choice: "once", focused: undefined, reason: undefined, top: 0, answering }
    },
    {
      type: "reply",
      askID: ask.id,
      reply: choice,
      ...(reason === undefined || reason === "" ? {} : { reason })
    }
  )
}

const choose = (state: State, by: number): State => {
  const at = choices.indexOf(state.ask.choice)
  const choice = choices[(at + by + choices.length) % choices.length] ?? "once"
  return { ...state, ask: { ...state.ask, choice } }
}

const stop = (state: State): State => {
  const top = state.overlays.at(-1)
  const task = top?.type === "output" ? taskOf(state, top.output.id) : selectedTask(state)
  if (task === undefined) return state
  if (!isRunning(task)) return noticed(state, "It has ended")
  if (!canStop(state, task)) return noticed(state, "It is being stopped")
  return open(state, { type: "confirm", question: { type: "stop", id: task.id } })
}

/** The question's yes. */
const confirmed = (state: State, question: Question): State => {
  const next = closed(state)
  switch (question.type) {
    case "stop":
      // It may have ended while the question was there.
      return canStop(next, taskOf(next, question.id))
        ? request(withStop(next, question.id, { type: "stopping" }), { type: "stop", id: question.id })
        : noticed(next, "It has ended")
    case "stopAll":
      return request(next, { type: "stopAll" })
    case "delete":
      return request(next, { type: "deleteSession" })
  }
}

const chosen = (state: State): State => {
  const top = state.overlays.at(-1)
  if (top === undefined || !("filter" in top)) return state
  const items = itemsOf(state, top)
  const item = items[Math.min(top.index, items.length - 1)]
  if (item === undefined) return state
  const next = closed(state)
  switch (top.type) {
    case "palette": {
      const id = item.id as CommandId
      return command(
        { ...next, recent: [id, ...next.recent.filter((other) => other !== id)].slice(0, 8) },
        id
      )
    }
    case "sessions":
      return item.current ? next : request(next, { type: "openSession", sessionID: item.id })
    case "models":
      return item.current ? next : request(next, { type: "useModel", model: item.id })
  }
}

const themes = { auto: "dark", dark: "light", light: "auto" } as const

const copy = (state: State, what: string, text: string | undefined): State =>
  text === undefined
    ? noticed(state, `There is no ${what} yet`)
    : request(noticed(state, `Copied: ${text.split("\n")[0]?.slice(0, 60) ?? ""}`, "good"), {
        type: "copy",
        text
      })

const background = (state: State): State => {
  const shell = state.session?.shells.find(({ status, background }) => status === "running" && !background)
  return shell === undefined
    ? noticed(state, "No command runs in the foreground")
    : request(state, { type: "background", shellID: shell.id })
}

const stopAll = (state: State): State =>
  tasksOf(state.session).some((task) => task.type === "monitor" && task.monitor.status === "running")
    ? open(state, { type: "confirm", question: { type: "stopAll" } })
    : noticed(state, "No monitor runs")

const scrollHelp = (state: State, by: number): State =>
  inFront(state, (top) => (top.type === "help" ? { ...top, top: Math.max(0, top.top + by) } : top))

const page = (state: State, by: 1 | -1): State => {
  const rows = Math.max(1, Math.floor(state.screen.rows / 2))
  return state.overlays.at(-1)?.type === "help" ? scrollHelp(state, by * rows) : moveInList(state, by * rows)
}

const output = (state: State): State => {
  const task = selectedTask(state)
  if (task === undefined) return state
  const { id } = task
  return request(open(state, { type: "output", output: opened(id) }), { type: "page", id, limit: pageBytes })
}

const commands: Partial<Readonly<Record<CommandId, (state: State) => State>>> = {
  "palette.open": (state) => open(state, { type: "palette", ...search }),
  "tasks.open": (state) => open(state, { type: "tasks" }),
  "session.new": (state) => request(state, { type: "closeSession" }),
  "sessions.open": (state) =>
    request(open(state, { type: "sessions", list: { type: "loading" }, ...search }), {
      type: "listSessions"
    }),
  "models.open": (state) => {
    const opened: Overlay = { type: "models", ...search }
    const current = itemsOf(state, opened).findIndex((item) => item.current)
    return request(open(state, { ...opened, index: Math.max(0, current) }), {
      type: "listModels",
      remote: true
    })
  },
  "help.open": (state) => open(state, { type: "help", top: 0 }),
  "theme.switch": (state) => {
    const theme = themes[state.theme]
    return noticed({ ...state, theme }, theme === "auto" ? "Theme: as the terminal" : `Theme: ${theme}`)
  },
  "details.toggle": (state) => ({ ...state, details: !state.details }),
  "shell.background": background,
  "monitors.stopAll": stopAll,
  "session.copyID": (state) => copy(state, "session", state.session?.session.id),
  "answer.copy": (state) => copy(state, "answer", lastAnswer(state.session)),
  "session.delete": (state) =>
    state.session === undefined
      ? noticed(state, "There is no session yet")
      : open(state, { type: "confirm", question: { type: "delete" } }),
  "demo.start": (state) =>
    state.hasDemo
      ? request(noticed(state, "The demo starts…"), { type: "demo" })
      : noticed(state, "There is no demo here"),

  "chat.send": (state) => send(state, "steer"),
  "chat.queue": (state) => send(state, "queue"),
  "chat.withdraw": (state) => {
    const waiting = state.session?.inbox.findLast(({ payload }) => payload.type === "prompt")
    return waiting === undefined
      ? noticed(state, "No prompt waits")
      : request(state, { type: "withdraw", inputID: waiting.id })
  },
  "chat.newline": (state) => ({ ...state, composer: typedIn(state.composer, "\n") }),
  "chat.interrupt": interrupt,
  "chat.cancel": cancel,

  "ask.focus": (state) =>
    openAsks(state).length === 0 ? state : { ...state, overlays: [], ask: { ...state.ask, focused: true } },
  "ask.next": (state) => choose(state, 1),
  "ask.previous": (state) => choose(state, -1),
  "ask.choose": (state) => answer(state, state.ask.choice),
  "ask.once": (state) => answer({ ...state, ask: { ...state.ask, reason: undefined } }, "once"),
  "ask.always": (state) => answer({ ...state, ask: { ...state.ask, reason: undefined } }, "always"),
  "ask.reject": (state) => answer(state, "reject"),
  "ask.pageDown": (state) => ({
    ...state,
    ask: { ...state.ask, top: Math.min(maxTop(state), state.ask.top + Math.max(1, state.screen.rows - 16)) }
  }),
  "ask.pageUp": (state) => ({
    ...state,
    ask: {
      ...state.ask,
      top: Math.max(0, Math.min(maxTop(state), state.ask.top) - Math.max(1, state.screen.rows - 16))
    }
  }),
  "reason.send": (state) => answer(state, "reject"),

  "scroll.pageUp": (state) => scrolled(state, -pageOf(state)),
  "scroll.pageDown": (state) => scrolled(state, pageOf(state)),
  "scroll.up": (state) => scrolled(state, -1),
  "scroll.down": (state) => scrolled(state, 1),
  "scroll.start": toStartOfChat,
  "scroll.end": (state) => ({ ...state, reading: undefined }),

  "edit.up": (state) => ({
    ...state,
    composer: upOrDown(state.composer, -1, historyOf(state.composer, state.session))
  }),
  "edit.down": (state) => ({
    ...state,
    composer: upOrDown(state.composer, 1, historyOf(state.composer, state.session))
  }),

  "tasks.down": (state) => selectTask(state, (index) => index + 1),
  "tasks.up": (state) => selectTask(state, (index) => index - 1),
  "tasks.first": (state) => selectTask(state, () => 0),
  "tasks.last": (state) => selectTask(state, (_, length) => length - 1),
  "tasks.output": output,
  "task.stop": stop,
  "task.copyID": (state) => {
    const top = state.overlays.at(-1)
    return copy(state, "task", top?.type === "output" ? top.output.id : selectedTask(state)?.id)
  },

  "output.down": (state) => movedOutput(state, () => 1),
  "output.up": (state) => movedOutput(state, () => -1),
  "output.pageDown": (state) => movedOutput(state, (height) => Math.max(1, height - 1)),
  "output.pageUp": (state) => movedOutput(state, (height) => -Math.max(1, height - 1)),
  "output.start": (state) => withOutput(state, undefined, toStart),
  "output.follow": (state) => withOutput(state, undefined, toEnd),

  "list.down": (state) => moveInList(state, 1),
  "list.up": (state) => moveInList(state, -1),
  "list.pageDown": (state) => page(state, 1),
  "list.pageUp": (state) => page(state, -1),
  "list.choose": chosen,
  "help.down": (state) => scrollHelp(state, 1),
  "help.up": (state) => scrollHelp(state, -1),

  "confirm.yes": (state) => {
    const top = state.overlays.at(-1)
    return top?.type === "confirm" ? confirmed(state, top.question) : state
  },
  back,

  redraw: (state) => request(state, { type: "redraw" }),
  suspend: (state) => request(state, { type: "suspend" }),
  leave: (state) => request(state, { type: "leave" })
}

export const command = (state: State, id: CommandId): State => {
  const act = commands[id]
  if (act !== undefined) return act(state)
  return typedOver(state, (typed) => edited(typed, id) ?? typed)
}
