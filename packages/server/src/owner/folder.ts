/** The state directory is its user's alone: what agents read and said is in it. */
import { Effect } from "effect"
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs"

/** SQLite's companions, logs that were put aside, and drafts have one of these names and an ending. */
const own =
  /^(?:vigil\.db|vigil\.log|vigil-auth\.json|owner\.db|auth\.lock|server\.json|server\.log|token|sessions|servers)(?:$|[.-])/u

/**
 * Makes it. One that others may look into is closed to them, unless it holds what is not Vigil's: then that is told,
 * since somebody else may need it.
 */
export const makePrivate = (stateDir: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    const { mode, uid } = statSync(stateDir)
    if ((mode & 0o077) === 0) return Effect.void
    if (uid === process.getuid?.() && readdirSync(stateDir).every((name) => own.test(name))) {
      chmodSync(stateDir, 0o700)
      return Effect.void
    }
    return Effect.logWarning(`Other users may look into the state directory ${stateDir}`)
  })
