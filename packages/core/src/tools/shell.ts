/** The tool that runs a command. */
import { Command } from "@vigil/schema/monitor"
import { Effect, Schema } from "effect"
import { BackgroundShells } from "../background.ts"
import { Settings } from "../config.ts"
import { Shell } from "../shell.ts"
import { defineTool, ToolFailed } from "../tool.ts"
import { excerpt, toolFailure } from "./output.ts"

const description = (
  shell: string
) => `Runs a command with \`${shell} -c\` in the session's directory and returns its output.
- Lines that begin with [stderr] came from standard error. Standard input is empty. Every call starts anew: no variable or directory is kept, and what it started with & ends with it.
- It is waited for as long as timeoutMs allows (120000 where it is left out, 600000 at most). Then it goes on in the background, and you are told its id.
- With background: true you get an id (sh_…) at once and exactly one event when it ends. Use that for long builds, tests and servers; end your turn meanwhile.
- To be told of each line rather than of the end, start a monitor instead. Never wait with sleep.
{ "command": "git status --short" }
{ "command": "npm run build", "background": true }`

export const shell = Effect.gen(function* () {
  const shells = yield* BackgroundShells
  const settings = yield* Settings
  const { name } = yield* Shell
  return defineTool({
    name: "shell",
    description: description(name),
    input: Schema.Struct({
      command: Command,
      timeoutMs: Schema.optionalKey(
        Schema.Int.annotate({ description: "How long to wait for it, in milliseconds" })
      ),
      background: Schema.optionalKey(
        Schema.Boolean.annotate({ description: "Do not wait; tell its end as an event" })
      )
    }),
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
