/** What a plugin throws where nobody waits for it: in a timer of its own, in a promise that it forgot. */
import { Effect, type Scope } from "effect"
import { dirname, sep } from "node:path"
import { messageOf } from "../hook/foreign.ts"

/** Who is told, by the file of a plugin. */
export type Suspects = ReadonlyMap<string, (message: string) => void>

/** Until the scope closes a stray that comes from a plugin's files is told of. Any other ends the server, as ever. */
export const tellStrays = (suspects: Suspects): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listeners = (["uncaughtException", "unhandledRejection"] as const).map((event) => {
        const hear = (thrown: unknown) => {
          const told = culprit(suspects, thrown)
          if (told) return told(`It threw where nobody waits for it: ${messageOf(thrown)}`)
          if (process.listenerCount(event) === 1) throw thrown
        }
        process.on(event, hear)
        return () => void process.off(event, hear)
      })
      return listeners
    }),
    (listeners) => Effect.sync(() => listeners.forEach((off) => off()))
  ).pipe(Effect.asVoid)

/** By the file itself first: several plugins may lie in one folder. */
const culprit = (suspects: Suspects, thrown: unknown) => {
  const stack = thrown instanceof Error ? String(thrown.stack) : ""
  const files = [...suspects.keys()]
  const file =
    files.find((file) => stack.includes(file)) ?? files.find((file) => stack.includes(dirname(file) + sep))
  return file === undefined ? undefined : suspects.get(file)
}
