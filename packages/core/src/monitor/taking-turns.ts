/** One effect at a time for each key; the others wait. */
import { Deferred, Effect } from "effect"

export const takingTurns = () => {
  const busy = new Map<string, Deferred.Deferred<void>>()

  const alone = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const before = busy.get(key)
      if (before) return Effect.andThen(Deferred.await(before), alone(key, effect))
      const done = Deferred.makeUnsafe<void>()
      busy.set(key, done)
      const leave = Effect.suspend(() => {
        busy.delete(key)
        return Deferred.succeed(done, undefined)
      })
      return Effect.ensuring(effect, leave)
    })

  return alone
}
