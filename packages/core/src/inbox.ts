/**
 * What a session has been told but has not yet read.
 *
 * Admission is durable and idempotent by id. Promotion deletes the rows and inserts the messages in one
 * transaction, withdrawal deletes them: each is one DELETE, so that who commits first has them.
 */
import {
  InputConflict,
  type Delivery,
  Input,
  InputId,
  InputNotFound,
  type Lines,
  type Origin,
  type Payload,
  type Source,
  type Synthetic
} from "@vigil/schema/input"
import { newId } from "@vigil/schema/id"
import type { SessionId, SessionNotFound } from "@vigil/schema/session"
import type { TurnId } from "@vigil/schema/turn"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Bus } from "./bus.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { Kv } from "./kv.ts"
import { jsonOf, rowsOf } from "./row.ts"
import { Sessions } from "./session.ts"

export interface Admission {
  readonly id: InputId
  readonly sessionID: SessionId
  readonly delivery: Delivery
  readonly origin: Origin
  readonly payload: Payload
  /** Whether this is owed a wake. */
  readonly wakes: boolean
}

/** Lines that a monitor printed, one batch of them. */
export interface LinesAdmission {
  /** The id of a new row; not used where an older one has room. */
  readonly id: InputId
  readonly sessionID: SessionId
  readonly delivery: Delivery
  readonly source: Source
  readonly lines: ReadonlyArray<string>
  /** Text that one row may hold, in bytes. */
  readonly maxBytes: number
  /** Whether a new row is owed a wake. */
  readonly wakes: boolean
}

/** Lines that lost their place in a full inbox. */
export interface Replaced {
  readonly sessionID: SessionId
  readonly source: Source
  readonly lines: number
}

export class Inbox extends Context.Service<
  Inbox,
  {
    /** The same id again changes nothing and returns what was admitted first. */
    admit(admission: Admission): Effect.Effect<Input, InputConflict | SessionNotFound>
    /** Adds to the monitor's last unread row while that has room, else makes a new one. */
    admitLines(admission: LinesAdmission): Effect.Effect<Input, InputConflict | SessionNotFound>
    /** Runs in the transaction in which lines lost their place, also in the last one of a server that ends. */
    onReplaced(handle: (replaced: Replaced) => Effect.Effect<void>): Effect.Effect<void>
    /** In order of admission. */
    pending(sessionID: string): Effect.Effect<ReadonlyArray<Input>>
    /** Makes messages of rows that are still there, in order of admission; those are returned. */
    promote(turnID: TurnId, inputs: ReadonlyArray<Input>): Effect.Effect<ReadonlyArray<Input>>
    /** Whether anything of a source was ever admitted, to whichever session. */
    knows(sourceID: string): Effect.Effect<boolean>
    /** Takes back whatever of a source is unread. */
    withdrawSource(sessionID: string, sourceID: string): Effect.Effect<ReadonlyArray<Input>>
    withdraw(sessionID: string, inputID: string): Effect.Effect<Input, InputNotFound>
    /** Sessions with rows that are owed a wake. */
    readonly owed: Effect.Effect<ReadonlyArray<SessionId>>
    /** Puts aside what can't be read, which nobody sees until then. Returns the keys where it is. */
    readonly putAside: Effect.Effect<ReadonlyArray<string>>
  }
>()("core/Inbox") {
  static readonly layer = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const { sql, read, transaction } = yield* Database
      const kv = yield* Kv
      const bus = yield* Bus
      const sessions = yield* Sessions
      const { readable } = rowsOf("input")
      const { maxWaiting } = (yield* (yield* Settings).user).events
      const handlers = new Set<(replaced: Replaced) => Effect.Effect<void>>()

      const admit = Effect.fn("Inbox.admit")(
        function* (admission: Admission) {
          const { id, sessionID, delivery, origin, payload, wakes } = admission
          yield* sessions.get(sessionID)
          const kind: Input["kind"] = payload.type === "prompt" ? "prompt" : "synthetic"
          const digest = digestOf(admission)
          const known = yield* admitted(id)
          if (known) {
            if (known.digest !== digest) return yield* new InputConflict({ inputID: id })
            return {
              id,
              sessionID,
              kind,
              delivery,
              origin,
              payload,
              wakes,
              seq: known.seq,
              createdAt: known.created_at
            }
          }
          const createdAt = yield* Clock.currentTimeMillis
          const [row] = yield* Effect.orDie(sql<{
            seq: number
          }>`INSERT INTO admission (id, session_id, digest, created_at)
            VALUES (${id}, ${sessionID}, ${digest}, ${createdAt}) RETURNING seq`)
          const input: Input = {
            id,
            sessionID,
            kind,
            delivery,
            origin,
            payload,
            wakes,
            seq: row!.seq,
            createdAt
          }
          yield* Effect.orDie(sql`INSERT INTO inbox ${sql.insert(rowOf(input))}`)
          yield* bus.publish({ type: "inbox.admitted", sessionID, data: { input } })
          if (kind === "synthetic") yield* makeRoom(input)
          return input
        },
        (effect) => transaction(effect)
      )

      const admitLines = Effect.fn("Inbox.admitLines")(
        function* ({ id, sessionID, delivery, source, lines, maxBytes, wakes }: LinesAdmission) {
          const last = yield* lastOf(sessionID, source.id)
          const all = last?.payload.type === "lines" ? [...last.payload.lines, ...lines] : lines
          if (last?.payload.type === "lines" && bytesOf(all) <= maxBytes) {
            const payload: Lines = { ...last.payload, lines: all }
            const input: Input = { ...last, payload }
            yield* Effect.orDie(
              sql`UPDATE inbox SET payload = ${JSON.stringify(payload)} WHERE seq = ${last.seq}`
            )
            yield* bus.publish({ type: "inbox.admitted", sessionID, data: { input } })
            return input
          }
          const payload: Lines = { type: "lines", source, lines }
          return yield* admit({ id, sessionID, delivery, origin: "monitor", payload, wakes })
        },
        (effect) => transaction(effect)
      )

      const onReplaced = (handle: (replaced: Replaced) => Effect.Effect<void>) =>
        Effect.sync(() => void handlers.add(handle))

      // One row of counts takes the place of the oldest line rows, and of those that follow them later.
      const makeRoom = Effect.fnUntraced(function* ({ sessionID, id }: Input) {
        const rows = (yield* pending(sessionID)).filter(({ kind }) => kind === "synthetic")
        let excess = rows.length - maxWaiting
        if (excess <= 0) return
        const counts = rows.find(({ payload }) => payload.type === "counts")
        // What was just admitted stays: the newest is worth most.
        const lines = rows.filter((row) => row.payload.type === "lines" && row.id !== id)
        const leaving = counts ? lines.slice(0, excess) : lines.slice(0, excess + 1)
        if (leaving.length === 0) return
        const place = counts ?? leaving[0]!
        const suppressed = new Map<string, { source: Source; lines: number }>()
        const count = (source: Source, lines: number) =>
          suppressed.set(source.id, { source, lines: (suppressed.get(source.id)?.lines ?? 0) + lines })
        if (counts?.payload.type === "counts")
          for (const entry of counts.payload.suppressed) count(entry.source, entry.lines)
        for (const { payload } of leaving) {
          if (payload.type !== "lines") continue
          count(payload.source, payload.lines.length)
          const replaced = { sessionID, source: payload.source, lines: payload.lines.length }
          yield* Effect.forEach(handlers, (handle) => handle(replaced), { discard: true })
        }
        const payload: Synthetic = { type: "counts", suppressed: [...suppressed.values()] }
        const input: Input = counts
          ? { ...counts, payload }
          : { ...place, id: InputId.make(newId("inp")), payload }
        // It stands where the oldest of them stood.
        yield* take([...leaving.map(({ seq }) => seq), place.seq])
        yield* Effect.orDie(sql`INSERT INTO inbox ${sql.insert(rowOf(input))}`)
        yield* bus.publish({
          type: "inbox.withdrawn",
          sessionID,
          data: { inputIDs: leaving.map(({ id }) => id) }
        })
        yield* bus.publish({ type: "inbox.admitted", sessionID, data: { input } })
      })

      const admitted = Effect.fnUntraced(function* (id: string) {
        const [row] = yield* read<{
          seq: number
          digest: string
          created_at: number
        }>`SELECT seq, digest, created_at
          FROM admission WHERE id = ${id}`
        return row
      }, Effect.orDie)

      const knows = Effect.fn("Inbox.knows")(function* (sourceID: string) {
        const rows = yield* read`SELECT 1 FROM admission
          WHERE id > ${`${sourceID}:`} AND id < ${`${sourceID};`} LIMIT 1`
        return rows.length > 0
      }, Effect.orDie)

      const lastOf = Effect.fnUntraced(function* (sessionID: string, sourceID: string) {
        const [row] = yield* read<Row>`SELECT * FROM inbox
          WHERE session_id = ${sessionID} AND source_id = ${sourceID} ORDER BY seq DESC LIMIT 1`
        return row && (yield* readable([row], decode))[0]
      }, Effect.orDie)

      const pending = Effect.fn("Inbox.pending")(function* (sessionID: string) {
        const rows = yield* read<Row>`SELECT * FROM inbox WHERE session_id = ${sessionID} ORDER BY seq`
        return yield* readable(rows, decode)
      }, Effect.orDie)

      const promote = Effect.fn("Inbox.promote")(
        function* (turnID: TurnId, inputs: ReadonlyArray<Input>) {
          const taken = yield* take(inputs.map(({ seq }) => seq))
          const first = taken[0]
          if (first === undefined) return []
          const createdAt = yield* Clock.currentTimeMillis
          for (const { id, sessionID, origin, payload } of taken) {
            const message = { id, sessionID, turnID, createdAt }
            yield* payload.type === "prompt"
              ? sessions.say({ ...message, role: "user", payload })
              : sessions.say({ ...message, role: "event", origin, payload })
          }
          const inputIDs = taken.map(({ id }) => id)
          yield* bus.publish({ type: "inbox.promoted", sessionID: first.sessionID, data: { inputIDs } })
          return taken
        },
        (effect) => transaction(effect)
      )

      const take = Effect.fnUntraced(function* (seqs: ReadonlyArray<number>) {
        if (seqs.length === 0) return []
        const rows = yield* sql<Row>`DELETE FROM inbox WHERE ${sql.in("seq", seqs)} RETURNING *`
        return (yield* readable(rows, decode)).toSorted((a, b) => a.seq - b.seq)
      }, Effect.orDie)

      const withdrawSource = Effect.fn("Inbox.withdrawSource")(
        function* (sessionID: string, sourceID: string) {
          const rows = yield* read<{ seq: number }>`SELECT seq FROM inbox
            WHERE session_id = ${sessionID} AND source_id = ${sourceID}`.pipe(Effect.orDie)
          return yield* tellWithdrawn(yield* take(rows.map(({ seq }) => seq)))
        },
        (effect) => transaction(effect)
      )

      const withdraw = Effect.fn("Inbox.withdraw")(
        function* (sessionID: string, inputID: string) {
          const rows = yield* Effect.orDie(
            sql<Row>`DELETE FROM inbox WHERE session_id = ${sessionID} AND id = ${inputID} RETURNING *`
          )
          const [input] = yield* tellWithdrawn(yield* readable(rows, decode))
          return input ?? (yield* new InputNotFound({ inputID }))
        },
        (effect) => transaction(effect)
      )

      const tellWithdrawn = Effect.fnUntraced(function* (inputs: ReadonlyArray<Input>) {
        const sessionID = inputs[0]?.sessionID
        const inputIDs = inputs.map(({ id }) => id)
        if (sessionID) yield* bus.publish({ type: "inbox.withdrawn", sessionID, data: { inputIDs } })
        return inputs
      })

      const owed = Effect.map(
        Effect.orDie(read<{ session_id: string }>`SELECT DISTINCT session_id FROM inbox WHERE wakes = 1`),
        (rows) => rows.map(({ session_id }) => session_id as SessionId)
      )

      const putAside = Effect.gen(function* () {
        const rows = yield* Effect.orDie(read<Row>`SELECT * FROM inbox ORDER BY seq`)
        const damaged = rows.filter((row) => decode(row) === undefined)
        return yield* Effect.forEach(damaged, (row) => {
          const key = `aside/inbox/${row.session_id}/${row.id}`
          return transaction(
            Effect.gen(function* () {
              yield* kv.set(key, row)
              yield* Effect.orDie(sql`DELETE FROM inbox WHERE seq = ${row.seq}`)
              yield* bus.publish({
                type: "inbox.withdrawn",
                sessionID: row.session_id as SessionId,
                data: { inputIDs: [row.id as InputId] }
              })
              return key
            })
          )
        })
      })

      return Inbox.of({
        admit,
        admitLines,
        onReplaced,
        pending,
        knows,
        promote,
        withdrawSource,
        withdraw,
        owed,
        putAside
      })
    })
  )
}

/** As the table has it. */
type Row = {
  readonly seq: number
  readonly id: string
  readonly session_id: string
  readonly kind: string
  readonly delivery: string
  readonly origin: string
  readonly type: string
  readonly source_id: string | null
  readonly payload: string
  readonly wakes: number
  readonly created_at: number
}

const rowOf = ({ seq, id, sessionID, kind, delivery, origin, payload, wakes, createdAt }: Input): Row => ({
  seq,
  id,
  session_id: sessionID,
  kind,
  delivery,
  origin,
  type: payload.type,
  source_id: "source" in payload ? payload.source.id : null,
  payload: JSON.stringify(payload),
  wakes: wakes ? 1 : 0,
  created_at: createdAt
})

const isInput = Schema.is(Input)

/** Undefined where it is damaged, or another version's. */
const decode = (row: Row): Input | undefined => {
  const { seq, id, session_id, kind, delivery, origin, payload, wakes, created_at } = row
  const input = {
    id,
    sessionID: session_id,
    kind,
    delivery,
    origin,
    payload: jsonOf(payload),
    seq,
    createdAt: created_at,
    wakes: wakes === 1
  }
  return isInput(input) ? input : undefined
}

const digestOf = ({ sessionID, delivery, origin, payload }: Admission) =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([sessionID, delivery, origin, payload]))
    .digest("base64")

/** As they will stand in an event: a newline and an indent of two spaces are between them. */
const bytesOf = (lines: ReadonlyArray<string>) =>
  lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 3, -3)
