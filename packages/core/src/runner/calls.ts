/** The tool calls of one step: together, unless they edit. */
import type { Session } from "@vigil/schema/session"
import type { ToolPart, ToolStatus } from "@vigil/schema/message"
import { Cause, Clock, Effect, Exit, Schema } from "effect"
import { Hooks } from "../hook.ts"
import type { TurnRejected } from "../permission.ts"
import { messageOf } from "../hook/foreign.ts"
import { Sessions } from "../session.ts"
import type { Tool, ToolCall, ToolResult, ToolSet } from "../tool.ts"

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
  readonly status: Extract<ToolStatus, "completed" | "failed">
  readonly rejection?: TurnRejected
}

/**
 * Runs them and stores a result for each, also for those that were cut short or never began. Whether one was
 * rejected without a reason, which ends the turn and with it the others.
 */
export const runCalls = Effect.fn("runCalls")(function* ({ session, calls, set, stoppedByUser }: Calls) {
  const sessions = yield* Sessions
  const hooks = yield* Hooks
  const open = new Set(calls)

  const settle = Effect.fnUntraced(function* (
    part: ToolPart,
    { status, output, structure }: ToolResult & { readonly status: ToolStatus }
  ) {
    open.delete(part)
    const endedAt = yield* Clock.currentTimeMillis
    yield* sessions.completePart({
      ...part,
      status,
      output: bounded(output),
      endedAt,
      ...(structure !== undefined && { structure })
    })
  })

  const run = (part: ToolPart) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const outcome = yield* restore(execute(session, part, set, hooks))
        yield* settle(part, outcome)
        if (outcome.rejection) return yield* outcome.rejection
      })
    )

  const why = (rejected: boolean) =>
    rejected
      ? "Interrupted: the user rejected another call, which ended the turn."
      : stoppedByUser()
        ? "Interrupted by the user."
        : "Interrupted: the server stopped."

  return yield* Effect.forEach(
    groups(calls, set),
    (group) => Effect.forEach(group, run, { concurrency: maxTogether, discard: true }),
    { discard: true }
  ).pipe(
    Effect.interruptible,
    Effect.as(false),
    Effect.catchTag("TurnRejected", () => Effect.succeed(true)),
    Effect.onExit((exit) =>
      Effect.forEach(
        open,
        (part) => settle(part, { status: "interrupted", output: why(Exit.isSuccess(exit)) }),
        { discard: true }
      )
    )
  )
}, Effect.uninterruptible)

/** Cut where a character ends. */
const bounded = (output: string) => {
  if (output.length <= maxOutput) return output
  const kept = output.slice(0, maxOutput).replace(/[\ud800-\udbff]$/, "")
  return `${kept}\n[${output.length - kept.length} more characters were cut]`
}

/** Runs of calls that may go together; a call that edits is a group of its own. */
const groups = (calls: ReadonlyArray<ToolPart>, { tools }: ToolSet): ReadonlyArray<ReadonlyArray<ToolPart>> =>
  calls.reduce<Array<Array<ToolPart>>>((groups, call) => {
    const edits = (part: ToolPart | undefined) => part !== undefined && tools.get(part.name)?.edits === true
    const last = groups.at(-1)
    if (last === undefined || edits(call) || edits(last[0])) groups.push([call])
    else last.push(call)
    return groups
  }, [])

const execute = (
  session: Session,
  part: ToolPart,
  { tools, removed }: ToolSet,
  hooks: Hooks["Service"]
): Effect.Effect<Outcome> => {
  const tool = tools.get(part.name)
  if (tool === undefined) {
    const why = removed.get(part.name) ?? `There is no such tool. There are: ${[...tools.keys()].join(", ")}.`
    return Effect.succeed(failed(`${part.name} is not available: ${why}`))
  }
  return Effect.gen(function* () {
    const { heard, input } = yield* hooks.before({
      tool: tool.name,
      session,
      callID: part.callID,
      input: yield* parse(part.input),
      decode: (input) => decode(tool, input),
      commandOf: (input) => tool.command?.(input)
    })
    const outcome = yield* runTool(tool, input, { session, messageID: part.messageID, callID: part.callID })
    if (outcome.rejection) return outcome
    const { output, status } = outcome
    return { ...outcome, output: yield* hooks.after({ ...heard, output, status }) }
  }).pipe(Effect.catch((message) => Effect.succeed(failed(message))))
}

const runTool = (tool: Tool, input: unknown, call: ToolCall) =>
  tool.execute(input, call).pipe(
    Effect.map((result): Outcome => ({ ...result, status: "completed" })),
    Effect.catchTags({
      ToolFailed: ({ message }) => Effect.succeed(failed(message)),
      TurnRejected: (rejection) => Effect.succeed({ ...failed(rejection.message), rejection })
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError(`Tool ${tool.name} broke`, defect),
        failed(`${tool.name} broke: ${Cause.pretty(Cause.die(defect)).split("\n")[0]}`)
      )
    )
  )

const failed = (output: string): Outcome => ({ status: "failed", output })

const parse = (input: string): Effect.Effect<unknown, string> =>
  Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))(input.trim() === "" ? "{}" : input).pipe(
    Effect.mapError(() => "The input is no valid JSON. Send one JSON object.")
  )

const decode = (tool: Tool, value: unknown): Effect.Effect<unknown, string> =>
  Schema.decodeUnknownEffect(tool.input, { errors: "all", onExcessProperty: "error" })(value).pipe(
    Effect.mapError(({ message }) => message),
    // A schema may be a plugin's own code.
    Effect.catchDefect((thrown) => Effect.fail(messageOf(thrown))),
    Effect.mapError((message) => `The input of ${tool.name} is not what it should be:\n${message}`)
  )
