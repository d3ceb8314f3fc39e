/** Durable admission of an input, against the same rows inserted by hand, a transaction each. */
import { Database as Sqlite } from "bun:sqlite"
import { Inbox } from "@vigil/core/inbox"
import { Sessions } from "@vigil/core/session"
import { newId } from "@vigil/schema/id"
import { InputId } from "@vigil/schema/input"
import { Effect } from "effect"
import { tmpdir } from "node:os"
import { type Figure, measured } from "../figure.ts"
import { databaseIn, withLower } from "../lower.ts"
import { cpuMs } from "../sample.ts"

const perRun = 500

export const admission: Figure = ({ full, tell }) =>
  withLower((stateDir) =>
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const sessions = yield* Sessions
      const database = new Sqlite(databaseIn(stateDir))
      database.run("PRAGMA synchronous = NORMAL")
      const insert = inserting(database)
      const runs = full ? 20 : 8
      const sides: Record<"inbox" | "rows", Array<number>> = { inbox: [], rows: [] }
      for (let run = -2; run < runs; run++) {
        // One each, so that both have as much before them.
        const [ours, theirs] = [yield* newSession(sessions), yield* newSession(sessions)]
        let from = cpuMs()
        for (let index = 0; index < perRun; index++) {
          yield* inbox.admit({
            id: InputId.make(newId("inp")),
            sessionID: ours.id,
            delivery: "steer",
            origin: "user",
            payload: { type: "prompt", text },
            wakes: true
          })
        }
        const admitting = cpuMs() - from
        from = cpuMs()
        for (let index = 0; index < perRun; index++) insert(newId("inp"), theirs.id)
        const inserting = cpuMs() - from
        if (run < 0) continue
        sides.inbox.push((admitting * 1_000) / perRun)
        sides.rows.push((inserting * 1_000) / perRun)
      }
      database.close()
      tell(
        measured({
          name: "inbox admission",
          unit: "µs CPU each",
          values: sides.inbox,
          references: sides.rows,
          target: { times: 2.5 },
          note: `${perRun} a run; reference: three prepared inserts and a commit by bun:sqlite, as durable`
        })
      )
    })
  )

const text = "What became of the deployment that we started this morning?"

const newSession = (sessions: Sessions["Service"]) =>
  Effect.orDie(sessions.create({ directory: tmpdir(), rules: [] }))

/** The rows that an admission leaves. */
const inserting = (database: Sqlite) => {
  const admission = database.prepare<{ seq: number }, [string, string, string, number]>(
    "INSERT INTO admission (id, session_id, digest, created_at) VALUES (?, ?, ?, ?) RETURNING seq"
  )
  const inbox = database.prepare(
    `INSERT INTO inbox (seq, id, session_id, kind, delivery, origin, type, source_id, payload, wakes, created_at)
     VALUES (?, ?, ?, 'prompt', 'steer', 'user', 'prompt', NULL, ?, 1, ?)`
  )
  const event = database.prepare(
    "INSERT INTO event (id, type, session_id, created, data) VALUES (?, 'inbox.admitted', ?, ?, ?)"
  )
  return database.transaction((id: string, sessionID: string) => {
    const createdAt = Date.now()
    const payload = JSON.stringify({ type: "prompt", text })
    const digest = new Bun.CryptoHasher("sha256").update(payload).digest("base64")
    const { seq } = admission.get(id, sessionID, digest, createdAt)!
    inbox.run(seq, id, sessionID, payload, createdAt)
    const input = {
      id,
      sessionID,
      kind: "prompt",
      delivery: "steer",
      origin: "user",
      seq,
      createdAt,
      wakes: true
    }
    event.run(newId("evt"), sessionID, createdAt, JSON.stringify({ input: { ...input, payload } }))
  }).immediate
}
