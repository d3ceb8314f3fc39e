/** What happened in a session, as lines. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { Synthetic } from "@vigil/schema/input"
import type { MessageWithParts, ToolPart } from "@vigil/schema/message"
import type { Monitor } from "@vigil/schema/monitor"
import type { Session } from "@vigil/schema/session"
import type { Shell } from "@vigil/schema/shell"
import type { Turn } from "@vigil/schema/turn"
import { commandText, taskEndText } from "./monitor.ts"
import type { Paint } from "./paint.ts"
import { toolLine } from "./tool.ts"
import { turnEndText } from "./turn.ts"

/** Something that happened and is worth a line. */
export type Note =
  | { readonly type: "session"; readonly session: Session }
  | { readonly type: "said"; readonly text: string }
  | { readonly type: "remark"; readonly text: string }
  | { readonly type: "tool"; readonly part: ToolPart }
  | { readonly type: "lines"; readonly description: string; readonly lines: ReadonlyArray<string> }
  | { readonly type: "monitor.started"; readonly monitor: Monitor }
  | { readonly type: "monitor.ended"; readonly monitor: Monitor }
  | { readonly type: "shell.started"; readonly shell: Shell }
  | { readonly type: "shell.ended"; readonly shell: Shell }

export const noteText = (note: Note, paint: Paint): string => {
  switch (note.type) {
    case "session": {
      const { id, model, directory } = note.session
      return paint.dim(`session ${id}${model === undefined ? "" : `, ${model}`}, in ${directory}`)
    }
    case "said":
      return saidText(note.text)
    case "remark":
      return paint.dim(`(${cleanText(note.text)})`)
    case "tool":
      return toolLine(note.part, paint)
    case "lines":
      return eventLines(note.description, note.lines, paint)
    case "monitor.started":
      return `${paint.cyan("▶")} watching '${note.monitor.description}' ${paint.dim(note.monitor.id)}`
    case "monitor.ended":
      return taskEndText(note.monitor, paint)
    case "shell.started":
      return `${paint.cyan("▶")} in the background: ${commandText(note.shell.command)} ${paint.dim(note.shell.id)}`
    case "shell.ended":
      return taskEndText(note.shell, paint)
  }
}

const saidText = (text: string) => `● ${indented(cleanText(text.trim()), "  ")}`

/** Every line under its monitor's name. */
const eventLines = (description: string, lines: ReadonlyArray<string>, paint: Paint) =>
  lines.map((line) => `${paint.yellow("◆")} ${paint.dim(`${description}:`)} ${line}`).join("\n")

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`)

/**
 * A whole conversation, from its prompt on. Behind what was said in a turn stands how it ended, if it was not
 * completed; `turns` in their order.
 */
export const transcript = (
  messages: ReadonlyArray<MessageWithParts>,
  turns: ReadonlyArray<Turn>,
  paint: Paint
): ReadonlyArray<string> => {
  const lastOf = new Map<string, number>(messages.map(({ message }, index) => [message.turnID, index]))
  const ends = new Map<number, ReadonlyArray<Turn>>()
  // A turn in which nothing was said stands behind the one before it.
  let place = -1
  for (const turn of turns) {
    place = lastOf.get(turn.id) ?? place
    ends.set(place, [...(ends.get(place) ?? []), turn])
  }
  const endLines = (index: number) =>
    (ends.get(index) ?? []).flatMap((turn) => turnEndText(turn, paint) ?? [])
  const told = new Set(turns.map(({ id, error }) => `${id} ${error}`))
  return [
    ...endLines(-1),
    ...messages.flatMap((message, index) => [...messageLines(message, told, paint), ...endLines(index)])
  ]
}

/** `told`: the errors that their turn's end tells, each behind the turn's id. */
const messageLines = (
  { message, parts }: MessageWithParts,
  told: ReadonlySet<string>,
  paint: Paint
): ReadonlyArray<string> => {
  switch (message.role) {
    case "user":
      return ["", `${paint.bold(">")} ${indented(cleanText(message.payload.text), "  ")}`, ""]
    case "event":
      return [syntheticText(message.payload, paint)]
    case "summary":
      return [paint.dim("— from here on the model reads a summary of most of what is above —")]
    case "assistant":
      return [
        ...parts.flatMap((part) =>
          part.type === "tool"
            ? [toolLine(part, paint)]
            : part.type === "text" && part.text.trim() !== ""
              ? [saidText(part.text)]
              : []
        ),
        ...(message.error === undefined || told.has(`${message.turnID} ${message.error}`)
          ? []
          : [paint.red(`failed: ${cleanText(message.error)}`)])
      ]
  }
}

const syntheticText = (payload: Synthetic, paint: Paint): string => {
  switch (payload.type) {
    case "lines":
      return eventLines(payload.source.description, payload.lines, paint)
    case "notice":
    case "remark":
      return eventLines(payload.source.description, payload.text.split("\n"), paint)
    case "counts":
      return eventLines(
        "inbox",
        payload.suppressed.map(({ source, lines }) => `${lines} lines of '${source.description}' suppressed`),
        paint
      )
  }
}
