/**
 * SQLite: one connection that writes, one that only reads.
 *
 * On the writing connection every fiber would see what another has not committed yet. So reads go to the
 * second connection, except inside a transaction, which reads what it wrote.
 */
import { Context, Deferred, Effect, Layer, Option } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { latestMigration, migrations } from "./database/migrations.ts"
import { sqliteClient } from "./database/sqlite.ts"

export interface DatabaseOptions {
  /** The file, which is created if need be. */
  readonly path: string
  /** Opened to look only: nothing is created or migrated. */
  readonly readonly?: boolean
  /** Asked before each statement on the writing connection; what it throws the statement fails with. For tests. */
  readonly before?: (sql: string) => void
}

/** A defect: it can't be opened or brought up to date. What stood in it is left as it is. */
export class DatabaseUnusable extends Error {
  constructor(path: string, cause: unknown) {
    super(`The database ${path} can't be used`, { cause })
  }
}

export class Database extends Context.Service<
  Database,
  {
    /** Writes, outside a transaction one statement at a time. */
    readonly sql: SqlClient.SqlClient
    /** Reads what is committed, and inside a transaction what that has written. */
    readonly read: SqlClient.SqlClient
    /**
     * All or nothing. Inside another transaction it is a part of that one. A failing database is a defect:
     * nobody up the stack can mend it.
     */
    transaction<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>
    /**
     * All that is read inside is of one moment, whatever is committed meanwhile; nothing can be written. Inside a
     * transaction it is a part of that one.
     */
    snapshot<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>
    /** Runs once what is open now has committed; at once if nothing is. */
    afterCommit(effect: Effect.Effect<void>): Effect.Effect<void>
    /**
     * Until every transaction that was begun so far is over, and with it what waited for its commit. Inside one
     * there is nothing to wait for.
     */
    readonly settled: Effect.Effect<void>
  }
>()("core/Database") {
  static readonly layer = (options: DatabaseOptions) =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        const sql = yield* sqliteClient(options)
        const newest = sql<{ id: number }>`SELECT max(migration_id) AS id FROM migration`
        const refuse = (why: string) => Effect.die(new DatabaseUnusable(options.path, new Error(why)))
        if (options.readonly) {
          const [found] = yield* newest
          if (found!.id < latestMigration)
            return yield* refuse("an older Vigil wrote it; vigil run, or vigil serve, brings it up to date")
          return database(sql, sql)
        }
        yield* Migrator.make({})({ loader: migrations, table: "migration" }).pipe(
          Effect.provideService(SqlClient.SqlClient, sql)
        )
        const [found] = yield* newest
        // A newer one may mean other things by these tables.
        if (found!.id > latestMigration) return yield* refuse("a newer Vigil wrote it")
        return database(sql, yield* sqliteClient({ path: options.path, readonly: true, within: sql }))
      }).pipe(
        Effect.mapError((cause) => new DatabaseUnusable(options.path, cause)),
        Effect.orDie
      )
    )

  /** A real file of its own, removed with the scope. */
  static readonly layerTest = Layer.unwrap(
    Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "vigil-"))),
      (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
    ).pipe(Effect.map((directory) => Database.layer({ path: join(directory, "vigil.db") })))
  )
}

const database = (sql: SqlClient.SqlClient, read: SqlClient.SqlClient) => {
  const begun = new Set<Deferred.Deferred<void>>()
  const inside = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(inside, (inside) =>
      inside
        ? failing(sql.withTransaction(effect))
        : Effect.acquireUseRelease(
            Effect.sync(() => {
              const over = Deferred.makeUnsafe<void>()
              begun.add(over)
              return over
            }),
            () => failing(sql.withTransaction(effect)),
            (over) => {
              begun.delete(over)
              return Deferred.succeed(over, undefined)
            }
          )
    )

  const snapshot = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(inside, (inside) => failing(inside ? effect : read.withTransaction(effect)))

  const settled = Effect.flatMap(inside, (inside) =>
    inside ? Effect.void : Effect.forEach([...begun], Deferred.await, { discard: true })
  )

  return Database.of({
    sql,
    read,
    transaction,
    snapshot,
    afterCommit: (effect) => sql.afterCommit(effect),
    settled
  })
}

const failing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.catchTag("SqlError" as never, Effect.die)) as Effect.Effect<
    A,
    Exclude<E, SqlError.SqlError>,
    R
  >
