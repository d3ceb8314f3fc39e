/**
 * The tools a model may call.
 *
 * Built-ins and plugins both arrive as transforms, replayed in order over an empty set,
 * so a plugin can wrap or remove what came before it and leave without a trace.
 */
import type { Session } from "@vigil/schema/session"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import type { TurnRejected } from "./permission.ts"

/** What the model is told; a tool that breaks dies instead. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  message: Schema.String
}) {}

/** Who calls, and from where. */
export interface ToolCall {
  readonly session: Session
  readonly messageID: string
  readonly callID: string
}

/** `output` is for the model, `structure` for clients. */
export interface ToolResult {
  readonly output: string
  readonly structure?: Schema.Json
}

export interface Tool<Input = any> {
  readonly name: string
  readonly description: string
  readonly input: Schema.ConstraintDecoder<Input>
  /** What the model is told of its input, as JSON Schema; `input` says it where it is left out. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
  /** The command that a call would run, for a tool that runs one. */
  readonly command?: (input: Input) => string
  /** Changes files: it never runs beside another call of its step. */
  readonly edits?: boolean
  readonly execute: (input: Input, call: ToolCall) => Effect.Effect<ToolResult, ToolFailed | TurnRejected>
}

/** Keeps a tool's input type while it is written. */
export const defineTool = <Input>(tool: Tool<Input>): Tool<Input> => tool

export interface ToolEditor {
  /** As the transforms before have left it. */
  readonly get: (name: string) => Tool | undefined
  readonly add: (tool: Tool) => void
  /** Takes a tool away. A model that calls it all the same is told why. */
  readonly remove: (name: string, reason: string) => void
  readonly wrap: (name: string, wrap: (execute: Tool["execute"]) => Tool["execute"]) => void
}

/** One request sees one set, whatever changes meanwhile. */
export interface ToolSet {
  readonly tools: ReadonlyMap<string, Tool>
  /** Why a tool is off, by its name. */
  readonly removed: ReadonlyMap<string, string>
}

export class Tools extends Context.Service<
  Tools,
  {
    /** Withdrawn when the scope closes. */
    transform(edit: (editor: ToolEditor) => void): Effect.Effect<void, never, Scope.Scope>
    readonly snapshot: Effect.Effect<ToolSet>
  }
>()("core/Tools") {
  static readonly layer = Layer.sync(Tools, () => {
    const transforms = new Set<(editor: ToolEditor) => void>()
    return Tools.of({
      transform: (edit) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            // Its own identity, so that one function may be registered twice.
            const registered = (editor: ToolEditor) => edit(editor)
            transforms.add(registered)
            return registered
          }),
          (registered) => Effect.sync(() => transforms.delete(registered))
        ).pipe(Effect.asVoid),
      snapshot: Effect.sync(() => replay(transforms))
    })
  })
}

const replay = (transforms: Iterable<(editor: ToolEditor) => void>): ToolSet => {
  const tools = new Map<string, Tool>()
  const removed = new Map<string, string>()
  const editor: ToolEditor = {
    get: (name) => tools.get(name),
    add: (tool) => {
      tools.set(tool.name, tool)
      removed.delete(tool.name)
    },
    remove: (name, reason) => {
      if (tools.delete(name)) removed.set(name, reason)
    },
    wrap: (name, wrap) => {
      const tool = tools.get(name)
      if (tool) tools.set(name, { ...tool, execute: wrap(tool.execute) })
    }
  }
  for (const transform of transforms) transform(editor)
  return { tools, removed }
}
