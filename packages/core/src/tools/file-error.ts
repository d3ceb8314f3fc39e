/** What the operating system refuses, in words that a model can act on. */
import { Effect } from "effect"
import { ToolFailed } from "../tool.ts"

const sentences: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no ${path}.`,
  ENOTDIR: (path) => `${path} leads through something that is not a directory.`,
  EISDIR: (path) => `${path} is a directory.`,
  EACCES: (path) => `The server may not access ${path} (permission denied by the operating system).`,
  EPERM: (path) => `The operating system does not permit this on ${path}.`,
  ELOOP: (path) => `${path} is a symbolic link that leads in a circle, or changed while it was used.`,
  ENAMETOOLONG: (path) => `The name ${path} is too long for this file system.`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  ENOSPC: (path) => `No space is left on the disk of ${path}.`,
  EDQUOT: (path) => `The disk quota is used up; ${path} was not written.`,
  EMFILE: (path) => `Too many files are open; ${path} could not be opened. Try again.`
}

/** The system's name of an error, such as `ENOENT`. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** A refusal of the system as a sentence about `shown`; what is no refusal is a defect and is thrown on. */
export const refusal = (error: unknown, shown: string): ToolFailed => {
  if (error instanceof ToolFailed) return error
  const code = errorCode(error)
  if (code === undefined || !/^E[A-Z0-9]+$/u.test(code)) throw error
  return new ToolFailed({
    message: sentences[code]?.(shown) ?? `The operating system refused ${shown} (${code}).`
  })
}

/** Runs what touches files. A refusal becomes a `ToolFailed` about `shown`; the signal aborts at interruption. */
export const onFiles = <A>(
  shown: string,
  work: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, ToolFailed> =>
  Effect.flatten(
    Effect.promise(async (signal) => {
      try {
        return Effect.succeed(await work(signal))
      } catch (error) {
        return Effect.fail(refusal(error, shown))
      }
    })
  )
