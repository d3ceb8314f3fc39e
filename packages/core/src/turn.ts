/** Turns, from their begin on: a durable row each, so that their ends outlive the feed's memory. */
import { Turn } from "@vigil/schema/turn"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Database } from "./database.ts"

/** Turns kept of one session. */
export const keptTurns = 1_000

export interface OpenTurn {
  readonly id: string
  readonly turn: Turn | undefined
}

export class Turns extends Context.Service<
  Turns,
  {
    /** In the transaction that tells of it. */
    begin(turn: Turn): Effect.Effect<void>
    /** Likewise; its record is replaced. */
    end(turn: Turn): Effect.Effect<void>
    newest(sessionID: string): Effect.Effect<Option.Option<Turn>>
    /** Newest first. */
    list(sessionID: string, limit: number): Effect.Effect<ReadonlyArray<Turn>>
    /** The one of a session that was begun and has no end yet. */
    open(sessionID: string): Effect.Effect<Option.Option<Turn>>
    /** Those of all sessions; `turn` is absent where its record can't be read. */
    readonly allOpen: Effect.Effect<ReadonlyArray<OpenTurn>>
    /** One whose record can't be read is not open any more, and stays as it is. */
    putAside(id: string): Effect.Effect<void>
  }
>()("core/Turns") {
  static readonly layer = Layer.effect(
    Turns,
    Effect.gen(function* () {
      const { sql, read } = yield* Database

      const begin = Effect.fn("Turns.begin")(function* (turn: Turn) {
        const { id, sessionID } = turn
        yield* sql`INSERT INTO turn (id, session_id, ended, record)
          VALUES (${id}, ${sessionID}, 0, ${JSON.stringify(turn)})`
        yield* sql`DELETE FROM turn WHERE session_id = ${sessionID} AND ended = 1 AND seq <= (
          SELECT seq FROM turn WHERE session_id = ${sessionID} ORDER BY seq DESC LIMIT 1 OFFSET ${keptTurns})`
      }, Effect.orDie)

      const end = Effect.fn("Turns.end")(function* (turn: Turn) {
        yield* sql`UPDATE turn SET ended = 1, record = ${JSON.stringify(turn)} WHERE id = ${turn.id}`
      }, Effect.orDie)

      const list = Effect.fn("Turns.list")(function* (sessionID: string, limit: number) {
        return turnsOf(
          yield* read<Row>`SELECT record FROM turn WHERE session_id = ${sessionID}
            ORDER BY seq DESC LIMIT ${limit}`
        )
      }, Effect.orDie)

      const open = Effect.fn("Turns.open")(function* (sessionID: string) {
        const rows = yield* read<Row>`SELECT record FROM turn WHERE session_id = ${sessionID} AND ended = 0
          ORDER BY seq DESC LIMIT 1`
        return Option.fromUndefinedOr(turnsOf(rows)[0])
      }, Effect.orDie)

      return Turns.of({
        begin,
        end,
        newest: (sessionID) => Effect.map(list(sessionID, 1), ([turn]) => Option.fromUndefinedOr(turn)),
        list,
        open,
        allOpen: read<Row & { id: string }>`SELECT id, record FROM turn WHERE ended = 0 ORDER BY seq`.pipe(
          Effect.map((rows) =>
            rows.map(({ id, record }) => ({ id, turn: Option.getOrUndefined(decode(record)) }))
          ),
          Effect.orDie
        ),
        putAside: (id) => Effect.orDie(sql`UPDATE turn SET ended = 1 WHERE id = ${id}`)
      })
    })
  )
}

interface Row {
  readonly record: string
}

// What can't be read is another version's: it is passed over.
const turnsOf = (rows: ReadonlyArray<Row>) => rows.flatMap(({ record }) => Option.toArray(decode(record)))

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Turn))
