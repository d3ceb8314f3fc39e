/** Requests that are being answered, which the end of the server neither waits for forever nor leaves without a word. */
import { ServerStopping } from "@vigil/schema/refusal"
import { Effect } from "effect"
import { answer } from "./answer.ts"

/** For what changes something, and is nearly done with it. */
const patience = "1 second"

export interface InFlight {
  /** `handle` ends early where its signal says so: the client hung up, or the server stops and says that instead. */
  run(request: Request, handle: (signal: AbortSignal) => Promise<Response>): Promise<Response>
  /** From now on everybody is refused. Reads are broken off, and so is what does not end soon. */
  readonly end: Effect.Effect<void>
}

interface Call {
  readonly reads: boolean
  readonly hangUp: AbortController
  readonly answered: Promise<void>
}

export const makeInFlight = (): InFlight => {
  const calls = new Set<Call>()
  let ending = false

  const run: InFlight["run"] = async (request, handle) => {
    if (ending) return answer(new ServerStopping({}))
    const { promise: answered, resolve: done } = Promise.withResolvers<void>()
    const hangUp = new AbortController()
    const leave = () => hangUp.abort()
    const call: Call = { reads: request.method === "GET" || request.method === "HEAD", hangUp, answered }
    calls.add(call)
    request.signal.addEventListener("abort", leave, { once: true })
    if (request.signal.aborted) leave()
    try {
      const response = await handle(hangUp.signal)
      if (!ending || !hangUp.signal.aborted) return response
      await response.body?.cancel()
      return answer(new ServerStopping({}))
    } finally {
      request.signal.removeEventListener("abort", leave)
      calls.delete(call)
      done()
    }
  }

  const end = Effect.gen(function* () {
    ending = true
    for (const { reads, hangUp } of calls) if (reads) hangUp.abort()
    yield* Effect.promise(() => Promise.all([...calls].map(({ answered }) => answered))).pipe(
      Effect.interruptible,
      Effect.timeoutOption(patience)
    )
    for (const { hangUp } of calls) hangUp.abort()
  })

  return { run, end }
}
