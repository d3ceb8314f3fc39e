/**
 * Every durable fact, in order, and the feed that replays them.
 *
 * An event is stored in the transaction that makes it true. What is announced after the commit is only that
 * there is something new: each follower reads the table from where it stands, so that none can miss an event,
 * hear it twice or out of order, or hold more of them than one page.
 */
import type { Event, EventDraft, EventType, MessageDelta } from "@vigil/schema/event-manifest"
import { newId } from "@vigil/schema/id"
import { Clock, Context, Effect, Layer, Option, PubSub, Schema, Stream } from "effect"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { Kv } from "./kv.ts"

/** What should have come next is no longer kept, or was never here. Read the state again. */
export class EventsForgotten extends Schema.TaggedError<EventsForgotten>()("EventsForgotten", {
  after: Schema.Int,
  /** `ahead`: there is no event so new. */
  reason: Schema.Literals(["forgotten", "ahead"])
}) {}

/** An event as it is kept: `json` is the whole of it, and is never taken apart on its way. */
export interface StoredEvent {
  readonly seq: number
  readonly type: EventType
  readonly sessionID?: string
  readonly json: string
}

export const pageSize = 256
/** Deltas that wait for one listener; past it the oldest are dropped, and the part's end brings the whole text. */
const deltaRoom = 4_096
/** So often, in events, the log is cut to what is kept. */
const pruneEvery = 512
const prunedKey = "feed/pruned"

export class Bus extends Context.Service<
  Bus,
  {
    /** Stores an event, in the transaction that is open if one is. Returns its place. */
    publish(draft: EventDraft): Effect.Effect<number>
    /** The next events after `seq`, `pageSize` at most; none where there are none yet. */
    page(seq: number): Effect.Effect<ReadonlyArray<StoredEvent>, EventsForgotten>
    /** Everything after `seq`, then everything to come, by pages. */
    stored(seq: number): Stream.Stream<StoredEvent, EventsForgotten>
    /** The same, read. */
    follow(seq: number): Stream.Stream<Event, EventsForgotten>
    /** Made once for a database: a place of another one's log says nothing here. */
    readonly storeID: string
    /** The newest event's place. */
    readonly head: Effect.Effect<number>
    /** Tells whoever listens now; not kept. */
    signal(delta: MessageDelta): Effect.Effect<void>
    readonly signals: Stream.Stream<MessageDelta>
    /** Removes what was told of a session. */
    forget(sessionID: string): Effect.Effect<void>
  }
>()("core/Bus") {
  static readonly layer = Layer.effect(
    Bus,
    Effect.gen(function* () {
      const { sql, read, afterCommit } = yield* Database
      const kv = yield* Kv
      const { keepEvents } = (yield* (yield* Settings).user).feed
      const doorbell = yield* PubSub.sliding<void>(1)
      const deltas = yield* PubSub.sliding<MessageDelta>(deltaRoom)

      const head = Effect.gen(function* () {
        const [row] = yield* read<{ seq: number | null }>`SELECT MAX(seq) AS seq FROM event`
        return row?.seq ?? 0
      }).pipe(Effect.orDie)

      /** The newest that was announced: who has it need not look for more. */
      let newest = yield* head

      const publish = Effect.fn("Bus.publish")(function* (draft: EventDraft) {
        const created = yield* Clock.currentTimeMillis
        const [row] = yield* sql<{ seq: number }>`INSERT INTO event (id, type, session_id, created, data)
          VALUES (${newId("evt")}, ${draft.type}, ${draft.sessionID ?? null}, ${created}, ${JSON.stringify(draft.data)})
          RETURNING seq`
        if (row!.seq % pruneEvery === 0) yield* prune(row!.seq - keepEvents)
        const { seq } = row!
        yield* afterCommit(
          Effect.suspend(() => {
            newest = Math.max(newest, seq)
            return PubSub.publish(doorbell, undefined)
          })
        )
        return seq
      }, Effect.orDie)

      const prune = Effect.fnUntraced(function* (upTo: number) {
        if (upTo <= 0) return
        yield* sql`DELETE FROM event WHERE seq <= ${upTo}`
        yield* kv.set(prunedKey, upTo)
      })

      // The page first, then what was pruned: a page that pruning overtook is not mistaken for a whole one.
      const page = Effect.fnUntraced(function* (after: number) {
        const rows = yield* Effect.orDie(
          read<EventRow>`SELECT * FROM event WHERE seq > ${after} ORDER BY seq LIMIT ${pageSize}`
        )
        // Numbers have no gaps of their own: with the very next event here, nothing is gone.
        if (rows[0]?.seq !== after + 1) {
          const pruned = Option.getOrElse(yield* kv.get(prunedKey), () => 0) as number
          if (pruned > after) return yield* new EventsForgotten({ after, reason: "forgotten" })
        }
        return rows.map(storedEvent)
      })

      const stored = (seq: number) =>
        Stream.unwrap(
          Effect.gen(function* () {
            // Subscribed before the first read, so that what is stored meanwhile rings.
            const rings = yield* PubSub.subscribe(doorbell)
            if (seq > (yield* head)) return yield* new EventsForgotten({ after: seq, reason: "ahead" })
            let last = seq
            const next = Effect.gen(function* () {
              for (;;) {
                const events = last < newest ? yield* page(last) : []
                if (events.length === 0) {
                  yield* PubSub.take(rings)
                  continue
                }
                last = events.at(-1)!.seq
                return events
              }
            })
            return Stream.flattenIterable(Stream.fromEffectRepeat(next))
          })
        )

      const [store] = yield* Effect.orDie(read<{ id: string }>`SELECT id FROM store`)
      const storeID = store!.id

      const forget = Effect.fn("Bus.forget")(function* (sessionID: string) {
        yield* sql`DELETE FROM event WHERE session_id = ${sessionID}`
      }, Effect.orDie)

      return Bus.of({
        publish,
        page,
        stored,
        follow: (seq) => Stream.map(stored(seq), ({ json }) => JSON.parse(json) as Event),
        storeID,
        head,
        signal: (delta) => Effect.asVoid(PubSub.publish(deltas, delta)),
        signals: Stream.fromPubSub(deltas),
        forget
      })
    })
  )
}

interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: EventType
  readonly session_id: string | null
  readonly created: number
  readonly data: string
}

const storedEvent = ({ seq, id, type, session_id, created, data }: EventRow): StoredEvent => {
  const session = session_id === null ? "" : `,"sessionID":${JSON.stringify(session_id)}`
  return {
    seq,
    type,
    ...(session_id !== null && { sessionID: session_id }),
    json: `{"seq":${seq},"id":"${id}","type":"${type}"${session},"created":${created},"data":${data}}`
  }
}
