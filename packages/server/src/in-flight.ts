/** Requests that are being answered, which the end of the server neither waits for forever nor leaves without a word. */
import { ServerStopping } from "@vigil/schema/refusal"
import { Effect } from "effect"
import { answer } from "./answer.ts"

/** For what changes something, and is nearly done with it. */
const patience = "1 second"

export interface InFlight {
  /**
   * Waits for what `receive` brings, then for `handle`, which ends early where its signal says so: the client hung up,
   * or the server stops and says that instead.
   */
  run<A>(
    request: Request,
    receive: () => Promise<A>,
    handle: (received: A, signal: AbortSignal) => Promise<Response>
  ): Promise<Response>
  /** From now on everybody is refused. What changes nothing is broken off, and so is what does not end soon. */
  readonly end: Effect.Effect<void>
}

interface Call {
  /** A read, or something that is not here yet, which its client may never send. */
  changesNothing: boolean
  readonly hangUp: AbortController
  readonly answered: Promise<void>
}

export const makeInFlight = (): InFlight => {
  const calls = new Set<Call>()
  let ending = false

  const run: InFlight["run"] = async (request, receive, handle) => {
    if (ending) return answer(new ServerStopping({}))
    const { promise: answered, resolve: done } = Promise.withResolvers<void>()
    const hangUp = new AbortController()
    const leave = () => hangUp.abort()
    const call: Call = { changesNothing: true, hangUp, answered }
    calls.add(call)
    request.signal.addEventListener("abort", leave, { once: true })
    if (request.signal.aborted) leave()
    try {
      const received = await Promise.race([receive(), aborted(hangUp.signal)])
      call.changesNothing = request.method === "GET" || request.method === "HEAD"
      const response = await handle(received, hangUp.signal)
      if (!ending || !hangUp.signal.aborted) return response
      await response.body?.cancel()
      return answer(new ServerStopping({}))
    } catch (error) {
      if (ending && hangUp.signal.aborted) return answer(new ServerStopping({}))
      throw error
    } finally {
      request.signal.removeEventListener("abort", leave)
      calls.delete(call)
      done()
    }
  }

  const end = Effect.gen(function* () {
    ending = true
    for (const { changesNothing, hangUp } of calls) if (changesNothing) hangUp.abort()
    yield* Effect.promise(() => Promise.all([...calls].map(({ answered }) => answered))).pipe(
      Effect.interruptible,
      Effect.timeoutOption(patience)
    )
    for (const { hangUp } of calls) hangUp.abort()
  })

  return { run, end }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
  })
