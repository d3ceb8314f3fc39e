/** Records of one kind: JSON documents of a session's things, decoded by a schema. */
import { Effect, Option, Schema } from "effect"
import { Kv } from "./kv.ts"

/** Every record tells where it belongs and when it was made, relative to the others. */
export interface Placed {
  readonly sessionID: string
  readonly id: string
  /** Place in the feed of what made it. */
  readonly order: number
}

export interface RecordKind<A, I extends Schema.Json> {
  /** First part of the key: `kind/<sessionID>/<id>`. */
  readonly kind: string
  readonly schema: Schema.Codec<A, I>
  readonly place: (record: A) => Placed
}

export interface Found<A> {
  readonly key: string
  readonly value: Schema.Json
  /** None where it can't be read: it was written by another version, or is damaged. */
  readonly record: Option.Option<A>
}

export interface Records<A> {
  get(sessionID: string, id: string): Effect.Effect<Option.Option<A>>
  save(record: A): Effect.Effect<void>
  remove(sessionID: string, id: string): Effect.Effect<void>
  removeAll(sessionID: string): Effect.Effect<void>
  /** Newest first. One that can't be read is left out; the next start sets it aside. */
  list(sessionID: string): Effect.Effect<ReadonlyArray<A>>
  /** Of all sessions, also what can't be read. */
  readonly all: Effect.Effect<ReadonlyArray<Found<A>>>
}

export const recordsOf = <A, I extends Schema.Json>({ kind, schema, place }: RecordKind<A, I>) =>
  Effect.map(Kv, (kv): Records<A> => {
    const decode = Schema.decodeUnknownOption(schema)
    const encode = Schema.encodeSync(schema)
    const prefix = (sessionID: string) => `${kind}/${sessionID}/`
    return {
      get: (sessionID, id) => Effect.map(kv.get(prefix(sessionID) + id), Option.flatMap(decode)),
      save: (record) => {
        const { sessionID, id } = place(record)
        return kv.set(prefix(sessionID) + id, encode(record))
      },
      remove: (sessionID, id) => kv.remove(prefix(sessionID) + id),
      removeAll: (sessionID) => kv.removeAll(prefix(sessionID)),
      list: (sessionID) =>
        Effect.map(kv.scan(prefix(sessionID)), (entries) =>
          entries
            .flatMap(({ value }) => Option.toArray(decode(value)))
            .toSorted((a, b) => place(b).order - place(a).order)
        ),
      all: Effect.map(kv.scan(`${kind}/`), (entries) =>
        entries.map(({ key, value }) => ({ key, value, record: decode(value) }))
      )
    }
  })
