import { test } from "bun:test"
import { Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"

/** `it.effect` runs under virtual time, `it.live` on the real clock; both build `layer` fresh for each test. */
export const testEffect = <R, E>(layer: Layer.Layer<R, E>) => ({
  effect: <A, E2>(name: string, body: Effect.Effect<A, E2, R | Scope.Scope>, timeoutMs?: number) =>
    test(
      name,
      () =>
        Effect.runPromise(
          Effect.scoped(body).pipe(Effect.provide(Layer.provideMerge(layer, TestClock.layer())))
        ).then(() => {}),
      timeoutMs
    ),
  live: <A, E2>(name: string, body: Effect.Effect<A, E2, R | Scope.Scope>, timeoutMs?: number) =>
    test(
      name,
      () => Effect.runPromise(Effect.scoped(body).pipe(Effect.provide(layer))).then(() => {}),
      timeoutMs
    )
})
