/** A plugin's tools and its changes to others, as the registry's transforms. */
import type {
  Execute,
  Tool as PluginTool,
  ToolCall as PluginCall,
  ToolEditor as PluginEditor
} from "@vigil/plugin/tool"
import { Deferred, Effect, FiberSet, Schema } from "effect"
import type { TurnRejected } from "../permission.ts"
import { type Tool, type ToolCall, type ToolEditor, ToolFailed, type ToolResult } from "../tool.ts"
import { forModel } from "../tools/output.ts"
import { foreign, messageOf } from "../hook/foreign.ts"
import type { Guest } from "./guest.ts"
import { readInputSchema } from "./input-schema.ts"

/** Providers take no other names. */
const names = /^[A-Za-z0-9_-]{1,64}$/u
const maxDescription = 16_384
const maxChanges = 128
const maxStructure = 262_144

/** Whole, or not at all where it throws. */
export const transformOf =
  (guest: Guest, edit: (tools: PluginEditor) => void) =>
  (editor: ToolEditor): void => {
    try {
      for (const change of changesOf(guest, edit, editor)) change()
    } catch (thrown) {
      guest.problem(`A transform of its tools has no effect: ${messageOf(thrown)}`)
    }
  }

const changesOf = (guest: Guest, edit: (tools: PluginEditor) => void, editor: ToolEditor) => {
  const changes: Array<() => void> = []
  let open = true
  const change = (apply: () => void) => {
    if (!open) throw new Error("Tools are edited before the transform returns, not later")
    if (changes.length >= maxChanges) throw new Error(`One transform makes ${maxChanges} changes at most`)
    changes.push(apply)
  }
  try {
    const returned: unknown = edit({
      add: (added) => {
        const tool = toolOf(guest, added)
        change(() => {
          if (editor.get(tool.name))
            guest.problem(`Its tool ${tool.name} takes the place of another of this name`)
          editor.add(tool)
        })
      },
      remove: (name, reason) => {
        const why = typeof reason === "string" ? forModel(reason) : `The plugin ${guest.name} took it away.`
        change(() => editor.remove(name, why))
      },
      wrap: (name, wrap) =>
        change(() => {
          const tool = editor.get(name)
          if (tool) editor.wrap(name, () => wrapped(guest, tool, wrap))
          else guest.problem(`It wraps the tool ${name}, which is not there`)
        })
    })
    if (returned instanceof Promise) {
      returned.catch(() => {})
      throw new TypeError("A transform is no async function")
    }
  } finally {
    open = false
  }
  return changes
}

const toolOf = (guest: Guest, { name, description, inputSchema, edits, execute }: PluginTool): Tool => {
  if (typeof name !== "string" || !names.test(name))
    throw new TypeError(`A tool's name is 1 to 64 letters, digits, - and _`)
  if (typeof description !== "string" || description === "" || description.length > maxDescription)
    throw new TypeError(`The description of ${name} is 1 to ${maxDescription} characters`)
  if (typeof execute !== "function") throw new TypeError(`The tool ${name} has no execute`)
  return {
    name,
    description,
    ...readInputSchema(inputSchema, guest.limits.hookMs),
    edits: edits === true,
    execute: (input, call) =>
      untilGone(
        guest,
        foreign(async (signal) => read(guest, await execute(input, callOf(call, signal)))).pipe(
          Effect.catch(({ message }) => failed(message)),
          Effect.timeoutOrElse({ duration: guest.limits.callMs, orElse: () => tooLong(guest) })
        )
      )
  }
}

/**
 * What the wrapper calls is the whole tool: its input is held against the schema again, it asks for permission, and
 * a user's rejection ends the turn whatever the wrapper makes of it.
 */
const wrapped =
  (guest: Guest, tool: Tool, wrap: Parameters<PluginEditor["wrap"]>[1]): Tool["execute"] =>
  (input, call) => {
    // Left out of a request that was made before it left.
    if (!guest.here()) return tool.execute(input, call)
    return Effect.gen(function* () {
      const inner = yield* FiberSet.make<ToolResult, ToolFailed | TurnRejected>()
      const run = yield* FiberSet.runtimePromise(inner)()
      const rejected = yield* Deferred.make<never, TurnRejected>()
      const failures = new WeakSet<object>()
      let rejection: TurnRejected | undefined

      const execute: Execute = (changed) => {
        const outcome = run(
          recheck(tool, changed).pipe(
            Effect.flatMap((checked) => tool.execute(checked, call)),
            Effect.tapError((error) => {
              failures.add(error)
              if (error._tag !== "TurnRejected") return Effect.void
              rejection = error
              return Deferred.fail(rejected, error)
            })
          )
        )
        // One that nobody waits for fails alone.
        outcome.catch(() => {})
        return outcome
      }

      const own = foreign(async (signal) =>
        read(guest, await wrap(execute)(input, callOf(call, signal)))
      ).pipe(
        Effect.catch(({ message, thrown }) => {
          const ours = typeof thrown === "object" && thrown !== null && failures.has(thrown)
          if (!ours) guest.problem(`Its wrapper of ${tool.name} threw: ${message}`)
          return failed(message)
        }),
        Effect.exit,
        Effect.flatMap((exit): Effect.Effect<ToolResult, ToolFailed | TurnRejected> =>
          rejection ? Effect.fail(rejection) : exit
        )
      )
      // How long the tool itself takes is the tool's own to bound.
      const overdue = Effect.gen(function* () {
        do {
          yield* FiberSet.awaitEmpty(inner)
          yield* Effect.sleep(guest.limits.callMs)
        } while ((yield* FiberSet.size(inner)) > 0)
        return yield* tooLong(guest)
      })
      return yield* untilGone(guest, Effect.raceAllFirst([own, Deferred.await(rejected), overdue]))
    }).pipe(Effect.scoped)
  }

const recheck = (tool: Tool, input: unknown): Effect.Effect<unknown, ToolFailed> =>
  Schema.decodeUnknownEffect(Schema.toType(tool.input), { errors: "all", onExcessProperty: "error" })(
    input
  ).pipe(
    Effect.mapError(
      (error) =>
        new ToolFailed({ message: `The input of ${tool.name} is not what it should be:\n${error.message}` })
    )
  )

const failed = (message: string) => Effect.fail(new ToolFailed({ message: forModel(message) }))

const tooLong = ({ name, limits }: Guest) =>
  failed(`The plugin ${name} was not through after ${limits.callMs / 1_000} s`)

const untilGone = <A, E>(guest: Guest, effect: Effect.Effect<A, E>): Effect.Effect<A, E | ToolFailed> =>
  Effect.raceFirst(
    Effect.andThen(guest.gone, failed(`The plugin ${guest.name}, which this needs, was unloaded`)),
    effect
  )

const callOf = ({ session, callID }: ToolCall, signal: AbortSignal): PluginCall => ({
  sessionID: session.id,
  directory: session.directory,
  callID,
  signal
})

/** What came back may be anything. */
const read = (guest: Guest, result: unknown): ToolResult => {
  if (typeof result === "string") return { output: forModel(result) }
  if (typeof result !== "object" || result === null || !("output" in result))
    throw new TypeError("The tool returned neither text nor an output")
  if (typeof result.output !== "string") throw new TypeError("The output of the tool is no text")
  const output = forModel(result.output)
  if (!("structure" in result) || result.structure === undefined) return { output }
  const json = JSON.stringify(result.structure) as string | undefined
  if (json !== undefined && json.length <= maxStructure)
    return { output, structure: JSON.parse(json) as Schema.Json }
  guest.problem(`What a tool returned for clients is no JSON of at most ${maxStructure} characters`)
  return { output }
}
