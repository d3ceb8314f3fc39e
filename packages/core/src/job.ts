/** What runs in the background of a session: each job has an id, a scope of its own and a place among the active. */
import type { SessionId } from "@vigil/schema/session"
import { Context, Deferred, Effect, Exit, Fiber, FiberMap, Layer, Option, Schema, Scope } from "effect"

/** `command` is a shell in the foreground: a turn waits for it. */
export type JobKind = "monitor" | "shell" | "command"

export interface Job {
  readonly id: string
  readonly kind: JobKind
  readonly sessionID: SessionId
  readonly description: string
}

/** Every place is taken. */
export class NoPlace extends Schema.TaggedError<NoPlace>()("NoPlace", {
  scope: Schema.Literals(["session", "server"]),
  limit: Schema.Int,
  active: Schema.Array(Schema.Struct({ id: Schema.String, description: Schema.String }))
}) {}

export interface PlaceOptions extends Job {
  /** Active jobs of this kind that one session may have. */
  readonly max: number
  /** Those that the server may have. */
  readonly maxTotal?: number
}

export interface JobDefinition<Prepared, A, E> {
  readonly id: string
  readonly prepare: Effect.Effect<Prepared, E, Scope.Scope>
  /**
   * Makes it a fact. Not interrupted. `wanted` fails where the caller has been interrupted; inside the transaction it
   * undoes that.
   */
  readonly commit: (prepared: Prepared, wanted: Effect.Effect<void>) => Effect.Effect<A, E>
  /** Until the job ends. Interrupted where the server stops. */
  readonly run: (prepared: Prepared, committed: A) => Effect.Effect<void, never, Scope.Scope>
}

export class Jobs extends Context.Service<
  Jobs,
  {
    /** A place among the active jobs, held until it is given back or the scope closes. Returns how to give it back. */
    reserve(options: PlaceOptions): Effect.Effect<Effect.Effect<void>, NoPlace, Scope.Scope>
    /**
     * Runs in the background, in a scope of its own. Interrupting the caller ends what `prepare` does; once
     * `commit` has begun the job lives, whatever becomes of the caller.
     */
    start<Prepared, A, E>(job: JobDefinition<Prepared, A, E>): Effect.Effect<A, E>
    /** Active jobs, reserved places included, oldest first. */
    active(sessionID: SessionId, kind?: JobKind): Effect.Effect<ReadonlyArray<Job>>
    /** It counts as that kind from now on, also where its places are taken: it runs already. */
    become(id: string, kind: JobKind): Effect.Effect<void>
    /** Until the job has ended; at once if there is none. */
    await(id: string): Effect.Effect<void>
    /** Until a session has no active job. */
    awaitQuiet(sessionID: SessionId): Effect.Effect<void>
  }
>()("core/Jobs") {
  static readonly layer = Layer.effect(
    Jobs,
    Effect.gen(function* () {
      const places = new Map<string, Job>()
      // Closed as one: all are interrupted before the first is waited for.
      const fibers = yield* FiberMap.make<string>()
      const waiting = new Map<SessionId, Array<Deferred.Deferred<void>>>()

      const activeOf = (sessionID: SessionId, kind?: JobKind) =>
        [...places.values()].filter(
          (job) => job.sessionID === sessionID && (kind === undefined || job.kind === kind)
        )

      const reserve = ({ max, maxTotal, ...job }: PlaceOptions) =>
        Effect.acquireRelease(
          Effect.suspend(() => {
            const own = activeOf(job.sessionID, job.kind)
            const all = [...places.values()].filter(({ kind }) => kind === job.kind)
            const full = (scope: "session" | "server", limit: number, active: ReadonlyArray<Job>) =>
              Effect.fail(
                new NoPlace({
                  scope,
                  limit,
                  active: active.map(({ id, description }) => ({ id, description }))
                })
              )
            if (own.length >= max) return full("session", max, own)
            if (maxTotal !== undefined && all.length >= maxTotal) return full("server", maxTotal, [])
            places.set(job.id, job)
            return Effect.succeed(leave(job))
          }),
          (leave) => leave
        )

      const leave = (job: Job) =>
        Effect.suspend(() => {
          if (!places.delete(job.id)) return Effect.void
          if (activeOf(job.sessionID).length > 0) return Effect.void
          const waiters = waiting.get(job.sessionID) ?? []
          waiting.delete(job.sessionID)
          return Effect.forEach(waiters, (waiter) => Deferred.succeed(waiter, undefined), { discard: true })
        })

      const become = (id: string, kind: JobKind) =>
        Effect.sync(() => {
          const job = places.get(id)
          if (job) places.set(id, { ...job, kind })
        })

      const start = <Prepared, A, E>({ id, prepare, commit, run }: JobDefinition<Prepared, A, E>) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const scope = yield* Scope.make()
            const exit = yield* restore(Scope.provide(prepare, scope)).pipe(
              Effect.flatMap((prepared) =>
                Effect.map(commit(prepared, restore(Effect.void)), (committed) => ({ prepared, committed }))
              ),
              Effect.exit
            )
            if (Exit.isFailure(exit)) {
              yield* Scope.close(scope, exit)
              return yield* Effect.failCause(exit.cause)
            }
            const { prepared, committed } = exit.value
            const running = Scope.provide(run(prepared, committed), scope).pipe(
              Effect.onExit((exit) => Scope.close(scope, exit))
            )
            yield* FiberMap.run(fibers, id, running)
            return committed
          })
        )

      const awaitJob = (id: string) =>
        Effect.flatMap(FiberMap.get(fibers, id), (found) =>
          Option.isSome(found) ? Effect.asVoid(Fiber.await(found.value)) : Effect.void
        )

      const awaitQuiet = Effect.fn("Jobs.awaitQuiet")(function* (sessionID: SessionId) {
        while (activeOf(sessionID).length > 0) {
          const waiter = yield* Deferred.make<void>()
          waiting.set(sessionID, [...(waiting.get(sessionID) ?? []), waiter])
          yield* Deferred.await(waiter)
        }
      })

      return Jobs.of({
        reserve,
        start,
        become,
        active: (sessionID, kind) => Effect.sync(() => activeOf(sessionID, kind)),
        await: awaitJob,
        awaitQuiet
      })
    })
  )
}
