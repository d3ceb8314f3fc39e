/** What is written of shells: the record, its feed events and its notice, each fact in one transaction. */
import { InputId } from "@vigil/schema/input"
import type { EndReason } from "@vigil/schema/monitor"
import type { SessionId } from "@vigil/schema/session"
import { Shell as ShellRecord, ShellId, ShellNotFound } from "@vigil/schema/shell"
import { Clock, Effect, Option, Schema } from "effect"
import { Bus } from "../bus.ts"
import { Settings } from "../config.ts"
import { Coordinator } from "../coordinator.ts"
import { Database } from "../database.ts"
import { Inbox } from "../inbox.ts"
import { shellNoticeText } from "../monitor/notice.ts"
import { recordsOf } from "../record.ts"
import { retention } from "../retention.ts"
import type { ProcessEnd } from "../shell.ts"
import { readPage } from "../shell/page.ts"
import { logFolder } from "../shell/recorded.ts"
import { StateDirectory } from "../state.ts"

/** `shell/<sessionID>/<shellID>` */
export const shellRecords = recordsOf({
  kind: "shell",
  schema: Schema.Struct({ shell: ShellRecord, order: Schema.Int }),
  place: ({ shell, order }) => ({ sessionID: shell.sessionID, id: shell.id, order })
})

/** How much of the log a notice is made of. */
const noticeBytes = 4_096

export interface Ending {
  readonly ended: ProcessEnd | undefined
  readonly reason: EndReason
  readonly by: "agent" | "user" | undefined
}

export const shellLedger = Effect.gen(function* () {
  const { transaction, afterCommit } = yield* Database
  const bus = yield* Bus
  const inbox = yield* Inbox
  const coordinator = yield* Coordinator
  const state = yield* StateDirectory
  const retain = yield* retention
  const stored = yield* shellRecords
  const atStart = yield* (yield* Settings).user

  /** Writes the end into the open transaction, and tells of it if nobody waits for it. */
  const finish = Effect.fnUntraced(function* (before: ShellRecord, order: number, ending: Ending) {
    const { ended, reason, by } = ending
    const shell: ShellRecord = {
      ...before,
      status: "ended",
      reason,
      endedAt: yield* Clock.currentTimeMillis,
      ...(ended?.exitCode !== undefined && { exitCode: ended.exitCode }),
      ...(ended?.signal !== undefined && { signal: ended.signal })
    }
    yield* stored.save({ shell, order })
    yield* bus.publish({ type: "shell.ended", sessionID: shell.sessionID, data: { shell } })
    if (!shell.background || by === "agent") return shell
    const page = readPage(logFolder(state.folder(shell.sessionID, shell.id)), { limit: noticeBytes })
    const text = shellNoticeText({
      id: shell.id,
      reason,
      output: page.output,
      truncated: page.size > noticeBytes,
      ...(shell.exitCode !== undefined && { exitCode: shell.exitCode }),
      ...(shell.signal !== undefined && { signal: shell.signal }),
      ...(by !== undefined && { by })
    })
    const wakes = reason === "exited"
    yield* inbox
      .admit({
        id: InputId.make(`${shell.id}:end`),
        sessionID: shell.sessionID,
        delivery: "steer",
        origin: "shell",
        payload: { type: "notice", source: { id: shell.id, description: shell.command }, text },
        wakes
      })
      .pipe(
        Effect.catchTag("SessionNotFound", () => Effect.void),
        Effect.orDie
      )
    if (wakes) yield* afterCommit(coordinator.wake(shell.sessionID))
    return shell
  })

  const change = ({ sessionID, id }: ShellRecord, by: (shell: ShellRecord) => ShellRecord) =>
    Effect.gen(function* () {
      const found = yield* stored.get(sessionID, id)
      if (Option.isNone(found)) return yield* new ShellNotFound({ shellID: id })
      const shell = by(found.value.shell)
      if (shell === found.value.shell) return shell
      yield* stored.save({ ...found.value, shell })
      yield* bus.publish({ type: "shell.updated", sessionID, data: { shell } })
      return shell
    }).pipe(
      transaction,
      Effect.catchTag("ShellNotFound", () => Effect.void)
    )

  // What left processes running stays listed until they are stopped.
  const prune = Effect.fnUntraced(function* (sessionID: SessionId, keep: number) {
    const ended = (yield* stored.list(sessionID)).flatMap(({ shell: { id, endedAt, survivors }, order }) =>
      endedAt === undefined || survivors ? [] : [{ id, endedAt, order }]
    )
    const forget = (id: string) =>
      Effect.andThen(
        stored.remove(sessionID, id),
        bus.publish({ type: "shell.removed", sessionID, data: { shellID: ShellId.make(id) } })
      )
    yield* retain({ sessionID, ended, keep, forget: (id) => Effect.asVoid(forget(id)) })
  })

  /** Ends the record of a shell whose server is gone. */
  const recover = Effect.fn("ShellLedger.recover")(
    function* (shell: ShellRecord) {
      const found = yield* stored.get(shell.sessionID, shell.id)
      if (Option.isNone(found)) return
      const { start, size } = readPage(logFolder(state.folder(shell.sessionID, shell.id)), { limit: 4 })
      yield* finish({ ...shell, log: { ...shell.log, start, size } }, found.value.order, {
        ended: undefined,
        reason: "server_restarted",
        by: undefined
      })
      yield* prune(shell.sessionID, atStart.shell.keepEnded)
    },
    (effect) => transaction(effect)
  )

  return { finish, change, prune, recover }
})
