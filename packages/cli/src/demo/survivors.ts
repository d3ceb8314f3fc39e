/** Whether what was watched is really gone. */
import { isDead, isLinux, listPids, statOf } from "@vigil/core/shell/proc"
import type { Event } from "@vigil/schema/event-manifest"

/** How many of the monitors that these events tell of have a process that lives. */
export const survivorsOf = (events: ReadonlyArray<Event>): number => {
  const living = isLinux ? livingGroups() : undefined
  return events.filter(({ type, data }) => {
    if (type !== "monitor.started" || data.monitor.pid === undefined) return false
    return living?.has(data.monitor.pid) ?? answers(-data.monitor.pid)
  }).length
}

/** A zombie that nobody has reaped yet is none. */
const livingGroups = (): ReadonlySet<number> =>
  new Set(
    listPids()
      .flatMap((pid) => statOf(pid) ?? [])
      .filter((stat) => !isDead(stat))
      .map(({ group }) => group)
  )

const answers = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
