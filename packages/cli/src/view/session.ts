/** Sessions as a table. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { SessionInfo } from "@vigil/schema/session-info"
import { age } from "./quantity.ts"
import { fitted, oneLine } from "./table.ts"
import { outcomeText } from "./turn.ts"

/** A session, and how many of its monitors run. */
export interface Listed {
  readonly session: SessionInfo
  readonly watching: number
}

export const sessionTable = (
  sessions: ReadonlyArray<Listed>,
  now: number,
  columns?: number
): ReadonlyArray<string> =>
  fitted(
    [
      ["ID", "TITLE", "STATE", "UPDATED", "MONITORS", "DIRECTORY"],
      ...sessions.map(({ session, watching }) => [
        session.id,
        oneLine(cleanText(session.title ?? "(untitled)"), 48),
        stateText(session),
        age(now - session.updatedAt),
        watching === 0 ? "-" : `${watching} running`,
        session.directory
      ])
    ],
    { text: [1, 5], columns }
  )

/** What it is doing; else how its newest turn ended. */
const stateText = ({ status, turn }: SessionInfo): string => {
  if (status === "asking") return "asks you"
  if (status === "running") return "running"
  if (turn === undefined) return "-"
  return turn.outcome === undefined ? "running" : outcomeText(turn.outcome)
}
