/** What a server left on disk, seen and changed from outside while none runs, or while one does. */
import { Database as Sqlite } from "bun:sqlite"
import type { Event } from "@vigil/schema/event-manifest"
import type { Input } from "@vigil/schema/input"
import type { Message, Part } from "@vigil/schema/message"
import { Effect, Logger, Stream } from "effect"
import { cpSync } from "node:fs"
import { join } from "node:path"
import type { MonitorRecord } from "../../src/monitor/record.ts"
import { Bus } from "../../src/bus.ts"

let images = 0

/** A copy of the directory as a crash at this instant would leave it. */
export const crashImage = (stateDir: string): string => {
  const copy = `${stateDir}-crash-${images++}`
  cpSync(stateDir, copy, { recursive: true })
  return copy
}

/** A state directory, or its database while `atOneMoment` reads it. */
type Source = string | Sqlite

const opened = <A>(source: Source, use: (database: Sqlite) => A): A => {
  if (typeof source !== "string") return use(source)
  const database = new Sqlite(join(source, "vigil.db"))
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const rows = <Row>(source: Source, sql: string, ...params: Array<string | number>) =>
  opened(source, (database) => database.query(sql).all(...params) as Array<Row>)

/** What is committed. */
export const storedIn = (source: Source) => {
  const records = <A>(prefix: string) =>
    rows<{ key: string; value: string }>(
      source,
      "SELECT key, value FROM kv WHERE key >= ? AND key < ? ORDER BY key",
      prefix,
      `${prefix}\u{10ffff}`
    ).map(({ key, value }) => ({ key, value: JSON.parse(value) as A }))
  return {
    records,
    monitors: () => records<MonitorRecord>("monitor/").map(({ value }) => value),
    inbox: () =>
      rows<{ id: string; session_id: string; wakes: number; payload: string }>(
        source,
        "SELECT * FROM inbox ORDER BY seq"
      ).map(({ id, session_id, wakes, payload }) => ({
        id,
        sessionID: session_id,
        wakes: wakes === 1,
        payload: JSON.parse(payload) as Input["payload"]
      })),
    messages: () =>
      rows<{ record: string }>(source, "SELECT record FROM message ORDER BY seq").map(
        ({ record }) => JSON.parse(record) as Message
      ),
    parts: () =>
      rows<{ record: string }>(source, "SELECT record FROM part ORDER BY seq").map(
        ({ record }) => JSON.parse(record) as Part
      ),
    /** Turns without an end, of one session or of all. */
    openTurns: (sessionID?: string) =>
      rows<{ id: string; sessionID: string }>(
        source,
        "SELECT id, session_id AS sessionID FROM turn WHERE ended = 0"
      )
        .filter((turn) => sessionID === undefined || turn.sessionID === sessionID)
        .map(({ id }) => id),
    sessions: () => rows<{ id: string }>(source, "SELECT id FROM session").map(({ id }) => id),
    admitted: () =>
      rows<{ id: string; session_id: string }>(source, "SELECT id, session_id FROM admission ORDER BY seq"),
    events: () =>
      rows<{ seq: number; type: string; sessionID: string | null; data: string }>(
        source,
        "SELECT seq, type, session_id AS sessionID, data FROM event ORDER BY seq"
      ).map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> })),
    /** Every table but the counters of AUTOINCREMENT. */
    tables: () =>
      opened(source, (database) => {
        const names = database
          .query("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'sqlite_sequence'")
          .all() as Array<{ name: string }>
        return Object.fromEntries(
          names.map(({ name }) => [name, database.query(`SELECT * FROM "${name}" ORDER BY 1`).all()])
        )
      })
  }
}

/** All that is read in it belongs to one moment, whatever a server writes meanwhile. */
export const atOneMoment = <A>(stateDir: string, use: (stored: Stored) => A): A =>
  opened(stateDir, (database) => {
    database.run("BEGIN")
    try {
      return use(storedIn(database))
    } finally {
      database.run("ROLLBACK")
    }
  })

export type Stored = ReturnType<typeof storedIn>

export const edit = (stateDir: string, sql: string, ...params: Array<string | number>) =>
  opened(stateDir, (database) => void database.query(sql).run(...params))

/** Everything that is logged, as text, instead of being printed. */
export const logs = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(
      `${logLevel} ${(Array.isArray(message) ? message : [message]).map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ")}`
    )
  })
  return { lines, layer: Logger.layer([logger]) }
}

/** Waits until the feed holds an event like this one. */
export const heard = (test: (event: Event) => boolean) =>
  Bus.use((bus) => bus.follow(0).pipe(Stream.filter(test), Stream.take(1), Stream.runDrain, Effect.orDie))
