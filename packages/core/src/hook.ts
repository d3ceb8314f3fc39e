/**
 * Who hears of tool calls, before they run and after.
 *
 * What is heard before a call may refuse it or change its input, and never allows anything: permission is asked by
 * the tool itself, for what it finally runs.
 */
import type { ToolStatus } from "@vigil/schema/message"
import type { Session } from "@vigil/schema/session"
import { Context, Effect, Layer, type Scope } from "effect"

/** A call as it is heard of. */
export interface HeardCall {
  readonly tool: string
  readonly session: Session
  readonly callID: string
  /** As JSON. */
  readonly input: unknown
  /** The command that the call would run, if it runs one. */
  readonly command?: string
}

export interface HeardResult extends HeardCall {
  readonly output: string
  readonly status: Extract<ToolStatus, "completed" | "failed">
}

/** `undefined` lets the call be as it is. */
export type BeforeAnswer = { readonly deny: string } | { readonly input: unknown } | undefined
export type AfterAnswer = { readonly output: string } | undefined

export interface Hook<Heard, Answer> {
  /** Whose it is; the model reads it with a refusal. */
  readonly by: string
  /** What fails or hangs in it is its own to bound. */
  readonly hear: (heard: Heard) => Effect.Effect<Answer>
}

/** What the hooks make of a call that is about to run. */
export interface Pending<Input> extends Omit<HeardCall, "command"> {
  /** Holds an input against the tool's schema; fails with what is wrong with it. */
  readonly decode: (input: unknown) => Effect.Effect<Input, string>
  readonly commandOf: (input: Input) => string | undefined
}

export interface Passed<Input> {
  readonly heard: HeardCall
  readonly input: Input
}

export class Hooks extends Context.Service<
  Hooks,
  {
    /** Withdrawn when the scope closes. */
    onBefore(hook: Hook<HeardCall, BeforeAnswer>): Effect.Effect<void, never, Scope.Scope>
    onAfter(hook: Hook<HeardResult, AfterAnswer>): Effect.Effect<void, never, Scope.Scope>
    /** What shall run; fails with why not, for the model. Each hook hears what the one before it has made. */
    before<Input>(call: Pending<Input>): Effect.Effect<Passed<Input>, string>
    /** What the model shall read. */
    after(result: HeardResult): Effect.Effect<string>
  }
>()("core/Hooks") {
  static readonly layer = Layer.sync(Hooks, () => {
    const befores = new Set<Hook<HeardCall, BeforeAnswer>>()
    const afters = new Set<Hook<HeardResult, AfterAnswer>>()

    const before = Effect.fn("Hooks.before")(function* <Input>({
      decode,
      commandOf,
      ...call
    }: Pending<Input>) {
      const passed = (input: Input, json: unknown): Passed<Input> => {
        const command = commandOf(input)
        return { input, heard: { ...call, input: json, ...(command !== undefined && { command }) } }
      }
      let now = passed(yield* decode(call.input), call.input)
      for (const { by, hear } of befores) {
        const answer = yield* hear(now.heard)
        if (answer === undefined) continue
        if ("deny" in answer) return yield* Effect.fail(`Refused by the plugin ${by}: ${answer.deny}`)
        const changed = yield* Effect.mapError(
          decode(answer.input),
          (message) => `The plugin ${by} changed this call to one that can't be made. ${message}`
        )
        now = passed(changed, answer.input)
      }
      return now
    })

    const after = Effect.fn("Hooks.after")(function* (result: HeardResult) {
      let { output } = result
      for (const { hear } of afters) output = (yield* hear({ ...result, output }))?.output ?? output
      return output
    })

    return Hooks.of({
      onBefore: (hook) => joined(befores, hook),
      onAfter: (hook) => joined(afters, hook),
      before,
      after
    })
  })
}

const joined = <A extends object>(set: Set<A>, member: A) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      // Its own identity, so that one hook may be registered twice.
      const own = { ...member }
      set.add(own)
      return own
    }),
    (own) => Effect.sync(() => set.delete(own))
  ).pipe(Effect.asVoid)
