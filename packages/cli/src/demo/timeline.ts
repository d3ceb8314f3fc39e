/** What happened when, as lines to be watched. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { Event } from "@vigil/schema/event-manifest"
import { stringWidth } from "bun"
import { endText, ledgerText } from "../view/monitor.ts"
import type { Paint } from "../view/paint.ts"
import { duration } from "../view/quantity.ts"
import { toolTitle } from "../view/tool.ts"
import { wrapped } from "../view/table.ts"

/** Lines are no longer, and shorter where the terminal is narrower. */
export const columnsAtMost = 100
const indent = 17

export interface Timeline {
  /** The lines of an event that came so many milliseconds after the beginning. */
  readonly lines: (event: Event, atMs: number) => ReadonlyArray<string>
}

/** Remembers since when nothing is asked of the model. */
export const timeline = (paint: Paint, columns = columnsAtMost): Timeline => {
  let idleSince: number | undefined

  const row = (atMs: number, who: string, text: string, colour: (text: string) => string, tail = "") => {
    const time = `${(atMs / 1_000).toFixed(1)} s`.padStart(7)
    const lines = cleanText(text)
      .split("\n")
      .flatMap((line) => wrapped(line, columns - indent))
    const last = lines.pop() ?? ""
    const fits = stringWidth(last) + 1 + stringWidth(tail) <= columns - indent
    const [first = "", ...rest] = [
      ...lines,
      ...(tail === "" ? [last] : fits ? [`${last} ${tail}`] : [last, tail])
    ]
    const head = `${paint.dim(time)}  ${colour(who.padEnd(indent - 9))}${first}`
    return [head, ...rest.map((line) => " ".repeat(indent) + line)]
  }

  return {
    lines: (event, atMs) => {
      switch (event.type) {
        case "turn.ended":
          idleSince = atMs
          return []
        case "turn.started": {
          const slept = idleSince === undefined ? 0 : atMs - idleSince
          idleSince = undefined
          return slept < 500
            ? []
            : wrapped(`… ${duration(slept)} asleep: nothing was asked of the model`, columns - indent).map(
                (line) => paint.dim(" ".repeat(indent) + line)
              )
        }
        case "message.created": {
          const { message } = event.data
          return message.role === "user" ? row(atMs, "user", message.payload.text, paint.bold) : []
        }
        case "part.completed": {
          const { part } = event.data
          if (part.type === "text") return row(atMs, "agent", part.text, paint.cyan)
          if (part.type !== "tool") return []
          const took =
            part.endedAt === undefined ? "" : paint.dim(`(${duration(part.endedAt - part.startedAt)})`)
          const failed = part.status === "completed" ? "" : ` ${paint.red(part.status)}`
          return row(atMs, "tool", `${part.name} ${toolTitle(part)}${failed}`, paint.green, took)
        }
        case "monitor.started":
          return row(atMs, "watch", `'${event.data.monitor.description}' has begun`, paint.yellow)
        case "monitor.event":
          return row(atMs, "event", event.data.lines.join("\n"), paint.yellow)
        case "monitor.ended": {
          const { monitor } = event.data
          return row(atMs, "event", `${endText(monitor)}; ${ledgerText(monitor.ledger)}`, paint.yellow)
        }
        default:
          return []
      }
    }
  }
}
