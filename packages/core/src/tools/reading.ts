/**
 * Which state of a file each session knows.
 *
 * A session may overwrite only what it has seen, and an edit of a file that changed meanwhile is stale.
 * It is a memory, not a record: what is forgotten, by its bound or by a restart, is read again.
 */
import type { BigIntStats } from "node:fs"
import { Context, Effect, Layer } from "effect"

/** The state of a file: it changes when the content does. */
export type Stamp = string

/** From a `stat` with `bigint: true`; times in nanoseconds, as finely as the file system keeps them. */
export const stampOf = (stat: BigIntStats): Stamp => `${stat.ino}:${stat.size}:${stat.mtimeNs}`

const maxReadings = 10_000

export class Readings extends Context.Service<
  Readings,
  {
    /** The session has seen, or made, this state of the file at the absolute path. */
    note(sessionID: string, path: string, stamp: Stamp): Effect.Effect<void>
    /** The state that the session saw last. */
    known(sessionID: string, path: string): Effect.Effect<Stamp | undefined>
  }
>()("core/Readings") {
  static readonly layer = Layer.sync(Readings, () => make(maxReadings))
  /** Remembers only so many files. */
  static readonly layerBounded = (max: number) => Layer.sync(Readings, () => make(max))
}

const make = (max: number) => {
  const stamps = new Map<string, Stamp>()
  const key = (sessionID: string, path: string) => `${sessionID}\0${path}`
  return Readings.of({
    note: (sessionID, path, stamp) =>
      Effect.sync(() => {
        // Removed first, so that the map's order is the order of use.
        stamps.delete(key(sessionID, path))
        stamps.set(key(sessionID, path), stamp)
        if (stamps.size > max) stamps.delete(stamps.keys().next().value!)
      }),
    known: (sessionID, path) => Effect.sync(() => stamps.get(key(sessionID, path)))
  })
}
