/** A tool call as one line. Pure. */
import { oneLine, visible } from "./visible.ts"

const fieldsOf = (input: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(input)
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** What a call is about: its command, file or pattern; as the model wrote it where it is none of these. */
export const toolAbout = (name: string, input: string): string => {
  const fields = fieldsOf(input)
  const text = (key: string) => (typeof fields[key] === "string" ? fields[key] : undefined)
  const description = name === "monitor" ? text("description") : undefined
  const about = text("command") ?? text("path") ?? text("pattern") ?? text("id") ?? input
  return oneLine(visible(description === undefined ? about : `${description}: ${about}`))
}
