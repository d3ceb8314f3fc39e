/** May this command be run? The same question for every tool that runs one. */
import type { Session } from "@vigil/schema/session"
import { Effect } from "effect"
import { homedir } from "node:os"
import { Permissions } from "../permission.ts"
import { directorySubject } from "../permission/rule.ts"
import { scan } from "./command.ts"

export interface ApprovalRequest {
  readonly session: Session
  readonly tool: string
  readonly command: string
  readonly callID?: string
  /** The user runs it: nobody is asked, but what is denied stays denied. */
  readonly byUser?: boolean
}

/** Each part of the command, and each directory outside the session's, has to be allowed. */
export const approveCommand = Effect.fn("approveCommand")(function* (request: ApprovalRequest) {
  const { session, tool, command, callID, byUser = false } = request
  const permissions = yield* Permissions
  const { subjects, directories } = scan(command, { directory: session.directory, home: homedir() })
  yield* permissions.require({
    session,
    tool,
    title: command,
    byUser,
    subjects: [...subjects, ...directories.map(directorySubject)],
    ...(callID !== undefined && { callID })
  })
})
