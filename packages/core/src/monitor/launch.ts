/** Spawns a monitor's command behind its gate, with everything that listens to it. */
import type { MonitorLimits } from "@vigil/schema/config"
import { type MonitorId, StartFailed } from "@vigil/schema/monitor"
import type { Session } from "@vigil/schema/session"
import { Effect, Queue } from "effect"
import { openLog } from "../shell/log.ts"
import { spawnRecorded } from "../shell/recorded.ts"
import { lineReader } from "./lines.ts"
import type { Mail } from "./watch.ts"

export interface LaunchOptions {
  readonly id: MonitorId
  readonly session: Session
  readonly command: string
  readonly limits: MonitorLimits
  readonly env: Record<string, string>
  /** Where its log and its unsettled stdout go. */
  readonly folder: string
}

const maxStderrBytes = 4_096

/** Everything of it ends with the scope. */
export const launch = Effect.fn("launch")(function* ({
  command,
  session,
  limits,
  env,
  folder
}: LaunchOptions) {
  const mail = yield* Queue.unbounded<Mail>()
  const stderr = tail(maxStderrBytes)
  const spool = yield* Effect.acquireRelease(
    Effect.sync(() => openLog({ directory: spoolFolder(folder), maxBytes: 2 * limits.maxStdoutBytes })),
    (spool) => Effect.sync(() => spool.close())
  )
  const services = yield* Effect.context()
  // Past this its end is decided, whatever waits to be stored: it must not fill the memory until then.
  const floodBytes = 2 * limits.maxStdoutBytes + 1_048_576
  let printed = 0
  let flood = (): void => {}
  const { process, log } = yield* spawnRecorded({
    command,
    folder,
    env,
    cwd: session.directory,
    maxLogBytes: limits.maxLogBytes,
    // On disk before it is counted: what a crash leaves uncounted is found there.
    onStdout: (bytes) => {
      spool.append(bytes)
      Queue.offerUnsafe(mail, { type: "bytes", bytes })
      printed += bytes.length
      if (printed > floodBytes) flood()
    },
    onStderr: stderr.push
  }).pipe(Effect.mapError(({ message }) => new StartFailed({ message })))
  flood = () => {
    flood = () => {}
    Effect.runForkWith(services)(process.stop(0))
  }
  const reader = lineReader({ maxLineBytes: maxLineBytes(limits) })
  return { mail, spool, process, log, reader, stderr: stderr.text }
})

export const spoolFolder = (folder: string) => `${folder}/stdout`

/** A line has 16 KiB at most, and one event always has room for it. */
export const maxLineBytes = ({ maxBatchBytes }: Pick<MonitorLimits, "maxBatchBytes">) =>
  Math.min(16_384, maxBatchBytes)

/** The last bytes of a stream, as text. */
const tail = (maxBytes: number) => {
  let kept = Buffer.alloc(0)
  return {
    push: (bytes: Uint8Array) => {
      const all = bytes.length >= maxBytes ? Buffer.from(bytes) : Buffer.concat([kept, bytes])
      kept = Buffer.from(all.subarray(Math.max(0, all.length - maxBytes)))
    },
    text: () => kept.toString("utf8")
  }
}
