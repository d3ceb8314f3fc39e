/**
 * Shell commands: run in the foreground of a turn, or in the background with one notice at their end.
 *
 * All start alike. A tool call waits for one in the foreground; when that takes too long, or the user says so,
 * it moves to the background, and from then on its end is told to the session. Which it is stands in the record
 * and is read in the transaction that writes the end, so that an end is told exactly once, one way or the other.
 */
import { newId } from "@vigil/schema/id"
import type { Input } from "@vigil/schema/input"
import { StartFailed } from "@vigil/schema/monitor"
import type { LogState, OutputPage } from "@vigil/schema/output"
import type { PermissionDenied } from "@vigil/schema/permission"
import type { SessionId, SessionNotFound } from "@vigil/schema/session"
import { Shell as ShellRecord, ShellId, ShellNotFound, TooManyShells } from "@vigil/schema/shell"
import type { EndReason } from "@vigil/schema/monitor"
import { Clock, Context, Deferred, Effect, Layer, Option } from "effect"
import { shellLedger, shellRecords } from "./background/ledger.ts"
import { Bus } from "./bus.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { persistently } from "./database/persistent.ts"
import { Environments } from "./environment.ts"
import { Inbox } from "./inbox.ts"
import { Jobs } from "./job.ts"
import { Permissions, type TurnRejected } from "./permission.ts"
import { Sessions } from "./session.ts"
import { type Process, type ProcessEnd, Shell } from "./shell.ts"
import { approveCommand } from "./shell/approval.ts"
import { type PageOptions, readPage } from "./shell/page.ts"
import { logFolder, spawnRecorded } from "./shell/recorded.ts"
import { StateDirectory } from "./state.ts"

export interface ShellStart {
  readonly command: string
  /** Whether its end is told to the session, rather than waited for. */
  readonly background: boolean
  readonly callID?: string
}

/** A shell that was stopped, and what was withdrawn unread. */
export interface StoppedShell {
  readonly shell: ShellRecord | undefined
  readonly unread: ReadonlyArray<Input>
}

/** A shell that needs no more waiting for. */
export interface Waited {
  readonly shell: ShellRecord
  /** It took too long, and was moved to the background for that. */
  readonly timedOut: boolean
}

export type ShellStartError = SessionNotFound | TooManyShells | StartFailed | PermissionDenied | TurnRejected

export class BackgroundShells extends Context.Service<
  BackgroundShells,
  {
    start(sessionID: SessionId, options: ShellStart): Effect.Effect<ShellRecord, ShellStartError>
    /** Until it has ended, or has moved to the background. Interrupted, it stops the command. */
    wait(sessionID: SessionId, shellID: ShellId, timeoutMs: number): Effect.Effect<Waited, ShellNotFound>
    /** Lets the turn go on without it. Nothing happens to one that has ended. */
    moveToBackground(sessionID: SessionId, shellID: string): Effect.Effect<ShellRecord, ShellNotFound>
    /** By an agent: its notice is taken back. By a user: the notice says so, and wakes nobody. */
    stop(
      sessionID: SessionId,
      shellID: string,
      by: "agent" | "user"
    ): Effect.Effect<StoppedShell, ShellNotFound>
    get(sessionID: string, shellID: string): Effect.Effect<ShellRecord, ShellNotFound>
    /** Newest first. */
    list(sessionID: string): Effect.Effect<ReadonlyArray<ShellRecord>>
    /** Of all sessions, newest first. */
    readonly all: Effect.Effect<ReadonlyArray<ShellRecord>>
    /** Of whatever session. */
    find(shellID: string): Effect.Effect<ShellRecord, ShellNotFound>
    /** Those in the background that run, oldest first. */
    active(sessionID: string): Effect.Effect<ReadonlyArray<ShellRecord>>
    output(
      sessionID: string,
      shellID: string,
      page?: Partial<PageOptions>
    ): Effect.Effect<OutputPage, ShellNotFound>
  }
>()("core/BackgroundShells") {
  static readonly layer = Layer.effect(
    BackgroundShells,
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const bus = yield* Bus
      const settings = yield* Settings
      const jobs = yield* Jobs
      const permissions = yield* Permissions
      const sessions = yield* Sessions
      const inbox = yield* Inbox
      const environments = yield* Environments
      const processes = yield* Shell
      const state = yield* StateDirectory
      const stored = yield* shellRecords
      const { finish, change, prune } = yield* shellLedger
      const running = new Map<string, Running>()

      const start = Effect.fn("BackgroundShells.start")(function* (
        sessionID: SessionId,
        options: ShellStart
      ) {
        const session = yield* sessions.get(sessionID)
        const config = yield* settings
          .for(session.directory)
          .pipe(Effect.mapError(({ message }) => new StartFailed({ message })))
        const { command, background, callID } = options
        const id = ShellId.make(newId("sh"))
        const folder = state.folder(sessionID, id)
        let committed = false

        const prepare = Effect.gen(function* () {
          const release = yield* jobs
            .reserve({
              id,
              sessionID,
              description: command,
              ...(background
                ? { kind: "shell", max: config.shell.maxActive }
                : { kind: "command", max: maxCommands })
            })
            .pipe(Effect.mapError(({ limit, active }) => tooMany(limit, active)))
          yield* approveCommand({
            session,
            tool: "shell",
            command,
            ...(callID !== undefined && { callID })
          }).pipe(Effect.provideService(Permissions, permissions))
          // What never began leaves nothing.
          yield* Effect.addFinalizer(() => (committed ? Effect.void : state.remove(sessionID, id)))
          const recorded = yield* spawnRecorded({
            command,
            folder,
            cwd: session.directory,
            env: yield* environments.of(session, config),
            maxLogBytes: config.shell.maxLogBytes,
            leaveDaemons: !background
          }).pipe(
            Effect.provideService(Shell, processes),
            Effect.mapError(({ message }) => new StartFailed({ message }))
          )
          return { release, ...recorded }
        })

        return yield* jobs
          .start<Effect.Success<typeof prepare>, Running, ShellStartError>({
            id,
            prepare,
            commit: ({ process, log }, wanted) =>
              Effect.gen(function* () {
                yield* sessions.get(sessionID)
                const shell: ShellRecord = {
                  id,
                  sessionID,
                  command,
                  background,
                  pid: process.pid,
                  status: "running",
                  startedAt: yield* Clock.currentTimeMillis,
                  log: yield* log
                }
                const order = yield* bus.publish({ type: "shell.started", sessionID, data: { shell } })
                yield* stored.save({ shell, order })
                yield* wanted
                return {
                  shell,
                  process,
                  log,
                  keepEnded: config.shell.keepEnded,
                  stoppedBy: undefined,
                  ended: undefined,
                  stopAsked: yield* Deferred.make<void>(),
                  left: yield* Deferred.make<void>()
                }
              }).pipe(
                transaction,
                Effect.tap((own) =>
                  Effect.sync(() => {
                    committed = true
                    running.set(id, own)
                  })
                )
              ),
            run: ({ release, process }, own) =>
              Effect.gen(function* () {
                yield* process.open
                const ended = yield* process.ended.pipe(
                  Effect.onInterrupt(() =>
                    Effect.flatMap(process.stop(), (ended) => end(own, ended, "server_restarted"))
                  )
                )
                yield* end(own, ended, own.stoppedBy ? "cancelled" : "exited")
                yield* release
                const { survivors } = yield* process.swept
                if (survivors.length > 0) yield* linger(own, survivors)
              }).pipe(Effect.ensuring(Effect.sync(() => running.delete(id))))
          })
          .pipe(
            Effect.map(({ shell }) => shell),
            // Begun, and nobody is left to wait for it.
            Effect.onInterrupt(() => (background ? Effect.void : Effect.ignore(stop(sessionID, id, "agent"))))
          )
      })

      /** Writes the end once, and tells of it if nobody waits for it. */
      const end = (own: Running, ended: ProcessEnd, reason: EndReason) =>
        Effect.gen(function* () {
          const found = yield* stored.get(own.shell.sessionID, own.shell.id)
          if (Option.isNone(found)) return
          const { shell } = found.value
          const log = yield* own.log
          own.ended = yield* finish({ ...shell, log }, found.value.order, {
            ended,
            reason,
            by: own.stoppedBy
          })
          yield* prune(shell.sessionID, own.keepEnded)
        }).pipe(
          transaction,
          (write) =>
            persistently(write, {
              what: `The end of ${own.shell.id}`,
              ...(reason === "server_restarted" && { maxTries: maxTriesAtStop })
            }),
          Effect.ensuring(Deferred.succeed(own.left, undefined))
        )

      /** What a foreground command left running lives until it is stopped, or the server ends. */
      const linger = Effect.fnUntraced(function* (own: Running, survivors: ReadonlyArray<number>) {
        yield* change(own.shell, (shell) => ({ ...shell, survivors }))
        yield* Deferred.await(own.stopAsked)
        yield* own.process.stop()
        yield* change(own.shell, (before) => {
          const { survivors: _, ...shell } = before
          return shell
        })
      })

      const wait = Effect.fn("BackgroundShells.wait")(function* (
        sessionID: SessionId,
        shellID: ShellId,
        timeoutMs: number
      ) {
        const own = running.get(shellID)
        if (own === undefined) return { shell: yield* get(sessionID, shellID), timedOut: false }
        const waited = yield* Deferred.await(own.left).pipe(
          Effect.timeoutOption(timeoutMs),
          Effect.onInterrupt(() => stop(sessionID, shellID, "agent").pipe(Effect.ignore))
        )
        return Option.isSome(waited)
          ? { shell: yield* get(sessionID, shellID), timedOut: false }
          : { shell: yield* moveToBackground(sessionID, shellID), timedOut: true }
      })

      const moveToBackground = Effect.fn("BackgroundShells.moveToBackground")(function* (
        sessionID: SessionId,
        shellID: string
      ) {
        const shell = yield* get(sessionID, shellID)
        const moved = yield* change(shell, (now) =>
          now.status === "ended" || now.background ? now : { ...now, background: true }
        )
        yield* jobs.become(shellID, "shell")
        const own = running.get(shellID)
        if (own) yield* Deferred.succeed(own.left, undefined)
        return moved ?? shell
      })

      const stop = Effect.fn("BackgroundShells.stop")(function* (
        sessionID: SessionId,
        shellID: string,
        by: "agent" | "user"
      ) {
        const own = running.get(shellID)
        if (own?.shell.sessionID === sessionID) {
          own.stoppedBy ??= by
          yield* Deferred.succeed(own.stopAsked, undefined)
          yield* own.process.stop()
          yield* Deferred.await(own.left)
          yield* jobs.await(shellID)
        }
        const found = yield* stored.get(sessionID, shellID)
        const unread = by === "agent" ? yield* inbox.withdrawSource(sessionID, shellID) : []
        const shell = Option.isSome(found) ? found.value.shell : own?.ended
        if (shell === undefined && unread.length === 0) return yield* new ShellNotFound({ shellID })
        return { shell, unread }
      })

      const get = Effect.fn("BackgroundShells.get")(function* (sessionID: string, shellID: string) {
        const found = yield* stored.get(sessionID, shellID)
        if (Option.isNone(found)) return yield* new ShellNotFound({ shellID })
        return yield* current(found.value.shell)
      })

      const current = Effect.fnUntraced(function* (shell: ShellRecord) {
        const own = running.get(shell.id)
        return own ? { ...shell, log: yield* own.log } : shell
      })

      const list = Effect.fn("BackgroundShells.list")(function* (sessionID: string) {
        const found = yield* stored.list(sessionID)
        return yield* Effect.forEach(found, ({ shell }) => current(shell))
      })

      const readable = Effect.map(stored.all, (found) =>
        found.flatMap(({ record }) => Option.toArray(record)).toSorted((a, b) => b.order - a.order)
      )
      const all = Effect.flatMap(readable, (found) => Effect.forEach(found, ({ shell }) => current(shell)))

      const find = Effect.fn("BackgroundShells.find")(function* (shellID: string) {
        const found = (yield* readable).find(({ shell }) => shell.id === shellID)
        if (found) return yield* current(found.shell)
        return yield* new ShellNotFound({ shellID, message: "There is no such shell" })
      })

      const active = Effect.fn("BackgroundShells.active")(function* (sessionID: string) {
        const all = yield* list(sessionID)
        return all.filter(({ status, background }) => status === "running" && background).toReversed()
      })

      const output = Effect.fn("BackgroundShells.output")(function* (
        sessionID: string,
        shellID: string,
        { cursor, limit = 65_536 }: Partial<PageOptions> = {}
      ) {
        const shell = yield* get(sessionID, shellID)
        const folder = logFolder(state.folder(sessionID, shellID))
        const page = readPage(folder, { limit, ...(cursor !== undefined && { cursor }) })
        return { ...page, ended: shell.status === "ended" }
      })

      yield* sessions.onRemove({
        within: Effect.fnUntraced(function* (sessionID) {
          const endedAt = yield* Clock.currentTimeMillis
          for (const { shell: before } of yield* stored.list(sessionID)) {
            if (before.status === "ended") continue
            const shell: ShellRecord = { ...before, status: "ended", reason: "session_deleted", endedAt }
            yield* bus.publish({ type: "shell.ended", sessionID, data: { shell } })
          }
          yield* stored.removeAll(sessionID)
        }),
        after: (sessionID) =>
          Effect.forEach(
            [...running.values()].filter(({ shell }) => shell.sessionID === sessionID),
            ({ shell }) => Effect.ignore(stop(sessionID, shell.id, "agent")),
            { concurrency: "unbounded", discard: true }
          )
      })

      return BackgroundShells.of({
        start,
        wait,
        moveToBackground,
        stop,
        get,
        list,
        all,
        find,
        active,
        output
      })
    })
  )
}

const maxTriesAtStop = 4

/** In the foreground of one session; the runner makes no more than 16 calls at once. */
const maxCommands = 32

interface Running {
  readonly shell: ShellRecord
  readonly process: Process
  readonly log: Effect.Effect<LogState>
  readonly keepEnded: number
  stoppedBy: "agent" | "user" | undefined
  /** As its end was written, also where the record is not kept. */
  ended: ShellRecord | undefined
  readonly stopAsked: Deferred.Deferred<void>
  /** It has ended, or has moved to the background: nobody has to wait for it. */
  readonly left: Deferred.Deferred<void>
}

const tooMany = (
  limit: number,
  active: ReadonlyArray<{ readonly id: string; readonly description: string }>
) =>
  new TooManyShells({
    limit,
    active: active.map(({ id }) => id),
    message: `This session has ${limit} active shells, which is the most it may have: ${active
      .map(({ id, description }) => `${id} '${description.slice(0, 60)}'`)
      .join(", ")}. Stop one with monitor_stop, or wait for one to end.`
  })
