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

/** Turns, with those that were begun and have no end yet; before, these alone were kept, by key. */
const turns = [
  `CREATE TABLE turn (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    ended INTEGER NOT NULL,
    record TEXT NOT NULL
  )`,
  `CREATE INDEX turn_session ON turn (session_id, seq)`,
  `CREATE INDEX turn_open ON turn (session_id) WHERE ended = 0`,
  `INSERT OR IGNORE INTO turn (id, session_id, ended, record)
    SELECT json_extract(value, '$.id'), session.id, 0, value FROM kv JOIN session ON kv.key = 'turn/' || session.id
    WHERE CASE WHEN json_valid(value) THEN json_extract(value, '$.id') END IS NOT NULL`,
  `DELETE FROM kv WHERE key >= 'turn/' AND key < 'turn0'`
]

/** Tells a database from every other one. */
const store = [
  `CREATE TABLE store (id TEXT NOT NULL)`,
  `INSERT INTO store (id) VALUES ('store_' || lower(hex(randomblob(16))))`
]

const each = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  })

const steps = {
  "1_tables": each(tables),
  "2_summaries": each([summaries]),
  "3_turns": each([...turns, ...store])
}

export const migrations = Migrator.fromRecord(steps)

export const latestMigration = Math.max(...Object.keys(steps).map((name) => Number.parseInt(name, 10)))
