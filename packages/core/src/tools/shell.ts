/** The tool that runs a command. */
import { Command } from "@vigil/schema/monitor"
import { Effect, Schema } from "effect"
import { BackgroundShells } from "../background.ts"
import { Settings } from "../config.ts"
import { fill } from "../prompt/fill.ts"
import { Shell } from "../shell.ts"
import { defineTool, ToolFailed } from "../tool.ts"
import { excerpt, toolFailure } from "./output.ts"
import description from "./shell.txt" with { type: "text" }

export const shell = Effect.gen(function* () {
  const shells = yield* BackgroundShells
  const settings = yield* Settings
  const { name } = yield* Shell
  return defineTool({
    name: "shell",
    description: fill(description, { shell: name }),
    input: Schema.Struct({
      command: Command,
      timeoutMs: Schema.optionalKey(
        Schema.Int.annotate({ description: "How long to wait for it, in milliseconds" })
      ),
      background: Schema.optionalKey(
        Schema.Boolean.annotate({ description: "Do not wait; tell its end as an event" })
      )
    }),
    command: ({ command }) => command,
    execute: Effect.fn("tools.shell")(function* (
      { command, timeoutMs, background = false },
      { session, callID }
    ) {
      const limits = (yield* Effect.mapError(settings.for(session.directory), toolFailure)).shell
      const waitMs = timeoutMs ?? limits.timeoutMs
      if (waitMs < 1_000 || waitMs > limits.maxTimeoutMs) {
        return yield* new ToolFailed({
          message: `timeoutMs must be a whole number of milliseconds from 1000 to ${limits.maxTimeoutMs}. For longer, use background: true.`
        })
      }
      const started = yield* shells.start(session.id, { command, background, callID }).pipe(
        Effect.catchTags({
          SessionNotFound: (error) => Effect.fail(toolFailure(error)),
          TooManyShells: (error) => Effect.fail(toolFailure(error)),
          StartFailed: (error) => Effect.fail(toolFailure(error)),
          PermissionDenied: (error) => Effect.fail(toolFailure(error))
        })
      )
      if (background) {
        return {
          output: `Started in the background: ${started.id}. Its end will be told to you; you may end your turn.`,
          structure: { shell: started }
        }
      }
      const { shell, timedOut } = yield* shells
        .wait(session.id, started.id, waitMs)
        .pipe(Effect.mapError(toolFailure))
      const text = yield* excerpt((page) => shells.output(session.id, shell.id, page), shell.id).pipe(
        Effect.mapError(toolFailure)
      )
      const structure = { shell }
      if (shell.status === "running") {
        const why = timedOut ? `it took more than ${waitMs / 1000} s and was moved` : "the user moved it"
        return {
          output: `${text}\n[Still running: ${why} to the background as ${shell.id}. Its end will be told to you; monitor_output reads on, monitor_stop ends it.]`,
          structure
        }
      }
      return { output: `${text}\n[${ending(shell)}]`, structure }
    })
  })
})

interface Ended {
  readonly exitCode?: number
  readonly signal?: string
  readonly survivors?: ReadonlyArray<number>
  readonly id: string
}

const ending = ({ exitCode, signal, survivors, id }: Ended): string => {
  const how = signal ? `killed by ${signal}` : `exit code ${exitCode ?? "unknown"}`
  return survivors?.length ? `${how}; it left ${survivors.length} processes running as ${id}` : how
}
