/** What a monitor may be started with: its deadline, its description, its place. */
import type { MonitorLimits } from "@vigil/schema/config"
import { TimeoutOutOfRange, TooManyMonitors } from "@vigil/schema/monitor"
import { Effect } from "effect"
import type { NoPlace } from "../job.ts"

/** A deadline is refused, never clamped. */
export const deadline = (
  timeoutMs: number | undefined,
  limits: Pick<MonitorLimits, "timeoutMs" | "maxTimeoutMs">
) => {
  const min = 1_000
  const max = limits.maxTimeoutMs
  const asked = timeoutMs ?? Math.min(limits.timeoutMs, max)
  if (asked >= min && asked <= max) return Effect.succeed(asked)
  const message = `timeoutMs must be a whole number of milliseconds from ${min} to ${max}`
  return Effect.fail(new TimeoutOutOfRange({ timeoutMs: asked, min, max, message }))
}

/** Equal descriptions are told apart. */
export const distinct = (
  description: string,
  active: ReadonlyArray<{ readonly description: string }>
): string => {
  const taken = new Set(active.map((job) => job.description))
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? description : `${description} (${number})`
    if (!taken.has(candidate)) return candidate
  }
}

export const tooMany = ({ scope, limit, active }: NoPlace): TooManyMonitors =>
  new TooManyMonitors({
    scope,
    limit,
    active,
    message:
      scope === "session"
        ? `This session has ${limit} active monitors, which is the most it may have: ${active
            .map(({ id, description }) => `${id} '${description}'`)
            .join(", ")}. Stop one with monitor_stop, or wait for one to end.`
        : `This server has ${limit} active monitors, which is the most it may have. Wait for some to end.`
  })
