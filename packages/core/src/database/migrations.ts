/** The tables, in the order they came to be. A migration that has landed is never edited. */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"

const tables = [
  `CREATE TABLE kv (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID`,

  // AUTOINCREMENT throughout: a number that a reader may have seen is never handed out again.
  `CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    session_id TEXT,
    created INTEGER NOT NULL,
    data TEXT NOT NULL
  )`,
  `CREATE INDEX event_session ON event (session_id, seq)`,

  `CREATE TABLE session (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  )`,

  `CREATE TABLE message (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    record TEXT NOT NULL
  )`,
  `CREATE INDEX message_session ON message (session_id, seq)`,

  `CREATE TABLE part (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    message_id TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    record TEXT NOT NULL
  )`,
  `CREATE INDEX part_message ON part (message_id, seq)`,
  `CREATE INDEX part_session ON part (session_id, seq)`,

  // Every id that was ever admitted, so that a repeat is known also after the row was read, withdrawn or replaced.
  `CREATE TABLE admission (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    created_at INTEGER NOT NULL
  )`,
  `CREATE INDEX admission_session ON admission (session_id)`,

  `CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY REFERENCES admission (seq) ON DELETE CASCADE,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    delivery TEXT NOT NULL,
    origin TEXT NOT NULL,
    type TEXT NOT NULL,
    source_id TEXT,
    payload TEXT NOT NULL,
    wakes INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  )`,
  `CREATE INDEX inbox_session ON inbox (session_id, seq)`
]

/** A session's newest summary is found at once, among however many messages. */
const summaries = `CREATE INDEX message_summary ON message (session_id, seq)
  WHERE json_extract(record, '$.role') = 'summary'`

const steps = {
  "1_tables": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(tables, (table) => sql.unsafe(table), { discard: true })
  }),
  "2_summaries": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(summaries)
  })
}

export const migrations = Migrator.fromRecord(steps)

export const latestMigration = Math.max(...Object.keys(steps).map((name) => Number.parseInt(name, 10)))
