/**
 * Models, one step at a time.
 *
 * A step is one request and no more: who retries, and who runs the tools, is decided by its caller.
 */
import { Clock, Context, Deferred, Effect, Layer, Stream } from "effect"
import { answerReader } from "./provider/answer.ts"
import {
  type Endpoint,
  endpointOf,
  type Environment,
  type Providers,
  type StoredKeys
} from "./provider/endpoint.ts"
import { stepError } from "./provider/failure.ts"
import { contextWindow, maxOutputTokens } from "./provider/family.ts"
import { languageModel, toolDefinition } from "./provider/model.ts"
import {
  ConnectionLost,
  type ModelUnusable,
  type StepError,
  type StepPart,
  type StepRequest
} from "./provider/step.ts"

/** A model that can be asked. */
export interface ModelDescription extends Omit<Endpoint, "key"> {
  /** In tokens: as configured, else its family's, or 128,000 for a model that is not known. */
  readonly contextWindow: number
}

export interface ProviderOptions {
  /** Of a directory, or of the user alone. Read for each step, so that a changed key counts at once. */
  providers(directory: string | undefined): Effect.Effect<Providers>
  readonly env: Environment
  /** Read likewise. */
  readonly stored?: Effect.Effect<StoredKeys>
}

/** How long an answer that is complete may keep its connection, which a next step could use. */
const lingering = "1 second"

export class Provider extends Context.Service<
  Provider,
  {
    /**
     * Ends with `finish` or fails. Interrupting it hangs up. It never tries again by itself.
     * `directory`, here and below: whose providers count besides the user's.
     */
    step(request: StepRequest, directory?: string): Stream.Stream<StepPart, StepError>
    /** Where `provider/model` would be asked, or what is missing for it. Makes no request. */
    describe(model: string, directory?: string): Effect.Effect<ModelDescription, ModelUnusable>
    /** Changes when where or with which key a model is asked does. A secret: keep no more than its digest. */
    identity(model: string, directory?: string): Effect.Effect<string>
  }
>()("core/Provider") {
  static readonly layerWith = ({ providers, env, stored = nothingStored }: ProviderOptions) => {
    const resolve = (model: string, directory: string | undefined) =>
      Effect.gen(function* () {
        return yield* Effect.fromResult(endpointOf(model, yield* providers(directory), env, yield* stored))
      })
    return Layer.succeed(
      Provider,
      Provider.of({
        step: (request, directory) =>
          Stream.unwrap(Effect.map(resolve(request.model, directory), (endpoint) => ask(endpoint, request))),
        describe: Effect.fn("Provider.describe")(function* (model, directory) {
          const { key: _, ...endpoint } = yield* resolve(model, directory)
          return { ...endpoint, contextWindow: windowOf(endpoint) }
        }),
        identity: (model, directory) =>
          resolve(model, directory).pipe(
            Effect.match({
              onFailure: ({ reason }) => reason,
              onSuccess: (endpoint) => JSON.stringify(endpoint)
            })
          )
      })
    )
  }
}

const windowOf = (endpoint: Pick<Endpoint, "model" | "contextWindow">) =>
  endpoint.contextWindow ?? contextWindow(endpoint.model)

const nothingStored = Effect.succeed<StoredKeys>({ keys: {} })

const ask = (endpoint: Endpoint, request: StepRequest): Stream.Stream<StepPart, StepError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      // The signal that tryPromise offers ends with the headers; this one lasts as long as the answer.
      const { signal } = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const clock = yield* Clock.Clock
      const complete = yield* Deferred.make<void>()
      const failed = (thrown: unknown) => stepError(thrown, endpoint, clock.currentTimeMillisUnsafe())
      const limit =
        request.maxOutputTokens ??
        endpoint.maxOutputTokens ??
        maxOutputTokens(endpoint.model, endpoint.format, windowOf(endpoint))
      const { stream } = yield* Effect.tryPromise({
        try: async () =>
          languageModel(endpoint).doStream({
            prompt: request.prompt,
            abortSignal: signal,
            // Some servers refuse a list of tools without any.
            ...(request.tools.length > 0 && { tools: request.tools.map(toolDefinition) }),
            ...(limit !== undefined && { maxOutputTokens: limit })
          }),
        catch: failed
      })
      const { read, finished } = answerReader()
      const brokenOff = (why: string) =>
        new ConnectionLost({ message: `${endpoint.provider} broke off its answer: ${why}` })
      return Stream.fromReadableStream({ evaluate: () => stream, onError: failed }).pipe(
        Stream.mapEffect((part) =>
          part.type === "error" && !finished() ? Effect.fail(failed(part.error)) : Effect.succeed(read(part))
        ),
        Stream.flattenIterable,
        Stream.mapEffect((part) =>
          part.type === "broken-off" ? Effect.fail(brokenOff(part.why)) : Effect.succeed(part)
        ),
        Stream.tap((part) => (part.type === "finish" ? Deferred.succeed(complete, undefined) : Effect.void)),
        // What an ended answer does to its connection is no matter any more.
        Stream.catch((error) => (finished() ? Stream.empty : Stream.fail(error))),
        Stream.concat(
          Stream.suspend(() =>
            finished() ? Stream.empty : Stream.fail(brokenOff("it ended before it was complete"))
          )
        ),
        Stream.interruptWhen(Effect.andThen(Deferred.await(complete), Effect.sleep(lingering)))
      )
    })
  )
