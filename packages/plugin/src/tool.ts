/** Tools as a plugin gives and changes them. */
import type { InputOf, InputSchema } from "./input-schema.ts"

export interface ToolCall {
  readonly sessionID: string
  /** The session's. */
  readonly directory: string
  readonly callID: string
  /** Aborted when the call is interrupted, or the plugin is unloaded. */
  readonly signal: AbortSignal
}

/** Text for the model, and where it helps, JSON for clients. */
export type ToolResult = string | { readonly output: string; readonly structure?: unknown }

export interface Tool<Schema extends InputSchema = InputSchema> {
  /** Letters, digits, `-` and `_`, at most 64. */
  readonly name: string
  /** For the model: what it does, and when to use it. */
  readonly description: string
  /** An object's. What the model sends is held against it before `execute` is called. */
  readonly inputSchema: Schema
  /** Changes files: it never runs beside another call of its step. */
  readonly edits?: boolean
  /** The message of what it throws is what the model reads. */
  readonly execute: (input: InputOf<Schema>, call: ToolCall) => ToolResult | Promise<ToolResult>
}

/** The tool as it was, with all its checks: permission is asked for what it is called with. */
export type Execute = (input: any, call?: ToolCall) => Promise<ToolOutcome>

/** What a wrapped tool came to. A tool that failed throws instead. */
export interface ToolOutcome {
  readonly output: string
  readonly structure?: unknown
}

export interface ToolEditor {
  /** Takes the place of a tool of the same name. */
  readonly add: <const Schema extends InputSchema>(tool: Tool<Schema>) => void
  /** Takes a tool away. A model that calls it all the same reads the reason. */
  readonly remove: (name: string, reason?: string) => void
  /** Does something before or after a tool, or in its place. A tool that is not there is left so, which is told. */
  readonly wrap: (
    name: string,
    wrap: (execute: Execute) => (input: any, call: ToolCall) => ToolResult | Promise<ToolResult>
  ) => void
}
