/** The tools that watch: monitor, and with it monitor_stop and monitor_output. */
import { Delivery } from "@vigil/schema/input"
import { Command, Description, type Monitor } from "@vigil/schema/monitor"
import type { SessionId } from "@vigil/schema/session"
import type { Shell as ShellRecord } from "@vigil/schema/shell"
import { Effect, Schema } from "effect"
import { BackgroundShells } from "../background.ts"
import { Monitors } from "../monitor.ts"
import { payloadText } from "../monitor/notice.ts"
import { fill } from "../prompt/fill.ts"
import { Shell } from "../shell.ts"
import { defineTool } from "../tool.ts"
import outputDescription from "./monitor-output.txt" with { type: "text" }
import stopDescription from "./monitor-stop.txt" with { type: "text" }
import description from "./monitor.txt" with { type: "text" }
import { maxModelBytes, pageText, toolFailure } from "./output.ts"

export const monitor = Effect.gen(function* () {
  const monitors = yield* Monitors
  const { name } = yield* Shell
  return defineTool({
    name: "monitor",
    description: fill(description, { shell: name }),
    input: Schema.Struct({
      command: Command,
      description: Description.annotate({
        description: "What is watched, in a few words; it stands in every event"
      }),
      timeoutMs: Schema.optionalKey(
        Schema.Int.annotate({
          description: "Deadline in milliseconds, 1000 to 1800000; 300000 where it is left out"
        })
      ),
      delivery: Schema.optionalKey(
        Delivery.annotate({
          description: "steer (default): read at the next step. queue: read when the turn ends"
        })
      )
    }),
    command: ({ command }) => command,
    execute: Effect.fn("tools.monitor")(function* (input, { session, callID }) {
      const started = yield* monitors.start(session.id, { ...input, startedBy: "agent", callID }).pipe(
        Effect.catchTags({
          SessionNotFound: (error) => Effect.fail(toolFailure(error)),
          MonitorConflict: (error) => Effect.fail(toolFailure(error)),
          TooManyMonitors: (error) => Effect.fail(toolFailure(error)),
          TimeoutOutOfRange: (error) => Effect.fail(toolFailure(error)),
          StartFailed: (error) => Effect.fail(toolFailure(error)),
          PermissionDenied: (error) => Effect.fail(toolFailure(error))
        })
      )
      return {
        output: `Monitor started: ${started.id}. Each line it prints will wake you, and so will its end; you may end your turn now. monitor_output reads its log, monitor_stop ends it.`,
        structure: started
      }
    })
  })
})

const id = Schema.String.annotate({ description: "mon_… or sh_…" })

export const monitorStop = Effect.gen(function* () {
  const monitors = yield* Monitors
  const shells = yield* BackgroundShells
  return defineTool({
    name: "monitor_stop",
    description: fill(stopDescription),
    input: Schema.Struct({ id }),
    execute: Effect.fn("tools.monitor_stop")(function* ({ id }, { session }) {
      if (id.startsWith("sh_")) {
        const { shell, unread } = yield* shells.stop(session.id, id, "agent")
        return {
          output: stopText(
            id,
            shellState(shell),
            unread.map(({ payload }) => payload)
          ),
          structure: { shell: shell ?? null }
        }
      }
      const { monitor, unread } = yield* monitors.stop(session.id, id, "agent")
      return {
        output: stopText(
          id,
          monitorState(monitor),
          unread.map(({ payload }) => payload)
        ),
        structure: { monitor: monitor ?? null }
      }
    }, Effect.mapError(toolFailure))
  })
})

type Unread = ReadonlyArray<Parameters<typeof payloadText>[0] | { readonly type: "prompt" }>

const stopText = (id: string, state: string, unread: Unread): string => {
  const text = unread
    .flatMap((payload) => (payload.type === "prompt" ? [] : [payloadText(payload)]))
    .join("\n")
  const kept = Buffer.from(text)
    .subarray(-maxModelBytes)
    .toString("utf8")
    .replace(/^\ufffd+/u, "")
  if (kept === "") return `${id}: ${state}. Nothing was unread.`
  const cut = kept.length < text.length ? " (the oldest are cut; monitor_output has all)" : ""
  return `${id}: ${state}. Not read before${cut}:\n${kept}`
}

const monitorState = (monitor: Monitor | undefined): string => {
  if (monitor === undefined) return "ended before"
  const { linesRead, linesDelivered, linesSuppressed } = monitor.ledger
  const how = monitor.reason === "cancelled" ? "stopped" : `had ended: ${monitor.reason ?? "unknown"}`
  return `${how}; ${linesRead} lines read, ${linesDelivered} delivered, ${linesSuppressed} suppressed`
}

const shellState = (shell: ShellRecord | undefined): string =>
  shell === undefined
    ? "ended before"
    : shell.reason === "cancelled"
      ? "stopped"
      : `had ended: ${shell.reason ?? "unknown"}`

export const monitorOutput = Effect.gen(function* () {
  const monitors = yield* Monitors
  const shells = yield* BackgroundShells
  return defineTool({
    name: "monitor_output",
    description: fill(outputDescription),
    input: Schema.Struct({
      id,
      cursor: Schema.optionalKey(
        Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
          description: "Where to begin, in bytes"
        })
      )
    }),
    execute: Effect.fn("tools.monitor_output")(function* ({ id, cursor }, { session }) {
      const page = yield* read(session.id, id, cursor).pipe(Effect.mapError(toolFailure))
      const { output: _, ...structure } = page
      return { output: pageText(page), structure }
    })
  })

  function read(sessionID: SessionId, id: string, cursor: number | undefined) {
    const page = { limit: maxModelBytes, ...(cursor !== undefined && { cursor }) }
    return id.startsWith("sh_") ? shells.output(sessionID, id, page) : monitors.output(sessionID, id, page)
  }
})
