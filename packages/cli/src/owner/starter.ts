/**
 * How a detached owner and its starter speak to each other: one line through a pipe, once it is ready or has failed.
 * After that neither knows of the other.
 */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { closeSync, fstatSync, writeSync } from "node:fs"
import type { Readable } from "node:stream"
import { Failed } from "../failed.ts"
import { exitCodes } from "../signals.ts"
import { openServerLog, serverLogPath } from "./log.ts"

const Told = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ready") }),
  /** Another process was first. */
  Schema.Struct({ type: Schema.Literal("owned") }),
  Schema.Struct({ type: Schema.Literal("failed"), message: Schema.String })
])
export type Told = typeof Told.Type

/** Behind stdin, stdout and stderr. */
const pipe = 3
const maxLineLength = 16_384

/** In the owner. Its starter may have gone, or there was none. */
export const tellStarter = (told: Told): Effect.Effect<void> =>
  Effect.sync(() => {
    try {
      if (!fstatSync(pipe).isFIFO() && !fstatSync(pipe).isSocket()) return
      writeSync(pipe, `${JSON.stringify(told)}\n`)
      closeSync(pipe)
    } catch {
      // Nobody listens.
    }
  })

/** A command and what stands in front of Vigil's own arguments. */
export type Program = readonly [command: string, ...args: ReadonlyArray<string>]

/** This very Vigil. In a compiled executable there is no script to name. */
export const thisProgram = (): Program =>
  Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/")
    ? [process.execPath]
    : [process.execPath, Bun.main]

/**
 * Starts a detached owner, in a session of its own, and waits until it has said what became of it. It lives on, also
 * where its starter is interrupted.
 */
export const startDetached = (stateDir: string, program: Program): Effect.Effect<Told, Failed> =>
  Effect.callback<Told, Failed>((resume) => {
    let log: number | undefined
    try {
      log = openServerLog(stateDir)
      const [command, ...args] = program
      const child = spawn(command, [...args, "serve", "--detached", "--state-dir", stateDir], {
        detached: true,
        // The folder that the user stands in may be removed.
        cwd: stateDir,
        stdio: ["ignore", log, log, "pipe"]
      })
      child.unref()
      const words = child.stdio[pipe] as Readable
      let text = ""
      const end = (told: Effect.Effect<Told, Failed>) => {
        words.removeAllListeners()
        words.on("error", () => {})
        words.destroy()
        resume(told)
      }
      words.setEncoding("utf8")
      words.on("data", (part: string) => {
        text += part
        const [line, rest] = text.split("\n", 2)
        if (rest !== undefined || text.length > maxLineLength) end(heard(line!, stateDir))
      })
      words.on("end", () => end(Effect.fail(silent(stateDir))))
      words.on("error", () => end(Effect.fail(silent(stateDir))))
      child.on("error", (error) => end(Effect.fail(unstarted(error))))
    } catch (error) {
      resume(Effect.fail(unstarted(error)))
    } finally {
      if (log !== undefined) closeSync(log)
    }
  })

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Told))

const heard = (line: string, stateDir: string) => Effect.mapError(decode(line), () => silent(stateDir))

const silent = (stateDir: string) =>
  failed(`The vigil server ended before it was ready. ${serverLogPath(stateDir)} may say why.`)

const unstarted = (error: unknown) =>
  failed(`The vigil server can't be started: ${error instanceof Error ? error.message : String(error)}`)

const failed = (message: string) => new Failed({ code: exitCodes.failed, message })
