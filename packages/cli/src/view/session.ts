/** Sessions as a table. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { Session } from "@vigil/schema/session"
import { age } from "./quantity.ts"
import { oneLine, table } from "./table.ts"

/** A session, and how many of its monitors run. */
export interface Listed {
  readonly session: Session
  readonly watching: number
}

export const sessionTable = (sessions: ReadonlyArray<Listed>, now: number): ReadonlyArray<string> =>
  table([
    ["ID", "TITLE", "UPDATED", "MONITORS", "DIRECTORY"],
    ...sessions.map(({ session, watching }) => [
      session.id,
      oneLine(cleanText(session.title ?? "(untitled)"), 48),
      age(now - session.updatedAt),
      watching === 0 ? "-" : `${watching} running`,
      session.directory
    ])
  ])
