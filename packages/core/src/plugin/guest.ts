/** A plugin that is in the house: what it may use, how it is told to leave, and what went wrong with it. */
import type { PluginLimits } from "@vigil/schema/config"
import type { PluginProblem } from "@vigil/schema/plugin"
import { Deferred, Effect, Exit, Scope } from "effect"

/** What has gone wrong, each once with a count; the oldest are forgotten. */
export class Problems {
  private readonly counted = new Map<string, number>()

  /** Whether it is new. */
  add(message: string): boolean {
    const before = this.counted.get(message) ?? 0
    this.counted.delete(message)
    this.counted.set(message, before + 1)
    if (this.counted.size > maxProblems) this.counted.delete(this.counted.keys().next().value!)
    return before === 0
  }

  get list(): ReadonlyArray<PluginProblem> {
    return [...this.counted].map(([message, times]) => ({ message, times }))
  }
}

const maxProblems = 20
const maxRegistrations = 256

export interface Guest {
  readonly name: string
  readonly limits: PluginLimits
  /** Aborted when it leaves. */
  readonly signal: AbortSignal
  readonly here: () => boolean
  readonly gone: Effect.Effect<void>
  /** Runs beside whoever calls, from code that is no effect, until the plugin leaves. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Logged when it is new, and kept for the plugin's status. */
  readonly problem: (message: string) => void
  /** Keeps what is acquired until the plugin leaves, or takes it back. Throws where it has left. */
  readonly register: (acquire: Effect.Effect<void, never, Scope.Scope>) => () => void
}

/** It leaves when the scope closes: told first, then everything that it had registered is withdrawn. */
export const admitGuest = Effect.fnUntraced(function* (
  name: string,
  limits: PluginLimits,
  problems: Problems
): Effect.fn.Return<Guest, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const services = yield* Effect.context()
  const gone = yield* Deferred.make<void>()
  const leaving = new AbortController()
  let registrations = 0

  const fork = (effect: Effect.Effect<unknown>) =>
    void Effect.runForkWith(services)(Effect.annotateLogs(effect, { plugin: name }))

  const register = (acquire: Effect.Effect<void, never, Scope.Scope>) => {
    if (leaving.signal.aborted) throw new Error(`The plugin ${name} was unloaded`)
    if (registrations >= maxRegistrations) {
      throw new Error(`A plugin registers ${maxRegistrations} transforms and handlers at most`)
    }
    registrations++
    const own = Effect.runSync(Scope.fork(scope))
    Effect.runSync(Scope.provide(acquire, own))
    let withdrawn = false
    return () => {
      if (withdrawn) return
      withdrawn = true
      registrations--
      Effect.runSync(Scope.close(own, Exit.void))
    }
  }

  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.sync(() => {
        // A listener of the plugin's that throws is told to the process, not here.
        leaving.abort(new Error(`The plugin ${name} was unloaded`))
      }),
      Deferred.succeed(gone, undefined)
    )
  )

  return {
    name,
    limits,
    fork,
    register,
    signal: leaving.signal,
    here: () => !leaving.signal.aborted,
    gone: Deferred.await(gone),
    problem: (message) => {
      if (problems.add(message)) fork(Effect.logWarning(`Plugin ${name}: ${message}`))
    }
  }
})
