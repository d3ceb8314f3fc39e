import { describe, expect } from "bun:test"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { Database as Sqlite } from "bun:sqlite"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Database } from "../src/database.ts"
import { ownStateDirectory } from "../src/database/owner.ts"
import { Layer } from "effect"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Database.layerTest)

const insert = (key: string) =>
  Database.use(({ sql }) => sql`INSERT INTO kv (key, value) VALUES (${key}, '1')`)
const keys = Database.use(({ read }) => read<{ key: string }>`SELECT key FROM kv ORDER BY key`).pipe(
  Effect.map((rows) => rows.map(({ key }) => key))
)

describe("Database", () => {
  it.effect(
    "a failed transaction leaves nothing",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const failed = yield* transaction(Effect.andThen(insert("a"), Effect.fail("no"))).pipe(Effect.flip)
      expect(failed).toBe("no")
      expect(yield* keys).toEqual([])
    })
  )

  it.effect(
    "a reader outside sees only what is committed, inside also what was written",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const written = yield* Deferred.make<void>()
      const commit = yield* Deferred.make<void>()
      const inside = yield* transaction(
        Effect.gen(function* () {
          yield* insert("a")
          yield* Deferred.succeed(written, undefined)
          yield* Deferred.await(commit)
          return yield* keys
        })
      ).pipe(Effect.forkChild)
      yield* Deferred.await(written)
      expect(yield* keys).toEqual([])
      yield* Deferred.succeed(commit, undefined)
      expect(yield* Fiber.join(inside)).toEqual(["a"])
      expect(yield* keys).toEqual(["a"])
    })
  )

  it.effect(
    "a statement of another fiber waits for the open transaction",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const written = yield* Deferred.make<void>()
      const fail = yield* Deferred.make<void>()
      const failing = yield* transaction(
        Effect.gen(function* () {
          yield* insert("a")
          yield* Deferred.succeed(written, undefined)
          yield* Deferred.await(fail)
          return yield* Effect.fail("no")
        })
      ).pipe(Effect.flip, Effect.forkChild)
      yield* Deferred.await(written)
      const other = yield* Effect.forkChild(insert("b"))
      yield* Effect.yieldNow
      yield* Deferred.succeed(fail, undefined)
      yield* Fiber.join(failing)
      yield* Fiber.join(other)
      expect(yield* keys).toEqual(["b"])
    })
  )

  it.effect(
    "a part that fails is taken back alone",
    Effect.gen(function* () {
      const { transaction } = yield* Database
      yield* transaction(
        Effect.gen(function* () {
          yield* insert("a")
          yield* Effect.ignore(transaction(Effect.andThen(insert("b"), Effect.fail("no"))))
        })
      )
      expect(yield* keys).toEqual(["a"])
    })
  )

  it.effect(
    "what waits for the commit runs after it, and not at all without one",
    Effect.gen(function* () {
      const { transaction, afterCommit } = yield* Database
      const heard: Array<ReadonlyArray<string>> = []
      const hear = afterCommit(
        Effect.orDie(
          Effect.map(keys, (now) => void heard.push(now)).pipe(
            Effect.provideService(Database, yield* Database)
          )
        )
      )
      yield* Effect.ignore(transaction(Effect.andThen(Effect.andThen(insert("a"), hear), Effect.fail("no"))))
      yield* transaction(Effect.andThen(insert("b"), hear))
      expect(heard).toEqual([["b"]])
    })
  )
})

describe("a database file", () => {
  const it = testEffect(Layer.empty)
  const place = Effect.acquireRelease(
    Effect.sync(() => join(mkdtempSync(join(tmpdir(), "vigil-")), "vigil.db")),
    (path) => Effect.sync(() => rmSync(dirname(path), { recursive: true }))
  )
  const opened = (path: string) => Effect.asVoid(Effect.scoped(Layer.build(Database.layer({ path }))))

  it.effect(
    "is its user's alone",
    Effect.gen(function* () {
      const path = yield* place
      yield* opened(path)
      expect(statSync(path).mode & 0o777).toBe(0o600)
    })
  )

  it.effect(
    "of a newer Vigil, or that is none, is named and left as it was",
    Effect.gen(function* () {
      const path = yield* place
      yield* opened(path)
      const newer = new Sqlite(path)
      newer.run("INSERT INTO migration (migration_id, name) VALUES (99, 'future')")
      newer.close()
      const refused = yield* Effect.exit(opened(path))
      expect(String(Exit.isFailure(refused) && Cause.squash(refused.cause))).toContain(path)
      writeFileSync(path, "no database at all, but a long enough text ".repeat(100))
      const before = readFileSync(path)
      expect(Exit.isFailure(yield* Effect.exit(opened(path)))).toBe(true)
      expect(readFileSync(path)).toEqual(before)
    })
  )
})

describe("the owner of a state directory", () => {
  const it = testEffect(Layer.empty)

  it.effect(
    "is one at a time, and the next one after its end",
    Effect.gen(function* () {
      const stateDir = mkdtempSync(join(tmpdir(), "vigil-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(stateDir, { recursive: true })))
      const second = yield* Effect.scoped(
        Effect.andThen(ownStateDirectory(stateDir), Effect.flip(Effect.scoped(ownStateDirectory(stateDir))))
      )
      expect(second).toMatchObject({ _tag: "StateDirectoryOwned", stateDir })
      yield* Effect.scoped(ownStateDirectory(stateDir))
    })
  )
})
