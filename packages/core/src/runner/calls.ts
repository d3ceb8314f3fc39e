/** The tool calls of one step: together, unless they edit. */
import type { Session } from "@vigil/schema/session"
import type { ToolPart, ToolStatus } from "@vigil/schema/message"
import { Cause, Clock, Effect, Schema } from "effect"
import { Sessions } from "../session.ts"
import type { Tool, ToolResult, ToolSet } from "../tool.ts"

/** What no result for the model may exceed, in characters: the tools' own bounds are lower. */
const maxOutput = 100_000
const maxTogether = 16

export interface Calls {
  readonly session: Session
  readonly calls: ReadonlyArray<ToolPart>
  readonly set: ToolSet
  readonly stoppedByUser: () => boolean
}

interface Outcome extends ToolResult {
  readonly status: ToolStatus
  readonly rejected?: boolean
}

/** Runs them and stores each result. Whether one of them was rejected without a reason, which ends the turn. */
export const runCalls = Effect.fn("runCalls")(function* ({ session, calls, set, stoppedByUser }: Calls) {
  const sessions = yield* Sessions

  const run = Effect.fnUntraced(function* (part: ToolPart) {
    const settle = Effect.fnUntraced(function* ({ status, output, structure }: Outcome) {
      const endedAt = yield* Clock.currentTimeMillis
      const text = output.length > maxOutput ? `${output.slice(0, maxOutput)}\n[cut]` : output
      yield* sessions.completePart({
        ...part,
        status,
        output: text,
        endedAt,
        ...(structure !== undefined && { structure })
      })
    })
    const interrupted = Effect.suspend(() =>
      settle({
        status: "interrupted",
        output: stoppedByUser() ? "Interrupted by the user." : "Interrupted: the server stopped."
      })
    )
    const outcome = yield* execute(session, part, set).pipe(Effect.onInterrupt(() => interrupted))
    yield* Effect.uninterruptible(settle(outcome))
    return outcome.rejected === true
  })

  const rejected = yield* Effect.forEach(groups(calls, set), (group) =>
    Effect.forEach(group, run, { concurrency: maxTogether })
  )
  return rejected.flat().includes(true)
})

/** Runs of calls that may go together; a call that edits is a group of its own. */
const groups = (calls: ReadonlyArray<ToolPart>, { tools }: ToolSet): ReadonlyArray<ReadonlyArray<ToolPart>> =>
  calls.reduce<Array<Array<ToolPart>>>((groups, call) => {
    const edits = (part: ToolPart | undefined) => part !== undefined && tools.get(part.name)?.edits === true
    const last = groups.at(-1)
    if (last === undefined || edits(call) || edits(last[0])) groups.push([call])
    else last.push(call)
    return groups
  }, [])

const execute = (session: Session, part: ToolPart, { tools, removed }: ToolSet): Effect.Effect<Outcome> => {
  const tool = tools.get(part.name)
  if (tool === undefined) {
    const why = removed.get(part.name) ?? `There is no such tool. There are: ${[...tools.keys()].join(", ")}.`
    return Effect.succeed(failed(`${part.name} is not available: ${why}`))
  }
  return decode(tool, part.input).pipe(
    Effect.matchEffect({
      onFailure: (message) => Effect.succeed(failed(message)),
      onSuccess: (input) =>
        tool.execute(input, { session, messageID: part.messageID, callID: part.callID }).pipe(
          Effect.map((result): Outcome => ({ ...result, status: "completed" })),
          Effect.catchTags({
            ToolFailed: ({ message }) => Effect.succeed(failed(message)),
            TurnRejected: ({ message }) => Effect.succeed({ ...failed(message), rejected: true })
          }),
          Effect.catchDefect((defect) =>
            Effect.as(
              Effect.logError(`Tool ${part.name} broke`, defect),
              failed(`${part.name} broke: ${Cause.pretty(Cause.die(defect)).split("\n")[0]}`)
            )
          )
        )
    })
  )
}

const failed = (output: string): Outcome => ({ status: "failed", output })

const decode = (tool: Tool, input: string): Effect.Effect<unknown, string> => {
  const json = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))(input.trim() === "" ? "{}" : input)
  return json.pipe(
    Effect.mapError(() => "The input is no valid JSON. Send one JSON object."),
    Effect.flatMap((value) =>
      Schema.decodeUnknownEffect(tool.input, { errors: "all", onExcessProperty: "error" })(value).pipe(
        Effect.mapError((error) => `The input of ${tool.name} is not what it should be:\n${error.message}`)
      )
    )
  )
}
