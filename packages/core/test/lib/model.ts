/** A model that a test drives by hand, in the place of the provider. */
import type { Usage } from "@vigil/schema/usage"
import { Cause, Context, Deferred, Effect, Layer, Queue, Stream } from "effect"
import { Provider } from "../../src/provider.ts"
import type { StepError, StepPart, StepRequest } from "../../src/provider/step.ts"
import { promptFaults, promptText } from "./prompt.ts"

/** One request, and how it is answered. */
export interface Asked {
  readonly request: StepRequest
  /** All that the model reads of the conversation. */
  readonly text: string
  readonly emit: (...parts: ReadonlyArray<StepPart>) => Effect.Effect<void>
  /** Says it and ends. */
  readonly say: (text: string) => Effect.Effect<void>
  /** Calls tools and ends. An input that is a string is sent as it is. */
  readonly call: (...calls: ReadonlyArray<readonly [name: string, input?: unknown]>) => Effect.Effect<void>
  readonly fail: (error: StepError) => Effect.Effect<void>
  /** Ends the stream where it is. */
  readonly end: Effect.Effect<void>
  /** Until nobody listens any more. */
  readonly hungUp: Effect.Effect<void>
}

export const usage: Usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0 }
export const finish = (reason = "stop"): StepPart => ({ type: "finish", reason, usage })
export const text = (said: string, id = "t"): ReadonlyArray<StepPart> => [
  { type: "text-start", id },
  { type: "text", id, text: said },
  { type: "text-end", id }
]

let calls = 0

export class Model extends Context.Service<
  Model,
  {
    /** The next request, once it comes. */
    readonly asked: Effect.Effect<Asked>
    readonly requests: ReadonlyArray<StepRequest>
    /** What a provider would have refused. */
    readonly faults: ReadonlyArray<string>
    /** As if a key was changed. */
    readonly changeKey: (key: string) => void
    /** In tokens; a million until it is set. */
    readonly setContextWindow: (tokens: number) => void
  }
>()("test/Model") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const waiting = yield* Queue.unbounded<Asked>()
      const requests: Array<StepRequest> = []
      const faults: Array<string> = []
      let key = "key"
      let contextWindow = 1_000_000
      const model = Model.of({
        asked: Queue.take(waiting),
        requests,
        faults,
        changeKey: (changed) => {
          key = changed
        },
        setContextWindow: (tokens) => {
          contextWindow = tokens
        }
      })
      const step = (request: StepRequest) =>
        Stream.unwrap(
          Effect.gen(function* () {
            requests.push(request)
            faults.push(...promptFaults(request.prompt))
            const parts = yield* Queue.unbounded<StepPart, StepError | Cause.Done>()
            const gone = yield* Deferred.make<void>()
            yield* Queue.offer(waiting, asked(request, parts, gone))
            return Stream.fromQueue(parts).pipe(Stream.ensuring(Deferred.succeed(gone, undefined)))
          })
        )
      const provider = Provider.of({
        step,
        describe: (name) =>
          Effect.sync(() => ({
            provider: "test",
            model: name,
            format: "openai-compatible",
            baseUrl: "http://test",
            keyFrom: "none",
            contextWindow
          })),
        identity: (name) => Effect.sync(() => `${name} ${key}`)
      })
      return Context.make(Model, model).pipe(Context.add(Provider, provider))
    })
  )
}

const asked = (
  request: StepRequest,
  parts: Queue.Queue<StepPart, StepError | Cause.Done>,
  gone: Deferred.Deferred<void>
): Asked => {
  const emit = (...said: ReadonlyArray<StepPart>) => Effect.asVoid(Queue.offerAll(parts, said))
  const end = Effect.asVoid(Queue.end(parts))
  return {
    request,
    text: promptText(request.prompt),
    emit,
    end,
    say: (said) => Effect.andThen(emit(...text(said), finish()), end),
    call: (...made) =>
      Effect.andThen(
        emit(
          ...made.map(([name, input = {}]): StepPart => ({
            type: "tool-call",
            callID: `call_${++calls}`,
            name,
            input: typeof input === "string" ? input : JSON.stringify(input)
          })),
          finish("tool-calls")
        ),
        end
      ),
    fail: (error) => Effect.asVoid(Queue.fail(parts, error)),
    hungUp: Deferred.await(gone)
  }
}
