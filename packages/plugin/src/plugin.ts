/** What a plugin is, and what it is given. */
import type { AfterCall, AfterResult, BeforeCall, BeforeResult } from "./hook.ts"
import type { ToolEditor } from "./tool.ts"

export interface Plugin {
  /** Letters, digits, `-` and `_`, at most 64. Of two plugins with one name the later is kept. */
  readonly name: string
  /**
   * Says what the plugin adds, and ends: 10 s at most (`plugin.setupMs` in vigil.json).
   *
   * It runs twice: once on trial, in a process of its own with a host that does nothing, and then in the server. One
   * that throws, hangs, loops or exits on trial is never run in the server.
   */
  readonly setup: (host: Host) => void | Promise<void>
}

/** What a plugin may do. All of it ends with the plugin; after that a call to it throws. */
export interface Host {
  /** Whether this is the trial: then nothing is real, and what should be done once is left for later. */
  readonly trial: boolean
  readonly tools: {
    /**
     * Adds tools, takes some away, wraps some. `edit` is run anew for each model request, behind those that were
     * registered before it. It takes effect whole, or not at all where it throws. Returns how to withdraw it.
     */
    readonly transform: (edit: (tools: ToolEditor) => void) => () => void
  }
  readonly session: {
    /** Tells a session of something, as an event: never as the user. Rejects where that was not admitted. */
    readonly synthetic: (sessionID: string, event: SyntheticEvent) => Promise<void>
  }
  /**
   * Hears of each tool call. A handler that throws or takes longer than 5 s (`plugin.hookMs`) counts as one that
   * returned nothing. Returns how to stop hearing.
   */
  readonly on: On
  /** Aborted when the plugin is unloaded: what it has started by itself has to end then. */
  readonly signal: AbortSignal
  /** To the server's log, with the plugin's name. */
  readonly log: (message: string) => void
}

export interface On {
  (event: "tool.before", handler: (call: BeforeCall) => Answer<BeforeResult>): () => void
  (event: "tool.after", handler: (call: AfterCall) => Answer<AfterResult>): () => void
}

/** Nothing means: go on as if nobody had heard. */
export type Answer<Result> = Result | undefined | void | Promise<Result | undefined | void>

export interface SyntheticEvent {
  /** At most 16 KiB; what is longer is cut, and says so. */
  readonly text: string
  /** Whose words the event says it carries; the plugin's name where it is left out. */
  readonly description?: string
  /** `steer` (default) is read at the next step, `queue` when the turn ends. */
  readonly delivery?: "steer" | "queue"
  /** Whether an idle session is woken for it; it is unless told otherwise. */
  readonly wakes?: boolean
}

/** Keeps the types while a plugin is written. A module exports the result as its default. */
export const definePlugin = (plugin: Plugin): Plugin => plugin
