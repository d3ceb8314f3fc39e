/** Small JSON documents by key, for what must outlive the process and needs no table of its own. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Database } from "./database.ts"

export interface Entry {
  readonly key: string
  readonly value: Schema.Json
}

export interface ScanOptions {
  /** Only keys behind this one: where the next page starts. */
  readonly after?: string
  readonly limit?: number
}

export class Kv extends Context.Service<
  Kv,
  {
    get(key: string): Effect.Effect<Option.Option<Schema.Json>>
    set(key: string, value: Schema.Json): Effect.Effect<void>
    remove(key: string): Effect.Effect<void>
    /** Every entry whose key starts with `prefix`, in key order. */
    scan(prefix: string, options?: ScanOptions): Effect.Effect<ReadonlyArray<Entry>>
    removeAll(prefix: string): Effect.Effect<void>
  }
>()("core/Kv") {
  static readonly layer = Layer.effect(
    Kv,
    Effect.gen(function* () {
      const { sql, read } = yield* Database

      const get = Effect.fnUntraced(function* (key: string) {
        const [row] = yield* read<{ value: string }>`SELECT value FROM kv WHERE key = ${key}`
        return row ? Option.some(parse(row.value)) : Option.none()
      }, Effect.orDie)

      const set = Effect.fnUntraced(function* (key: string, value: Schema.Json) {
        yield* sql`INSERT INTO kv (key, value) VALUES (${key}, ${JSON.stringify(value)})
          ON CONFLICT (key) DO UPDATE SET value = excluded.value`
      }, Effect.orDie)

      const remove = Effect.fnUntraced(function* (key: string) {
        yield* sql`DELETE FROM kv WHERE key = ${key}`
      }, Effect.orDie)

      const scan = Effect.fnUntraced(function* (prefix: string, options: ScanOptions = {}) {
        const { after = "", limit = 1_000_000 } = options
        const rows = yield* read<{ key: string; value: string }>`SELECT key, value FROM kv
          WHERE key >= ${prefix} AND key < ${end(prefix)} AND key > ${after} ORDER BY key LIMIT ${limit}`
        return rows.map(({ key, value }) => ({ key, value: parse(value) }))
      }, Effect.orDie)

      const removeAll = Effect.fnUntraced(function* (prefix: string) {
        yield* sql`DELETE FROM kv WHERE key >= ${prefix} AND key < ${end(prefix)}`
      }, Effect.orDie)

      return Kv.of({ get, set, remove, scan, removeAll })
    })
  )
}

/** What is damaged comes as its own text, which no record's schema accepts: its reader sets it aside. */
const parse = (text: string): Schema.Json => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
/** Behind every key that starts with `prefix`; keys are made of ids and slashes. */
const end = (prefix: string) => `${prefix}\u{10ffff}`
