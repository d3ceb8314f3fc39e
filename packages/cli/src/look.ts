/** What commands look at, whoever has it: an owner that runs, or the database alone. */
import { MonitorNotFound, type Monitor } from "@vigil/schema/monitor"
import type { MessageWithParts } from "@vigil/schema/message"
import type { OutputPage } from "@vigil/schema/output"
import type { Ask, SavedAllow } from "@vigil/schema/permission"
import { SessionNotFound } from "@vigil/schema/session"
import type { SessionInfo } from "@vigil/schema/session-info"
import type { Shell } from "@vigil/schema/shell"
import type { TrustedDirectory } from "@vigil/schema/trust"
import type { Turn } from "@vigil/schema/turn"
import type { Effect } from "effect"
import type { OwnerGone, Refused } from "./asked.ts"

export type Task = Monitor | Shell

export interface OutputQuery {
  /** A byte; the newest page without it. */
  readonly cursor?: number
  /** Bytes at most, from 4 to 65,536. */
  readonly limit: number
}

/** Something that is not there is told with what to do about it. */
type Seen<A, E = never> = Effect.Effect<A, E | OwnerGone | Refused>

export interface Look {
  /** Newest first. */
  readonly sessions: Seen<ReadonlyArray<SessionInfo>>
  session(sessionID: string): Seen<SessionInfo, SessionNotFound>
  /** In their order. */
  messages(sessionID: string): Seen<ReadonlyArray<MessageWithParts>, SessionNotFound>
  /** In their order, those that are kept. */
  turns(sessionID: string): Seen<ReadonlyArray<Turn>, SessionNotFound>
  /** Of one session, or of all; newest first. */
  monitors(sessionID?: string): Seen<ReadonlyArray<Monitor>, SessionNotFound>
  /** A monitor or background command of whatever session. */
  task(id: string): Seen<Task, MonitorNotFound>
  output(task: Task, query: OutputQuery): Seen<OutputPage, MonitorNotFound>
  /** What waits for an answer, oldest first. */
  readonly asks: Seen<ReadonlyArray<Ask>>
  saved(directory: string): Seen<ReadonlyArray<SavedAllow>>
  readonly trusted: Seen<ReadonlyArray<TrustedDirectory>>
}

export const sessionAbsent = (sessionID: string) =>
  new SessionNotFound({
    sessionID,
    message: `There is no session ${sessionID}. \`vigil session list\` shows those there are.`
  })

/** Also of a background command's. */
export const taskAbsent = (id: string) =>
  new MonitorNotFound({
    monitorID: id,
    message: `There is no monitor ${id}. \`vigil monitor list\` shows those there are.`
  })
