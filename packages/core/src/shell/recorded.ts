/** A process whose output is kept in a log that people and models read. */
import type { LogState } from "@vigil/schema/output"
import { Effect, type Scope } from "effect"
import { join } from "node:path"
import { type Process, Shell, type SpawnFailed } from "../shell.ts"
import { interleave } from "./interleave.ts"
import { openLog } from "./log.ts"

export interface RecordedOptions {
  readonly command: string
  readonly cwd: string
  readonly env: Record<string, string>
  /** Where its log goes, as the folder `log`. */
  readonly folder: string
  /** Newest output that is kept. */
  readonly maxLogBytes: number
  readonly leaveDaemons?: boolean
  /** Besides the log. The bytes are the receiver's own. */
  readonly onStdout?: (bytes: Uint8Array) => void
  readonly onStderr?: (bytes: Uint8Array) => void
}

export interface Recorded {
  readonly process: Process
  /** How much of the log there is now. */
  readonly log: Effect.Effect<LogState>
}

export const logFolder = (folder: string) => join(folder, "log")

/** Spawned behind its gate; the log is closed, and the process stopped, with the scope. */
export const spawnRecorded = Effect.fn("spawnRecorded")(function* (
  options: RecordedOptions
): Effect.fn.Return<Recorded, SpawnFailed, Shell | Scope.Scope> {
  const { command, cwd, env, folder, maxLogBytes, leaveDaemons = false, onStdout, onStderr } = options
  const shell = yield* Shell
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => openLog({ directory: logFolder(folder), maxBytes: maxLogBytes })),
    (log) => Effect.sync(() => log.close())
  )
  const both = interleave((bytes) => log.append(bytes))
  const process = yield* shell.spawn({
    command,
    cwd,
    env,
    leaveDaemons,
    onStdout: (bytes) => {
      both.stdout(bytes)
      onStdout?.(bytes)
    },
    onStderr: (bytes) => {
      both.stderr(bytes)
      onStderr?.(bytes)
    }
  })
  return {
    process: { ...process, ended: Effect.tap(process.ended, () => Effect.sync(() => both.end())) },
    log: Effect.sync(() => log.state)
  }
})
