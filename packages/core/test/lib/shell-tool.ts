/** The shell tool, called as the runner does. */
import type { Session } from "@vigil/schema/session"
import { Effect } from "effect"
import type { ToolCall } from "../../src/tool.ts"
import { shell as shellTool } from "../../src/tools/shell.ts"

export const callOf = (session: Session): ToolCall => ({ session, messageID: "msg_1", callID: "call_1" })
/** What the tool says to the model, once it does. */
export const use = Effect.fnUntraced(function* (
  session: Session,
  input: { command: string; timeoutMs?: number; background?: boolean }
) {
  const { execute } = yield* shellTool
  return yield* Effect.forkChild(
    execute(input, callOf(session)).pipe(
      Effect.map(({ output }) => output),
      Effect.catchTag("ToolFailed", ({ message }) => Effect.succeed(`FAILED ${message}`))
    )
  )
})
