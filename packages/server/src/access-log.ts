/** One line a request in the log: what was asked and how it was answered. Never its query, headers or body. */
import { Clock, Effect } from "effect"

export interface Answered {
  readonly requestID: string
  readonly method: string
  /** Without its query, which may hold a ticket. */
  readonly path: string
  readonly status: number
  /** Monotonic. */
  readonly startedAtNanos: bigint
}

/** Longer ones are strangers' only. */
const maxPathLength = 300

export const logAnswer = ({ requestID, method, path, status, startedAtNanos }: Answered) =>
  Effect.gen(function* () {
    const ms = Number((yield* Clock.monotonicTimeNanos) - startedAtNanos) / 1e6
    yield* Effect.logInfo(`${method} ${path.slice(0, maxPathLength)} ${status} ${ms.toFixed(1)} ms`)
  }).pipe(Effect.annotateLogs({ requestID }))
