/** What the demo cost, and what polling would have cost. Pure. */
import type { Event } from "@vigil/schema/event-manifest"
import type { Paint } from "../view/paint.ts"
import { count, duration, grouped } from "../view/quantity.ts"
import { table, wrapped } from "../view/table.ts"
import type { Check } from "./facts.ts"

export interface Cost {
  readonly elapsedMs: number
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Turns that an event began. */
  readonly wakes: number
  /** How long the monitor ran: what a poller would have waited. */
  readonly watchedMs: number
}

export const costOf = (events: ReadonlyArray<Event>, elapsedMs: number): Cost => {
  const usages = events.flatMap((event) =>
    event.type === "message.completed" && event.data.message.role === "assistant"
      ? [event.data.message.usage]
      : []
  )
  const total = (key: "inputTokens" | "outputTokens") =>
    usages.reduce((sum, usage) => sum + (usage?.[key] ?? 0), 0)
  const ended = events.find((event) => event.type === "monitor.ended")?.data.monitor
  return {
    elapsedMs,
    requests: usages.length,
    inputTokens: total("inputTokens"),
    outputTokens: total("outputTokens"),
    wakes: Math.max(0, events.filter(({ type }) => type === "turn.started").length - 1),
    watchedMs: ended?.endedAt === undefined ? 0 : ended.endedAt - ended.startedAt
  }
}

const pollEveryMs = 2_000

/** Who polls asks as often as he looks, where Vigil asks once an event; the rest of the work is the same. */
export const polling = ({ requests, wakes, inputTokens, outputTokens }: Cost, watchedMs: number) => {
  const polled = requests - wakes + Math.ceil(watchedMs / pollEveryMs)
  const average = requests === 0 ? 0 : (inputTokens + outputTokens) / requests
  return { requests: polled, tokens: Math.round(polled * average) }
}

const long = { ms: 20 * 60_000, name: "if CI took 20 m" }

/** In a box, where `columns` are enough for one. */
export const summaryText = (
  cost: Cost,
  checks: ReadonlyArray<Check>,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => {
  const { elapsedMs, requests, inputTokens, outputTokens, wakes, watchedMs } = cost
  const row = (name: string, ms: number): readonly [string, string, string] => {
    const poller = polling(cost, ms)
    return [
      name,
      `${grouped(requests)} requests, ${grouped(inputTokens + outputTokens)} tokens`,
      `${grouped(poller.requests)} requests, ${grouped(poller.tokens)} tokens`
    ]
  }
  const asked = `asking every ${duration(pollEveryMs).replace(".0", "")}`
  const rows = [row(`CI took ${duration(watchedMs)}`, watchedMs), row(long.name, long.ms)] as const
  const factsWith = (costs: ReadonlyArray<string>) => [
    `${duration(elapsedMs)}, ${count(wakes, "wake")} by events, ${count(requests, "model request")}, ` +
      `${count(inputTokens, "token")} in, ${count(outputTokens, "token")} out`,
    "",
    ...costs,
    "",
    ...checks.map(({ what, ok }) => `${ok ? paint.green("✓") : paint.red("✗")} ${what}`)
  ]
  const box = boxed(factsWith(table([["", "Vigil", asked], ...rows])), paint)
  if (Bun.stringWidth(box[0]!) <= columns) return box
  const stacked = rows.flatMap(([name, vigil, poller]) => [
    `${name}:`,
    ...table([
      ["  Vigil", vigil],
      [`  ${asked}`, poller]
    ])
  ])
  return factsWith(stacked).flatMap((line) => wrapped(line, columns))
}

const boxed = (lines: ReadonlyArray<string>, paint: Paint): ReadonlyArray<string> => {
  const width = Math.max(...lines.map((line) => Bun.stringWidth(line)))
  const edge = (left: string, right: string) => paint.dim(left + "─".repeat(width + 2) + right)
  const bar = paint.dim("│")
  return [
    edge("╭", "╮"),
    ...lines.map((line) => `${bar} ${line}${" ".repeat(width - Bun.stringWidth(line))} ${bar}`),
    edge("╰", "╯")
  ]
}
