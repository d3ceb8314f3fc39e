/** An Effect SqlClient over one `bun:sqlite` connection. */
import { Database as Sqlite, type SQLQueryBindings, type Statement as Prepared } from "bun:sqlite"
import { closeSync, openSync } from "node:fs"
import { Effect, type Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"

export interface SqliteOptions {
  readonly path: string
  readonly readonly?: boolean
  /** Inside a transaction of this client its connection is used instead, so that a reader sees what it just wrote. */
  readonly within?: SqlClient.SqlClient
  /** Asked before each statement; what it throws the statement fails with. For tests. */
  readonly before?: (sql: string) => void
}

export const sqliteClient = Effect.fnUntraced(function* (
  options: SqliteOptions
): Effect.fn.Return<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope> {
  const connection = yield* connect(options)
  // One connection runs one thing at a time: a statement waits while a transaction is open.
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore: Semaphore.makeUnsafe(1),
    isTransaction: (connection) => connection.inTransaction()
  })
  return yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-bun",
    spanAttributes: [["db.system.name", "sqlite"]],
    // One that only reads takes no lock: it sees the state that its first read finds.
    beginTransaction: options.readonly ? "BEGIN" : "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    prepareTransactionControls: true,
    ...(options.within && { transactionService: options.within.transactionService })
  }).pipe(Effect.provide(Reactivity.layer))
})

interface SqliteConnection extends SqlConnection.Connection {
  readonly inTransaction: () => boolean
}

/** More than there are, unless a list in one has many lengths. */
const maxPrepared = 256

/** Each statement is prepared once: `query` of bun:sqlite keeps no more than twenty. */
const preparing = (database: Sqlite) => {
  const known = new Map<string, Prepared>()
  return {
    prepared: (sql: string): Prepared => {
      const before = known.get(sql)
      if (before) return before
      const statement = database.prepare(sql)
      known.set(sql, statement)
      if (known.size > maxPrepared) {
        const [oldest] = known
        known.delete(oldest![0])
        oldest![1].finalize()
      }
      return statement
    },
    finalize: () => {
      for (const statement of known.values()) statement.finalize()
    }
  }
}

const connect = ({ path, readonly = false, before }: SqliteOptions) =>
  Effect.gen(function* () {
    const { database, prepared } = yield* Effect.acquireRelease(
      attempt("open", () => {
        const database = open(path, readonly)
        return { database, ...preparing(database) }
      }),
      ({ database, finalize }) =>
        Effect.sync(() => {
          finalize()
          database.close()
        })
    )

    const query = (sql: string, params: ReadonlyArray<unknown>) => {
      before?.(sql)
      return prepared(sql).all(...(params as Array<SQLQueryBindings>)) as Array<object>
    }
    const values = (sql: string, params: ReadonlyArray<unknown>) => {
      before?.(sql)
      return prepared(sql).values(...(params as Array<SQLQueryBindings>))
    }
    const execute: SqlConnection.Connection["execute"] = (sql, params, transform) =>
      attempt("execute", () => {
        const rows = query(sql, params)
        return transform ? transform(rows) : rows
      })
    const executeValues: SqlConnection.Connection["executeValues"] = (sql, params) =>
      attempt("execute", () => values(sql, params))

    const connection: SqliteConnection = {
      execute,
      executeRaw: (sql, params) => execute(sql, params, undefined),
      executeUnprepared: execute,
      executeValues,
      executeValuesUnprepared: executeValues,
      executeStream: (sql, params, transform) => Stream.fromIterableEffect(execute(sql, params, transform)),
      inTransaction: () => database.inTransaction
    }
    return connection
  })

const open = (path: string, readonly: boolean) => {
  // For its user alone, whoever may look into the folder; SQLite gives its other files the same mode.
  if (!readonly) closeSync(openSync(path, "a", 0o600))
  const database = readonly ? new Sqlite(path, { readonly }) : new Sqlite(path, { create: true })
  database.run("PRAGMA busy_timeout = 5000")
  database.run("PRAGMA foreign_keys = ON")
  if (!readonly) {
    database.run("PRAGMA journal_mode = WAL")
    // With WAL a killed process loses nothing that it committed; only a power cut may take the newest commits, whole.
    database.run("PRAGMA synchronous = NORMAL")
  }
  return database
}

const attempt = <A>(operation: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) =>
      new SqlError.SqlError({
        reason: SqlError.classifySqliteError(cause, { message: `SQLite failed to ${operation}`, operation })
      })
  })
