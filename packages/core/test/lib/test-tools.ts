/** Tools that wait until a test lets them go, and what they saw. */
import { Context, Deferred, Effect, Layer, Queue, Schema } from "effect"
import { Tools, defineTool, type ToolCall, ToolFailed, type ToolResult } from "../../src/tool.ts"
import type { TurnRejected } from "../../src/permission.ts"

export interface Held {
  readonly name: string
  readonly input: unknown
  readonly call: ToolCall
  readonly finish: (result: Effect.Effect<ToolResult, ToolFailed | TurnRejected>) => Effect.Effect<void>
  readonly answer: (output: string) => Effect.Effect<void>
}

/** `wait` and `edit` wait for the test; what is begun and what was interrupted is recorded. */
export class HeldTools extends Context.Service<
  HeldTools,
  {
    /** The next call that has begun. */
    readonly begun: Effect.Effect<Held>
    readonly names: ReadonlyArray<string>
    readonly interrupted: ReadonlyArray<string>
  }
>()("test/HeldTools") {
  static readonly layer = Layer.effect(
    HeldTools,
    Effect.gen(function* () {
      const calls = yield* Queue.unbounded<Held>()
      const names: Array<string> = []
      const interrupted: Array<string> = []
      const tool = (name: string, edits: boolean) =>
        defineTool({
          name,
          description: name,
          edits,
          input: Schema.Struct({ n: Schema.optionalKey(Schema.Int) }),
          execute: Effect.fnUntraced(function* (input, call) {
            const result = yield* Deferred.make<ToolResult, ToolFailed | TurnRejected>()
            const label = `${name}${input.n ?? ""}`
            names.push(label)
            const finish = (answer: Effect.Effect<ToolResult, ToolFailed | TurnRejected>) =>
              Effect.asVoid(Deferred.complete(result, answer))
            yield* Queue.offer(calls, {
              name: label,
              input,
              call,
              finish,
              answer: (output) => finish(Effect.succeed({ output }))
            })
            return yield* Deferred.await(result).pipe(
              Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(label)))
            )
          })
        })
      yield* (yield* Tools).transform((editor) => {
        editor.add(tool("wait", false))
        editor.add(tool("edit", true))
        editor.add(tool("gone", false))
        editor.remove("gone", "It is off in this project.")
      })
      return HeldTools.of({ begun: Queue.take(calls), names, interrupted })
    })
  )
}
