/** One monitor while it runs: its mail, in order, through the policy, and what the policy asks for. */
import { Clock, Deferred, Effect, Exit, Queue, type Scope } from "effect"
import type { Process, ProcessEnd } from "../shell.ts"
import type { Ledgers, Stopped, Watched } from "./ledger.ts"
import type { LineReader } from "./lines.ts"
import * as Policy from "./policy.ts"

export interface Watch extends Watched {
  readonly timeoutMs: number
  /** Everything that happens to it, in order. */
  readonly mail: Queue.Queue<Mail>
  readonly ended: Deferred.Deferred<Stopped>
  readonly process: Process
  readonly reader: LineReader
  /** What the policy has come to, as far as it is stored. */
  readonly progress: { state: Policy.State }
  /** Frees its place among the active ones. */
  readonly release: Effect.Effect<void>
}

export type Mail =
  | Policy.Input
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "gone"; readonly end: ProcessEnd }

/** Opens the gate, and returns when the monitor has ended and the sweep behind it is done. */
export const watch = Effect.fnUntraced(function* (
  watch: Watch,
  ledger: Ledgers
): Effect.fn.Return<void, never, Scope.Scope> {
  const { mail, process, timeoutMs, progress } = watch
  let end: ProcessEnd | undefined
  let stopping = false

  yield* Effect.forkScoped(Effect.flatMap(process.ended, (end) => Queue.offer(mail, { type: "gone", end })))
  yield* process.open
  yield* Queue.offer(mail, { type: "opened", at: yield* monotonicMs })
  yield* Effect.forkScoped(
    Effect.andThen(
      Effect.sleep(timeoutMs),
      send(watch, (at) => ({ type: "cause", at, cause: { reason: "expired" } }))
    )
  )

  /** Taken from the mail and not yet applied. */
  const pending: Array<Policy.Input> = []

  const open = Effect.fnUntraced(function* (letter: Mail): Effect.fn.Return<ReadonlyArray<Policy.Input>> {
    const at = yield* monotonicMs
    switch (letter.type) {
      case "bytes":
        return [{ type: "read", at, bytes: letter.bytes.length, lines: watch.reader.read(letter.bytes) }]
      case "gone":
        end = letter.end
        return [
          { type: "cause", at, cause: { reason: "exited" } },
          { type: "closed", at, lines: watch.reader.flush() }
        ]
      default:
        return [letter]
    }
  })

  const act = (action: Policy.Action): Effect.Effect<unknown, never, Scope.Scope> => {
    if (action.type === "window") {
      const over = send(watch, (at) => ({ type: "window", at }))
      return Effect.forkScoped(Effect.andThen(Effect.sleep(action.afterMs), over))
    }
    if (action.type === "stop" && action.cause.reason !== "exited") {
      return Effect.forkScoped(process.stop(watch.limits.killGraceMs))
    }
    return Effect.void
  }

  /** A database that fails keeps nothing running that is to end: the process goes now, its end is stored when it can be. */
  const stopUnstored = Effect.gen(function* () {
    for (const letter of yield* Queue.clear(mail)) pending.push(...(yield* open(letter)))
    const first = pending.find((input) => input.type === "cause")
    if (end === undefined && first && first.cause.reason !== "exited") {
      yield* Effect.forkScoped(process.stop(watch.limits.killGraceMs))
    }
  })

  // Interrupted only while it waits: what was taken is applied, and what was committed is adopted.
  const loop = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      for (let failures = 0; ;) {
        // Interrupted while its end was being written: that stands.
        if (progress.state.ended) return
        const input = pending[0]
        if (input === undefined) {
          yield* restore(Queue.peek(mail))
          for (const letter of yield* Queue.clear(mail)) pending.push(...(yield* open(letter)))
          continue
        }
        const next = Policy.step(progress.state, input)
        const committed = yield* Effect.exit(ledger.commit(watch, next.actions, end))
        if (Exit.isFailure(committed)) {
          // The same input on the same state, again: nothing is lost or done twice.
          yield* Effect.logError("A monitor's events could not be stored", committed.cause)
          yield* stopUnstored
          if (stopping && failures >= maxFailuresAtStop) return
          yield* restore(Effect.sleep(Math.min(maxRetryMs, firstRetryMs * 2 ** failures++)))
          continue
        }
        failures = 0
        progress.state = next.state
        pending.shift()
        yield* Effect.forEach(next.actions, act, { discard: true })
        if (committed.value === undefined) continue
        yield* watch.release
        yield* Deferred.succeed(watch.ended, committed.value)
        return
      }
    })
  )

  yield* loop.pipe(
    // The server stops: one more cause, and the same loop to its end.
    Effect.onInterrupt(() => {
      stopping = true
      const cause = send(watch, (at) => ({ type: "cause", at, cause: { reason: "server_restarted" } }))
      return Effect.andThen(cause, loop)
    }),
    Effect.onExit(() => Deferred.succeed(watch.ended, { monitor: undefined, unread: [], withdrawn: false }))
  )
  const { monitor } = yield* Deferred.await(watch.ended)
  // Every other end was written behind its sweep.
  if (monitor?.reason !== "exited") return
  const { swept, survivors } = yield* process.swept
  yield* ledger.survived(monitor, [...swept, ...survivors])
})

const firstRetryMs = 50
const maxRetryMs = 5_000
const maxFailuresAtStop = 3

/** Of the monotonic clock, with its fractions. */
export const monotonicMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000n) / 1_000)

const send = ({ mail }: Watch, letter: (at: number) => Policy.Input) =>
  Effect.flatMap(monotonicMs, (at) => Queue.offer(mail, letter(at)))
