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

const opened = <A>(stateDir: string, use: (database: Sqlite) => A): A => {
  const database = new Sqlite(join(stateDir, "vigil.db"))
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const rows = <Row>(stateDir: string, sql: string, ...params: Array<string | number>) =>
  opened(stateDir, (database) => database.query(sql).all(...params) as Array<Row>)

/** What is committed. */
export const storedIn = (stateDir: string) => {
  const records = <A>(prefix: string) =>
    rows<{ key: string; value: string }>(
      stateDir,
      "SELECT key, value FROM kv WHERE key >= ? AND key < ? ORDER BY key",
      prefix,
      `${prefix}\u{10ffff}`
    ).map(({ key, value }) => ({ key, value: JSON.parse(value) as A }))
  return {
    records,
    monitors: () => records<MonitorRecord>("monitor/").map(({ value }) => value),
    inbox: () =>
      rows<{ id: string; session_id: string; wakes: number; payload: string }>(
        stateDir,
        "SELECT * FROM inbox ORDER BY seq"
      ).map(({ id, session_id, wakes, payload }) => ({
        id,
        sessionID: session_id,
        wakes: wakes === 1,
        payload: JSON.parse(payload) as Input["payload"]
      })),
    messages: () =>
      rows<{ record: string }>(stateDir, "SELECT record FROM message ORDER BY seq").map(
        ({ record }) => JSON.parse(record) as Message
      ),
    parts: () =>
      rows<{ record: string }>(stateDir, "SELECT record FROM part ORDER BY seq").map(
        ({ record }) => JSON.parse(record) as Part
      ),
    sessions: () => rows<{ id: string }>(stateDir, "SELECT id FROM session").map(({ id }) => id),
    admitted: () =>
      rows<{ id: string; session_id: string }>(stateDir, "SELECT id, session_id FROM admission ORDER BY seq"),
    events: () =>
      rows<{ seq: number; type: string; data: string }>(
        stateDir,
        "SELECT seq, type, data FROM event ORDER BY seq"
      ).map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> })),
    /** Every table but the counters of AUTOINCREMENT. */
    tables: () =>
      opened(stateDir, (database) => {
        const names = database
          .query("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'sqlite_sequence'")
          .all() as Array<{ name: string }>
        return Object.fromEntries(
          names.map(({ name }) => [name, database.query(`SELECT * FROM "${name}" ORDER BY 1`).all()])
        )
      })
  }
}

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
