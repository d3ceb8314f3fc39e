/** What Vigil has to say to whoever looks into a fault goes to a file; warnings are told on stderr in one line. */
import { cleanText } from "@vigil/core/monitor/lines"
import { Cause, Effect, Layer, Logger, type LogLevel } from "effect"
import { appendFileSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { Screen } from "./screen.ts"
import { firstLine } from "./view/fault.ts"
import { oneLine } from "./view/table.ts"

/** Past it the file is put aside as `vigil.log.1`, in place of an older one. */
const maxLogBytes = 5 * 1024 * 1024

export const logPath = (stateDir: string) => join(stateDir, "vigil.log")

/** Where a screen must not be written over. */
export const logFileOnly = (stateDir: string) => Logger.layer([toFile(stateDir)])

const toFile = (stateDir: string) => Logger.map(Logger.formatLogFmt, appender(logPath(stateDir)))

export const logFileLayer = (stateDir: string) =>
  Layer.unwrap(
    Effect.map(Screen, (screen) => {
      const toScreen = Logger.make<unknown, void>(({ message, logLevel, cause }) => {
        if (!isForPeople(logLevel)) return
        const [text, fault] = Array.isArray(message) ? message : [message]
        if (typeof text !== "string") return
        const reason = cause.reasons.length > 0 ? Cause.squash(cause) : fault
        const why = reason instanceof Error ? `: ${firstLine(reason)}` : ""
        Effect.runSync(screen.tell(screen.stderr.paint.yellow(`! ${oneLine(cleanText(text + why), 300)}`)))
      })
      return Logger.layer([toFile(stateDir), toScreen])
    })
  )

const isForPeople = (level: LogLevel.LogLevel) => level === "Warn" || level === "Error" || level === "Fatal"

/** Writes lines while that is possible: a full disk is no reason to stop what is logged about. */
const appender = (path: string) => {
  let size: number | undefined
  return (line: string) => {
    try {
      size ??= sizeOf(path)
      if (size > maxLogBytes) {
        renameSync(path, `${path}.1`)
        size = 0
      }
      appendFileSync(path, `${line}\n`, { mode: 0o600 })
      size += Buffer.byteLength(line) + 1
    } catch {
      size = undefined
    }
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
