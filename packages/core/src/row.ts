/** Rows that hold JSON documents. One that can't be read is left out and told of; the others are there. */
import { Effect, type Schema } from "effect"

export interface Row {
  readonly seq: number
  readonly id: string
}

export interface Reading<A extends Row, B> {
  readonly limit: number
  /** Where the first page begins. */
  readonly from: number
  /** The rows behind a place, in the order of the reading. */
  readonly page: (from: number, limit: number) => Effect.Effect<ReadonlyArray<A>, unknown>
  /** Undefined where a row can't be read: it is damaged, or another version's. */
  readonly read: (row: A) => B | undefined
}

/** Rows of one kind that were told of. */
const maxTold = 1_000

/** `what`: for the log, which names each row once. */
export const rowsOf = (what: string) => {
  const told = new Set<string>()

  const readable = Effect.fnUntraced(function* <A extends Pick<Row, "id">, B>(
    rows: ReadonlyArray<A>,
    read: (row: A) => B | undefined
  ) {
    const found: Array<B> = []
    for (const row of rows) {
      const item = read(row)
      if (item !== undefined) found.push(item)
      else if (!told.has(row.id)) {
        if (told.size >= maxTold) told.clear()
        told.add(row.id)
        yield* Effect.logError(`The ${what} ${row.id} can't be read. It is left out`)
      }
    }
    return found
  })

  /** As many as are wanted, if there are so many: what can't be read takes nobody's place. */
  const filled = Effect.fnUntraced(function* <A extends Row, B>({ limit, from, page, read }: Reading<A, B>) {
    let found: ReadonlyArray<B> = []
    for (let place = from; ;) {
      const wanted = limit - found.length
      const rows = yield* Effect.orDie(page(place, wanted))
      found = found.concat(yield* readable(rows, read))
      if (rows.length < wanted || found.length >= limit) return found
      place = rows.at(-1)!.seq
    }
  })

  return { readable, filled }
}

/** Undefined where it is no JSON. */
export const jsonOf = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text) as Schema.Json
  } catch {
    return undefined
  }
}
