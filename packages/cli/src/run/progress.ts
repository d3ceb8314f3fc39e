/**
 * What a run has come to, event by event. Pure.
 *
 * Text in front of a tool call is progress; the text a turn ends with is its answer. While something is still
 * watched the answer is shown as progress too: another may take its place.
 */
import type { Event } from "@vigil/schema/event-manifest"
import type { ToolPart } from "@vigil/schema/message"
import type { Monitor } from "@vigil/schema/monitor"
import type { Shell } from "@vigil/schema/shell"
import type { Turn } from "@vigil/schema/turn"
import { noUsage, type Usage } from "@vigil/schema/usage"
import { allowHints, toolName, toolTitle } from "../view/tool.ts"
import type { Note } from "../view/transcript.ts"

export interface Progress {
  readonly running: Turn | undefined
  /** The last turn that ended. */
  readonly ended: Turn | undefined
  /** What the last turn ended with. */
  readonly answer: string | undefined
  /** Whether the answer was shown as progress. */
  readonly shown: boolean
  /** Texts of messages that have not ended. */
  readonly texts: ReadonlyMap<string, ReadonlyArray<string>>
  /** Calls that run, by part. */
  readonly calls: ReadonlyMap<string, string>
  /** By id; those that ended keep their names. */
  readonly monitors: ReadonlyMap<string, Monitor>
  /** In the background, by id. */
  readonly shells: ReadonlyMap<string, Shell>
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Flags that would have allowed what was denied. */
  readonly hints: ReadonlyArray<string>
}

export const begin: Progress = {
  running: undefined,
  ended: undefined,
  answer: undefined,
  shown: false,
  texts: new Map(),
  calls: new Map(),
  monitors: new Map(),
  shells: new Map(),
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  hints: []
}

export interface Stepped {
  readonly progress: Progress
  readonly notes: ReadonlyArray<Note>
}

/** `waits`: whether the run goes on while something is watched. */
export const step = (progress: Progress, event: Event, waits: boolean): Stepped => {
  const only = (change: Partial<Progress>, ...notes: ReadonlyArray<Note>): Stepped => ({
    progress: { ...progress, ...change },
    notes
  })
  switch (event.type) {
    case "session.created":
      return only({}, { type: "session", session: event.data.session })
    case "turn.started": {
      const before = progress.shown ? [] : said(progress.answer)
      return only({ running: event.data.turn, answer: undefined, shown: false }, ...before)
    }
    case "turn.ended": {
      const { turn } = event.data
      const shown = waits && turn.outcome === "completed" && isWatching(progress)
      const remarks: ReadonlyArray<Note> = turn.remark ? [{ type: "remark", text: turn.remark }] : []
      return only(
        { running: undefined, ended: turn, shown },
        ...(shown ? said(progress.answer) : []),
        ...remarks
      )
    }
    case "part.created": {
      const { part } = event.data
      if (part.type !== "tool") return only({})
      const { [0]: texts, [1]: notes } = taken(progress, part.messageID)
      return only({ texts, calls: put(progress.calls, part.id, callText(part)) }, ...notes)
    }
    case "part.completed": {
      const { part } = event.data
      if (part.type === "tool") {
        const hints = [...new Set([...progress.hints, ...allowHints(part)])]
        return only({ calls: drop(progress.calls, part.id), hints }, { type: "tool", part })
      }
      if (part.type !== "text" || part.text.trim() === "") return only({})
      const before = progress.texts.get(part.messageID) ?? []
      return only({ texts: put(progress.texts, part.messageID, [...before, part.text]) })
    }
    case "message.created": {
      const { message } = event.data
      if (message.role !== "summary") return only({})
      const text = "What came before was summarised, so that it fits the model."
      return only(spent(progress, message.usage), { type: "remark", text })
    }
    case "message.completed": {
      const { message } = event.data
      if (message.role !== "assistant") return only({})
      const { status } = message
      const cost = spent(progress, message.usage)
      const { [0]: texts, [1]: notes } = taken(progress, message.id)
      if (status !== "completed") return only({ ...cost, texts }, ...notes)
      const text = (progress.texts.get(message.id) ?? []).join("\n\n")
      return only({ ...cost, texts, answer: text === "" ? progress.answer : text })
    }
    case "monitor.started": {
      const { monitor } = event.data
      return only({ monitors: put(progress.monitors, monitor.id, monitor) }, { type: event.type, monitor })
    }
    case "monitor.ended": {
      const { monitor } = event.data
      return only({ monitors: put(progress.monitors, monitor.id, monitor) }, { type: event.type, monitor })
    }
    case "monitor.event": {
      const { monitorID, lines } = event.data
      const description = progress.monitors.get(monitorID)?.description ?? monitorID
      return only({}, { type: "lines", description, lines })
    }
    case "shell.started":
    case "shell.updated": {
      const { shell } = event.data
      if (!shell.background || shell.status === "ended" || progress.shells.has(shell.id)) return only({})
      return only({ shells: put(progress.shells, shell.id, shell) }, { type: "shell.started", shell })
    }
    case "shell.ended": {
      const { shell } = event.data
      if (!shell.background) return only({})
      return only({ shells: put(progress.shells, shell.id, shell) }, { type: "shell.ended", shell })
    }
    default:
      return only({})
  }
}

/** What goes on right now, in a line; undefined where nothing does. */
export const statusText = (progress: Progress): string | undefined => {
  const call = [...progress.calls.values()].at(-1)
  if (call !== undefined) return `… ${call}`
  if (progress.running) return "… thinking"
  const names = active(progress.monitors).map(({ description }) => `'${description}'`)
  const shells = active(progress.shells).length
  if (shells > 0) names.push(`${shells} background command${shells === 1 ? "" : "s"}`)
  return names.length > 0 ? `… waiting for ${names.join(", ")}` : undefined
}

const spent = ({ requests, inputTokens, outputTokens }: Progress, usage: Usage = noUsage) => ({
  requests: requests + 1,
  inputTokens: inputTokens + usage.inputTokens,
  outputTokens: outputTokens + usage.outputTokens
})

const isWatching = ({ monitors, shells }: Progress) => active(monitors).length + active(shells).length > 0

const active = <A extends { readonly status: "running" | "ended" }>(all: ReadonlyMap<string, A>) =>
  [...all.values()].filter(({ status }) => status === "running")

const callText = (part: ToolPart) => `${toolName(part)} ${toolTitle(part)}`

const said = (text: string | undefined): ReadonlyArray<Note> =>
  text === undefined ? [] : [{ type: "said", text }]

/** A message's texts, as progress. */
const taken = ({ texts }: Progress, messageID: string) =>
  [drop(texts, messageID), (texts.get(messageID) ?? []).flatMap(said)] as const

const put = <A>(map: ReadonlyMap<string, A>, key: string, value: A) => new Map([...map, [key, value]])

const drop = <A>(map: ReadonlyMap<string, A>, key: string) =>
  map.has(key) ? new Map([...map].filter(([other]) => other !== key)) : map
