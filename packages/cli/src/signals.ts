/**
 * Signals, and the exit code that each stands for.
 *
 * The first Ctrl-C goes to whoever has claimed it, else it stops the program in order; the second leaves at once,
 * and the watchdog of what runs does the rest. TERM and HUP stop in order. For what serves until it is told to stop,
 * a signal is no failure.
 */
import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import { readFileSync } from "node:fs"

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  hangup: 129,
  interrupted: 130,
  pipe: 141,
  terminated: 143
}

const isSignal = (code: number) =>
  code === exitCodes.interrupted || code === exitCodes.terminated || code === exitCodes.hangup

export class Signals extends Context.Service<
  Signals,
  {
    /** While the scope is open the first Ctrl-C does no more than to let the effect returned succeed. */
    readonly claim: Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** From now on a signal is the end that was meant: exit code 0, `boundMs` after it at the latest. */
    serves(boundMs: number): Effect.Effect<void>
  }
>()("cli/Signals") {}

export interface SignalWatch {
  readonly layer: Layer.Layer<Signals>
  /** What a signal, or a reader of stdout that went away, made of the exit code. */
  readonly code: () => number | undefined
  /** Called once the program is to stop in order. */
  readonly onStop: (stop: () => void) => void
}

/** Listens from now on, for the life of the process. */
export const watchSignals = (): SignalWatch => {
  let code: number | undefined
  let claimed: Deferred.Deferred<void> | undefined
  let interrupts = 0
  let stop: (() => void) | undefined
  let servesWithinMs: number | undefined

  const end = (as: number) => {
    if (code !== undefined && as !== exitCodes.pipe && as !== exitCodes.failed) process.exit(as)
    if (code === undefined && servesWithinMs !== undefined && isSignal(as)) {
      as = exitCodes.done
      // Whatever hangs: the watchdog ends what still runs, and the next start brings its record to an end.
      setTimeout(() => process.exit(exitCodes.done), servesWithinMs).unref()
    }
    code ??= as
    stop?.()
  }

  process.on("SIGINT", () => {
    if (interrupts++ > 0) process.exit(exitCodes.interrupted)
    if (claimed) Deferred.doneUnsafe(claimed, Effect.void)
    else end(exitCodes.interrupted)
  })
  process.on("SIGTERM", () => end(exitCodes.terminated))
  if (!ignoresHangup()) process.on("SIGHUP", () => end(exitCodes.hangup))
  // Whoever read has gone, or the disk is full: nobody is left to work for. What stderr can't show is not missed.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return end(exitCodes.pipe)
    if (code === undefined)
      process.stderr.write(`vigil: stdout can't be written to (${error.code ?? error.message})\n`)
    end(exitCodes.failed)
  })
  process.stderr.on("error", () => {})

  return {
    layer: Layer.succeed(Signals, {
      claim: Effect.acquireRelease(
        Effect.map(Deferred.make<void>(), (deferred) => (claimed = deferred)),
        () => Effect.sync(() => (claimed = undefined))
      ).pipe(Effect.map(Deferred.await)),
      serves: (boundMs) => Effect.sync(() => (servesWithinMs = boundMs))
    }),
    code: () => code,
    onStop: (handler) => {
      stop = handler
      if (code !== undefined) stop()
    }
  }
}

/** As under nohup. Only Linux says so. */
const ignoresHangup = () => {
  try {
    const [, lastDigit] = /^SigIgn:.*([\da-f])$/mu.exec(readFileSync("/proc/self/status", "utf8")) ?? []
    return lastDigit !== undefined && Number.parseInt(lastDigit, 16) % 2 === 1
  } catch {
    return false
  }
}
