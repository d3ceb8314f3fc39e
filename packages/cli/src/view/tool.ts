/** A tool call as one line. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { ToolPart } from "@vigil/schema/message"
import type { Paint } from "./paint.ts"
import { duration } from "./quantity.ts"
import { oneLine } from "./table.ts"

const maxName = 64
const maxTitle = 80
const maxReason = 160

/** A tool's name as the model wrote it, which may be anything. */
export const toolName = ({ name }: Pick<ToolPart, "name">): string =>
  oneLine(cleanText(name), maxName) || "(no name)"

/** What a call is about: its command, file or pattern. */
export const toolTitle = ({ name, input }: Pick<ToolPart, "name" | "input">): string => {
  const fields = fieldsOf(input)
  const text = (key: string) => (typeof fields[key] === "string" ? fields[key] : undefined)
  const about =
    name === "monitor" && text("description") !== undefined
      ? `'${text("description")}': ${text("command") ?? ""}`
      : (text("command") ?? text("path") ?? text("pattern") ?? text("id") ?? input)
  return oneLine(cleanText(about), maxTitle)
}

const fieldsOf = (input: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(input)
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const marks = { completed: "✓", failed: "✗", interrupted: "-", running: "…" } as const

/** `✓ read ci.log  3 ms`; what failed says why. */
export const toolLine = (part: ToolPart, paint: Paint): string => {
  const { status, startedAt, endedAt, output } = part
  const colour = status === "completed" ? paint.green : status === "failed" ? paint.red : paint.dim
  const took = endedAt === undefined ? "" : paint.dim(`  ${duration(endedAt - startedAt)}`)
  const line = `${colour(marks[status])} ${paint.bold(toolName(part))} ${toolTitle(part)}${took}`
  if (status !== "failed" || output === undefined) return line
  return `${line}\n    ${paint.red(oneLine(cleanText(output), maxReason))}`
}

/** The flags that would have allowed what was denied, as the tool's result names them. */
export const allowHints = ({ status, output }: ToolPart): ReadonlyArray<string> => {
  const [, flags] = (status === "failed" && /would be allowed by: (--allow .+)$/mu.exec(output ?? "")) || []
  return flags?.match(/--allow '(?:[^']|'\\'')*'/gu) ?? []
}
