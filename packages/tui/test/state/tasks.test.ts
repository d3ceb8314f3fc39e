import { describe, expect, test } from "bun:test"
import { focusOf } from "../../src/state/focus.ts"
import { selectedTask, tasksOf, tickMs } from "../../src/state/tasks.ts"
import {
  act,
  blankState,
  ended,
  monitor,
  now,
  session,
  shell,
  snapshot,
  state,
  synced,
  user
} from "../lib/scene.ts"

const running = { monitors: [monitor(), monitor({ id: "mon_8", startedAt: now - 1_000 })] }

describe("the task list", () => {
  test("has monitors and background shells, those that run first, newest first", () => {
    const tasks = tasksOf(
      snapshot({
        monitors: [
          ended("exited", { id: "mon_old" }),
          monitor(),
          ended("expired", { id: "mon_new", endedAt: now })
        ],
        shells: [
          shell({ startedAt: now }),
          shell({ id: "sh_foreground", background: false }),
          shell({ id: "sh_of_mon" })
        ]
      })
    )
    expect(tasks.map(({ id }) => id)).toEqual(["sh_9d4", "mon_7k2", "mon_new", "mon_old"])
  })

  test("lists 25 ended ones at most", () => {
    const monitors = Array.from({ length: 40 }, (_, index) =>
      ended("exited", { id: `mon_${index}`, endedAt: now - index })
    )
    const tasks = tasksOf(snapshot({ monitors: [monitor(), ...monitors] }))
    expect(tasks.length).toBe(26)
    expect(tasks.at(-1)?.id).toBe("mon_24")
  })

  test("keeps what is selected while the list changes", () => {
    const at = act(
      state(running),
      "tasks.open",
      "tasks.down",
      synced({ monitors: [monitor({ id: "mon_9", startedAt: now }), ...running.monitors] })
    )
    expect(selectedTask(at)?.id).toBe("mon_7k2")
  })

  test("selects the first where the selected one is gone", () => {
    const at = act(
      state(running),
      "tasks.open",
      "tasks.down",
      synced({ monitors: [monitor({ id: "mon_8" })] })
    )
    expect(selectedTask(at)?.id).toBe("mon_8")
  })

  test("lets time pass only while it is seen and something runs", () => {
    expect(tickMs(state(running))).toBeUndefined()
    expect(tickMs(act(state(running), "tasks.open"))).toBe(1_000)
    expect(tickMs(act(state(running), "tasks.open", "task.stop"))).toBe(1_000)
    expect(tickMs(act(state(running), "tasks.open", "back"))).toBeUndefined()
    expect(tickMs(act(state({ monitors: [ended("exited")] }), "tasks.open"))).toBeUndefined()
  })
})

describe("stopping", () => {
  const asked = act(state({ monitors: [monitor()] }), "tasks.open", "task.stop")

  test("asks first", () => {
    expect(focusOf(asked)).toBe("confirm")
    expect(asked.requests).toEqual([])
    expect(focusOf(act(asked, "back"))).toBe("tasks")
  })

  test("is told until it has ended", () => {
    const stopping = act(asked, "confirm.yes")
    expect(stopping.requests).toEqual([{ type: "stop", id: "mon_7k2" }])
    expect(stopping.stops).toEqual({ mon_7k2: { type: "stopping" } })
    expect(act(stopping, synced({ monitors: [ended("cancelled")] })).stops).toEqual({})
  })

  test("is not asked for twice", () => {
    const again = act(asked, "confirm.yes", "task.stop")
    expect(again.notice?.text).toBe("It is being stopped")
    expect(focusOf(again)).toBe("tasks")
  })

  test("that failed says why, and can be tried again", () => {
    const failed = act(asked, "confirm.yes", { type: "stopped", id: "mon_7k2", why: "not connected" })
    expect(failed.stops).toEqual({ mon_7k2: { type: "failed", why: "not connected" } })
    const again = act({ ...failed, requests: [] }, "task.stop", "confirm.yes")
    expect(again.stops).toEqual({ mon_7k2: { type: "stopping" } })
    expect(again.requests).toEqual([{ type: "stop", id: "mon_7k2" }])
  })

  test("that failed because it had ended is no failure", () => {
    const at = act(asked, "confirm.yes", synced({ monitors: [ended("exited")] }), {
      type: "stopped",
      id: "mon_7k2",
      why: "gone"
    })
    expect(at.stops).toEqual({})
  })

  test("is no question any more once it has ended", () => {
    expect(focusOf(act(asked, synced({ monitors: [ended("exited")] })))).toBe("tasks")
  })

  test("all monitors asks too, and needs one", () => {
    expect(act(state({ monitors: [monitor()] }), "monitors.stopAll", "confirm.yes").requests).toEqual([
      { type: "stopAll" }
    ])
    expect(act(state(), "monitors.stopAll").notice?.text).toBe("No monitor runs")
  })
})

describe("leaving and interrupting", () => {
  const working = state({ session: session({ status: "running" }) })

  test("Esc interrupts while the agent works", () => {
    expect(act(working, "chat.interrupt").requests).toEqual([{ type: "interrupt" }])
    expect(act(state(), "chat.interrupt").requests).toEqual([])
  })

  test("Ctrl-C clears the draft, then interrupts", () => {
    const cleared = act(working, { type: "typed", text: "x" }, "chat.cancel")
    expect(cleared.composer.text).toBe("")
    expect(cleared.requests).toEqual([])
    expect(act(cleared, "chat.cancel").requests).toEqual([{ type: "interrupt" }])
  })

  test("Ctrl-C leaves at the second press, with nothing between", () => {
    expect(act(state(), "chat.cancel").requests).toEqual([])
    expect(act(state(), "chat.cancel", "chat.cancel").requests).toEqual([{ type: "leave" }])
    expect(
      act(state(), "chat.cancel", { type: "typed", text: "x" }, "edit.deleteBack", "chat.cancel").requests
    ).toEqual([])
  })
})

describe("a session that is reached", () => {
  test("has the models read that could not be read before", () => {
    const at = act(
      blankState(),
      { type: "modelsListed", models: { type: "failed", why: "not connected" } },
      synced()
    )
    expect(at.requests).toEqual([{ type: "listModels", remote: false }])
    expect(act({ ...at, requests: [] }, synced()).requests).toEqual([])
  })
})

describe("another session", () => {
  test("takes nothing of the last one along but the draft", () => {
    const at = act(
      state({ ...running, messages: [user("one")] }),
      { type: "typed", text: "draft" },
      "tasks.open",
      "tasks.down",
      "scroll.start",
      { type: "synced", snapshot: snapshot({ session: session({ id: "ses_other" }) }) }
    )
    expect(at).toMatchObject({ overlays: [], reading: undefined, task: undefined, stops: {} })
    expect(at.composer.text).toBe("draft")
  })
})
