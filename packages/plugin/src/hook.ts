/** What a plugin hears of tool calls, and what it may say to them. */

export interface BeforeCall {
  readonly tool: string
  /** As the model sent it, or as the handler before changed it. A copy: to change it, return another one. */
  readonly input: unknown
  /** What would be run, for every tool that runs a command: `shell` and `monitor` alike. */
  readonly command?: string
  readonly sessionID: string
  /** The session's. */
  readonly directory: string
  readonly callID: string
}

/**
 * `deny` ends the call: the model reads the reason. A changed `input` is held against the tool's schema again, and
 * permission is asked for what it says. Nothing that a handler returns allows what a rule denies.
 */
export type BeforeResult = { readonly deny: string } | { readonly input: unknown }

export interface AfterCall extends BeforeCall {
  /** What the model is about to read. */
  readonly output: string
  readonly status: "completed" | "failed"
}

export interface AfterResult {
  /** For the model, in place of the tool's. */
  readonly output: string
}
