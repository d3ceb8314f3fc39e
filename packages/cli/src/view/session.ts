/** Sessions as a table. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { Session } from "@vigil/schema/session"
import type { Turn } from "@vigil/schema/turn"
import { age } from "./quantity.ts"
import { fitted, oneLine } from "./table.ts"
import { outcomeText } from "./turn.ts"

/** A session, its newest turn, and how many of its monitors run. */
export interface Listed {
  readonly session: Session
  readonly turn: Turn | undefined
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
      ...sessions.map(({ session, turn, watching }) => [
        session.id,
        oneLine(cleanText(session.title ?? "(untitled)"), 48),
        turn === undefined ? "-" : turn.outcome === undefined ? "running" : outcomeText(turn.outcome),
        age(now - session.updatedAt),
        watching === 0 ? "-" : `${watching} running`,
        session.directory
      ])
    ],
    { text: [1, 5], columns }
  )
