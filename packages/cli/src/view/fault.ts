/** A fault as one line. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import { oneLine } from "./table.ts"

const maxCauses = 5

/** What a fault says, and the causes that it names, in one line: the first of them alone is often "it failed". */
export const firstLine = (defect: unknown): string => {
  const said: Array<string> = []
  for (let at: unknown = defect, depth = 0; at !== undefined && at !== null && depth < maxCauses; depth++) {
    const [line = ""] = messageOf(at).split("\n")
    if (line !== "" && !said.some((before) => before.includes(line))) said.push(line)
    at = at instanceof Error ? at.cause : undefined
  }
  return oneLine(cleanText(said.join(": ")), 300)
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
