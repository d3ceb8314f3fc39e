/**
 * Start-up: what an earlier server left unfinished is brought to its end, before anybody is answered.
 *
 * No process is resumed and no saved pid is signalled. Each step can be repeated: a crash in the middle only
 * means that the next start goes on.
 */
import type { MessageWithParts } from "@vigil/schema/message"
import type { SessionId } from "@vigil/schema/session"
import type { Shell as ShellRecord } from "@vigil/schema/shell"
import type { Turn } from "@vigil/schema/turn"
import { Clock, Effect, Layer, Option, Struct } from "effect"
import { shellLedger, shellRecords } from "./background/ledger.ts"
import { Bus } from "./bus.ts"
import { Settings } from "./config.ts"
import { Coordinator } from "./coordinator.ts"
import { Database } from "./database.ts"
import { Inbox } from "./inbox.ts"
import { Kv } from "./kv.ts"
import { maxLineBytes, spoolFolder } from "./monitor/launch.ts"
import { ledgers } from "./monitor/ledger.ts"
import type { Line } from "./monitor/clean.ts"
import { lineReader } from "./monitor/lines.ts"
import * as Policy from "./monitor/policy.ts"
import { type MonitorRecord, monitorRecords } from "./monitor/record.ts"
import { Permissions } from "./permission.ts"
import type { Found } from "./record.ts"
import { owedKey } from "./runner.ts"
import { closeMessages, decodeOwed, owing } from "./runner/cut-short.ts"
import { Sessions } from "./session.ts"
import { Shell } from "./shell.ts"
import { readBytes, readPage } from "./shell/page.ts"
import { logFolder } from "./shell/recorded.ts"
import { StateDirectory } from "./state.ts"
import { Turns } from "./turn.ts"

/** So often one input may wake its session over restarts: it may be what brings the server down. */
const maxOwedWakes = 3

export interface ReconcileOptions {
  /**
   * Whether sessions that are owed a turn are woken. A server that is there for one session only leaves them owed,
   * so that it spends nothing that nobody sees.
   */
  readonly wakeOwed: boolean
}

export const layer = (options: ReconcileOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* (yield* Shell).recover
      yield* (yield* Permissions).withdrawStale
      const whose = yield* survey
      yield* endMonitors(whose)
      yield* endShells(whose)
      yield* endTurns(whose)
      yield* clearInbox
      yield* finishDeletions(whose)
      if (options.wakeOwed) yield* wakeOwed(whose)
    })
  )

/** What may be done with something of a session: nothing where that can't be read. */
type Whose = (sessionID: string) => "here" | "gone" | "unreadable"

const survey = Effect.gen(function* () {
  const sessions = yield* Sessions
  const here = new Set<string>((yield* sessions.list).map(({ id }) => id))
  const unreadable = new Set(yield* sessions.unreadable)
  for (const id of unreadable) {
    yield* Effect.logError(`The session ${id} can't be read. It is left out, and all that is its own stays`)
  }
  const whose: Whose = (id) => (here.has(id) ? "here" : unreadable.has(id) ? "unreadable" : "gone")
  return whose
})

const endMonitors = Effect.fnUntraced(function* (whose: Whose) {
  const stored = yield* monitorRecords
  const { transaction } = yield* Database
  const state = yield* StateDirectory
  const { finish } = yield* ledgers
  const limits = (yield* (yield* Settings).user).monitor

  const end = Effect.fnUntraced(function* (record: MonitorRecord) {
    const { sessionID, id } = record.monitor
    const folder = state.folder(sessionID, id)
    const { lines, end } = savedLines(spoolFolder(folder), record.cursor, maxLineBytes(limits))
    const rest = Policy.leftover(limits, { cursor: record.cursor, end, lines })
    const { start, size } = readPage(logFolder(folder), { limit: 4 })
    const monitor = { ...record.monitor, log: { ...record.monitor.log, start, size } }
    yield* transaction(
      finish(
        { ...record, monitor },
        {
          cause: { reason: "server_restarted" },
          delta: rest.delta,
          cursor: end,
          limits,
          leftover: rest.lines.map(({ text }) => text)
        }
      )
    )
    yield* state.remove(sessionID, `${id}/stdout`)
  })

  for (const found of yield* stored.all) {
    const record = yield* readable(found)
    if (record === undefined) continue
    const { sessionID, id, status } = record.monitor
    if (whose(sessionID) === "gone") yield* stored.remove(sessionID, id)
    else if (whose(sessionID) === "here" && status === "running") yield* contained(found.key, end(record))
  }
})

/** What the spool holds behind the cursor. Where a part could not be kept, reading goes on behind the gap. */
const savedLines = (folder: string, cursor: number, maxLineBytes: number) => {
  const lines: Array<Line> = []
  for (let end = cursor; ;) {
    const { bytes, from } = readBytes(folder, end, Number.MAX_SAFE_INTEGER)
    if (bytes.length === 0) return { lines, end }
    const reader = lineReader({ maxLineBytes, offset: from })
    lines.push(...reader.read(bytes), ...reader.flush())
    end = from + bytes.length
  }
}

const endShells = Effect.fnUntraced(function* (whose: Whose) {
  const stored = yield* shellRecords
  const shells = yield* shellLedger
  for (const found of yield* stored.all) {
    const record = yield* readable(found)
    if (record === undefined) continue
    const { sessionID, id, status, survivors } = record.shell
    if (whose(sessionID) === "gone") yield* stored.remove(sessionID, id)
    if (whose(sessionID) !== "here") continue
    if (status === "running") yield* contained(found.key, shells.recover(record.shell))
    // What it had left running died with the server.
    else if (survivors) yield* contained(found.key, shells.change(record.shell, withoutSurvivors))
  }
})

const withoutSurvivors = (shell: ShellRecord): ShellRecord => Struct.omit(shell, ["survivors"])

/** A record of another version, or a damaged one, is put aside and told of; the server starts all the same. */
const readable = Effect.fnUntraced(function* <A>({ key, value, record }: Found<A>) {
  if (Option.isSome(record)) return record.value
  const kv = yield* Kv
  const { transaction } = yield* Database
  yield* Effect.logError(`The record ${key} can't be read. It was put aside as aside/${key}`)
  yield* transaction(Effect.andThen(kv.set(`aside/${key}`, value), kv.remove(key)))
  return undefined
})

/** One bad thing stays one bad thing. */
const contained = <E, R>(key: string, effect: Effect.Effect<unknown, E, R>) =>
  Effect.catchCause(effect, (cause) => Effect.logError(`${key} could not be brought to its end`, cause))

/** Turns without an end get one. None is replayed. */
const endTurns = Effect.fnUntraced(function* (whose: Whose) {
  const kv = yield* Kv
  const bus = yield* Bus
  const sessions = yield* Sessions
  const turns = yield* Turns
  const { transaction } = yield* Database

  const end = Effect.fnUntraced(function* (turn: Turn) {
    const { sessionID } = turn
    const endedAt = yield* Clock.currentTimeMillis
    const messages = yield* sessions.conversation(sessionID)
    yield* closeMessages(messages, "Failed: the server restarted.")
    const newest = unanswered(messages)
    const before = Option.getOrUndefined(yield* kv.get(owedKey(sessionID)))
    if (newest !== undefined) yield* kv.set(owedKey(sessionID), owing(before, newest))
    const ended: Turn = { ...turn, endedAt, outcome: "server_stopped" }
    yield* turns.end(ended)
    yield* bus.publish({ type: "turn.ended", sessionID, data: { turn: ended } })
  })

  for (const { id, turn } of yield* turns.allOpen) {
    if (turn === undefined) {
      yield* Effect.logError(`The turn ${id} can't be read. It was put aside`)
      yield* turns.putAside(id)
    } else if (whose(turn.sessionID) === "here") yield* contained(id, transaction(end(turn)))
  }
})

/** The newest input, if no step behind it was completed. */
const unanswered = (messages: ReadonlyArray<MessageWithParts>): string | undefined => {
  const newest = messages.findLastIndex(({ message }) => message.role === "user" || message.role === "event")
  const answered = messages
    .slice(newest + 1)
    .some(({ message }) => message.role === "assistant" && message.status === "completed")
  return newest < 0 || answered ? undefined : messages[newest]!.message.id
}

/** Rows that nobody could read would owe their session a wake for ever. */
const clearInbox = Effect.gen(function* () {
  for (const key of yield* (yield* Inbox).putAside) {
    yield* Effect.logError(`A row of an inbox can't be read. It was put aside as ${key}`)
  }
})

/** A deletion that was committed and did not get to its files. */
const finishDeletions = Effect.fnUntraced(function* (whose: Whose) {
  const state = yield* StateDirectory
  for (const sessionID of yield* state.sessions) {
    if (whose(sessionID) === "gone") yield* contained(sessionID, state.removeSession(sessionID))
  }
})

/** Sessions that have something to read, or a turn that was cut short before its first answer. */
const wakeOwed = Effect.fnUntraced(function* (whose: Whose) {
  const kv = yield* Kv
  const inbox = yield* Inbox
  const coordinator = yield* Coordinator
  const { transaction } = yield* Database
  const waking = new Set(yield* inbox.owed)

  for (const { key, value } of yield* kv.scan("owed/")) {
    const owed = yield* readable({ key, value, record: decodeOwed(value) })
    const sessionID = key.slice("owed/".length) as SessionId
    if (owed === undefined || whose(sessionID) === "unreadable") continue
    if (whose(sessionID) === "gone") {
      yield* kv.remove(key)
      continue
    }
    if (owed.attempts >= maxOwedWakes) {
      yield* Effect.logError(
        `${owed.inputID} was tried ${maxOwedWakes} times and never answered; it waits for a prompt`
      )
      yield* kv.remove(key)
      continue
    }
    // Counted before the wake: a turn that brings the server down is not tried for ever.
    yield* transaction(kv.set(key, { ...owed, attempts: owed.attempts + 1 }))
    waking.add(sessionID)
  }
  yield* Effect.forEach(waking, coordinator.wake, { discard: true })
})
