/** What runs in the background and what did: monitors and shells in one list. Pure. */
import type { Monitor, Shell } from "@vigil/sdk/wire"
import type { Snapshot } from "../store.ts"
import { lookAgainMs } from "./output.ts"
import type { State, Stop } from "./shape.ts"

export type Task =
  | { readonly type: "monitor"; readonly id: string; readonly monitor: Monitor }
  | { readonly type: "shell"; readonly id: string; readonly shell: Shell }

/** Either of them, for what both have. */
export const facts = (task: Task): Monitor | Shell => (task.type === "monitor" ? task.monitor : task.shell)

export const isRunning = (task: Task): boolean => facts(task).status === "running"

const maxEnded = 25

const known = new WeakMap<Snapshot, ReadonlyArray<Task>>()

/** Running ones, then ended ones; newest first each. */
export const tasksOf = (snapshot: Snapshot | undefined): ReadonlyArray<Task> => {
  if (snapshot === undefined) return []
  const found = known.get(snapshot)
  if (found !== undefined) return found
  const all: ReadonlyArray<Task> = [
    ...snapshot.monitors.map((monitor) => ({ type: "monitor", id: monitor.id, monitor }) as const),
    ...snapshot.shells
      // A monitor's own process is shown as the monitor; a shell in the foreground is in the chat.
      .filter(({ id, background }) => background && !snapshot.monitors.some(({ shellID }) => shellID === id))
      .map((shell) => ({ type: "shell", id: shell.id, shell }) as const)
  ]
  const running = all.filter(isRunning).toSorted((a, b) => facts(b).startedAt - facts(a).startedAt)
  const ended = all
    .filter((task) => !isRunning(task))
    .toSorted((a, b) => (facts(b).endedAt ?? 0) - (facts(a).endedAt ?? 0))
  const tasks = [...running, ...ended.slice(0, maxEnded)]
  known.set(snapshot, tasks)
  return tasks
}

export const taskOf = (state: State, id: string | undefined): Task | undefined =>
  tasksOf(state.session).find((task) => task.id === id)

/** The selected one: by its id, so that the list may change under it; the first where it is gone. */
export const selectedTask = (state: State): Task | undefined =>
  taskOf(state, state.task) ?? tasksOf(state.session)[0]

export const selectTask = (state: State, to: (index: number, length: number) => number): State => {
  const tasks = tasksOf(state.session)
  const index = tasks.findIndex(({ id }) => id === selectedTask(state)?.id)
  const next = tasks[Math.min(Math.max(0, to(index, tasks.length)), tasks.length - 1)]
  return next === undefined ? state : { ...state, task: next.id }
}

/** Whether there is something to stop: it runs, and is not being stopped. */
export const canStop = (state: State, task: Task | undefined): boolean =>
  task !== undefined && isRunning(task) && state.stops[task.id]?.type !== "stopping"

export const withStop = (state: State, id: string, stop: Stop | undefined): State => {
  const { [id]: _, ...others } = state.stops
  return { ...state, stops: stop === undefined ? others : { ...others, [id]: stop } }
}

/** `2 monitors · 1 shell`, of what runs; undefined where nothing does. */
export const runningText = (snapshot: Snapshot | undefined): string | undefined => {
  const running = tasksOf(snapshot).filter(isRunning)
  const counted = (["monitor", "shell"] as const).flatMap((type) => {
    const n = running.filter((task) => task.type === type).length
    return n === 0 ? [] : [`${n} ${type}${n === 1 ? "" : "s"}`]
  })
  return counted.length === 0 ? undefined : counted.join(" · ")
}

const countdownMs = 1_000

/** How long until something that is seen changes with time alone: a countdown, or the output of what runs. */
export const tickMs = (state: State): number | undefined => {
  const top = state.overlays.at(-1)
  const shown = top?.type === "confirm" ? state.overlays.at(-2) : top
  if (shown?.type === "tasks") return tasksOf(state.session).some(isRunning) ? countdownMs : undefined
  if (shown?.type !== "output") return undefined
  const task = taskOf(state, shown.output.id)
  return task !== undefined && isRunning(task) ? lookAgainMs(shown.output) : undefined
}
