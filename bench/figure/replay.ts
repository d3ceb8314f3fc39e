/** A client that comes back after many events, against reading the same rows. */
import { Database as Sqlite } from "bun:sqlite"
import { Bus } from "@vigil/core/bus"
import { Database } from "@vigil/core/database"
import { MessageId } from "@vigil/schema/message"
import { SessionId } from "@vigil/schema/session"
import { Feed } from "@vigil/server/feed"
import { Effect } from "effect"
import { type Figure, measured } from "../figure.ts"
import { databaseIn, withLower } from "../lower.ts"
import { cpuMs } from "../sample.ts"

const pageSize = 256
const sessionID = SessionId.make("ses_00000000000000000000000000")

export const replay: Figure = async ({ full, tell }) => {
  const runs = full ? 9 : 5
  for (const events of [100, 1_000, 10_000, 100_000]) {
    await withLower(
      (stateDir) =>
        Effect.gen(function* () {
          const bus = yield* Bus
          const feed = yield* Feed
          const { transaction } = yield* Database
          for (let stored = 0; stored < events; stored += 1_000) {
            yield* transaction(
              Effect.replicateEffect(
                bus.publish({
                  type: "inbox.promoted",
                  sessionID,
                  data: { inputIDs: [MessageId.make("msg_00000000000000000000000000") as never] }
                }),
                Math.min(1_000, events),
                { discard: true }
              )
            )
          }
          const head = yield* bus.head
          const sides: Record<"feed" | "rows", Array<number>> = { feed: [], rows: [] }
          for (let run = -1; run < runs; run++) {
            const rows = readRows(databaseIn(stateDir))
            const from = cpuMs()
            const reader = (yield* feed.open({ after: 0 })).getReader()
            yield* Effect.promise(() => readTo(reader, `id: ${head}\n`))
            const cost = cpuMs() - from
            yield* Effect.promise(() => reader.cancel())
            if (run < 0) continue
            sides.feed.push((cost * 1_000) / events)
            sides.rows.push((rows * 1_000) / events)
          }
          tell(
            measured({
              name: `replay of ${events.toLocaleString("en")} events`,
              unit: "µs CPU per event",
              values: sides.feed,
              references: sides.rows,
              ...(events === 100_000 && { target: { times: 3 } }),
              note: "as bytes of the feed; reference: pages of 256 rows by bun:sqlite"
            })
          )
        }),
      { feed: { keepEvents: 1_000_000 } }
    )
  }
}

const readRows = (path: string): number => {
  const database = new Sqlite(path, { readonly: true })
  const page = database.prepare<{ seq: number }, [number, number]>(
    "SELECT * FROM event WHERE seq > ? ORDER BY seq LIMIT ?"
  )
  const from = cpuMs()
  for (let last = 0; ;) {
    const rows = page.all(last, pageSize)
    if (rows.length === 0) break
    last = rows.at(-1)!.seq
  }
  const cost = cpuMs() - from
  page.finalize()
  database.close()
  return cost
}

/** Until these bytes have come. */
const readTo = async (reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<void> => {
  const wanted = Buffer.from(text)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error("The feed ended early")
    if (Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(wanted)) return
  }
}
