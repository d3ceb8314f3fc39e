/** Sessions, and what was said in them. */
import { newId } from "@vigil/schema/id"
import {
  type AssistantMessage,
  Message,
  type MessageWithParts,
  Part,
  type ReasoningPart,
  SummaryMessage,
  type TextPart
} from "@vigil/schema/message"
import {
  DirectoryNotFound,
  Session,
  type SessionDraft,
  SessionId,
  SessionNotFound
} from "@vigil/schema/session"
import type { Usage } from "@vigil/schema/usage"
import { Clock, Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import { stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { Bus } from "./bus.ts"
import { Database } from "./database.ts"
import { jsonOf, type Row, rowsOf } from "./row.ts"
import { StateDirectory } from "./state.ts"

/** What has things of its own in a session takes part in its deletion. */
export interface DeletionPart {
  /** Inside the transaction that deletes the session, before its rows go. */
  readonly within: (sessionID: SessionId) => Effect.Effect<void>
  /** Once the session is gone: ends what still runs. */
  readonly after: (sessionID: SessionId) => Effect.Effect<void>
}

export interface MessagePage {
  /** Only messages behind this place. */
  readonly after?: number
  /** The newest ones in front of this place. */
  readonly before?: number
  readonly limit?: number
}

export interface SessionPage {
  /** Only sessions older than this one. */
  readonly after?: string
  readonly limit: number
}

/** A part whose text still grows. */
export type StreamingPart = TextPart | ReasoningPart

export class Sessions extends Context.Service<
  Sessions,
  {
    create(draft: SessionDraft): Effect.Effect<Session, DirectoryNotFound>
    get(sessionID: string): Effect.Effect<Session, SessionNotFound>
    /** Newest first. */
    readonly list: Effect.Effect<ReadonlyArray<Session>>
    page(page: SessionPage): Effect.Effect<ReadonlyArray<Session>>
    /** Sessions whose record is damaged or another version's: to everyone else they are not there. */
    readonly unreadable: Effect.Effect<ReadonlyArray<string>>
    update(sessionID: string, change: (session: Session) => Session): Effect.Effect<Session, SessionNotFound>
    /** In one transaction the session is gone, to everyone; then what still runs of it is ended. */
    remove(sessionID: string): Effect.Effect<void, SessionNotFound>
    /** Takes part in every deletion while the scope is open. */
    onRemove(part: DeletionPart): Effect.Effect<void, never, Scope.Scope>

    /** In order of being said, with the text so far of parts that are not complete. */
    messages(sessionID: string, page?: MessagePage): Effect.Effect<ReadonlyArray<MessageWithParts>>
    /**
     * What a model reads, in its order: the prompt that the newest summary keeps, that summary, and what lies behind
     * all that it stands for. However long the session, no more than that is looked at.
     */
    conversation(sessionID: string): Effect.Effect<ReadonlyArray<MessageWithParts>>
    /** What all model requests of the session took so far. Looks at every message. */
    usage(sessionID: string): Effect.Effect<Usage>
    say(message: Message): Effect.Effect<void>
    /** Of a session that was deleted meanwhile nothing is told. */
    revise(message: AssistantMessage): Effect.Effect<void>
    addPart(part: Part): Effect.Effect<void>
    /** The text so far of a part that was added; kept in memory until it is complete. */
    draft(part: StreamingPart): Effect.Effect<void>
    /** As `revise`. */
    completePart(part: Part): Effect.Effect<void>
  }
>()("core/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const { sql, read, transaction, afterCommit } = yield* Database
      const bus = yield* Bus
      const state = yield* StateDirectory
      const deletionParts = new Set<DeletionPart>()
      const sessionRows = rowsOf("session")
      const messageRows = rowsOf("message")
      const partRows = rowsOf("part")
      // Of the steps that run, so there are no more than turns.
      const drafts = new Map<string, StreamingPart>()

      const create = Effect.fn("Sessions.create")(function* (draft: SessionDraft) {
        const { directory } = draft
        const found = yield* Effect.promise(() => stat(directory).catch(() => undefined))
        if (!isAbsolute(directory) || !found?.isDirectory())
          return yield* new DirectoryNotFound({ directory })
        const now = yield* Clock.currentTimeMillis
        const session: Session = {
          rules: [],
          unattended: false,
          ...draft,
          id: SessionId.make(newId("ses")),
          createdAt: now,
          updatedAt: now
        }
        yield* Effect.gen(function* () {
          yield* sql`INSERT INTO session (id, record) VALUES (${session.id}, ${JSON.stringify(session)})`
          yield* bus.publish({ type: "session.created", sessionID: session.id, data: { session } })
        }).pipe(transaction)
        return session
      })

      const get = Effect.fn("Sessions.get")(function* (sessionID: string) {
        const [row] = yield* Effect.orDie(
          read<Pick<Document, "record">>`SELECT record FROM session WHERE id = ${sessionID}`
        )
        const session = row ? decode(row.record) : Option.none()
        return Option.isSome(session) ? session.value : yield* new SessionNotFound({ sessionID })
      })

      const all = Effect.orDie(read<Document>`SELECT seq, id, record FROM session ORDER BY seq DESC`)
      const list = Effect.map(all, (rows) => rows.flatMap(({ record }) => Option.toArray(decode(record))))
      const page = Effect.fn("Sessions.page")(function* ({ after, limit }: SessionPage) {
        const [from] =
          after === undefined
            ? []
            : yield* read<Pick<Row, "seq">>`SELECT seq FROM session WHERE id = ${after}`
        return yield* sessionRows.filled({
          limit,
          from: from?.seq ?? last,
          page: (from, limit) => read<Document>`SELECT seq, id, record FROM session
            WHERE seq < ${from} ORDER BY seq DESC LIMIT ${limit}`,
          read: ({ record }) => Option.getOrUndefined(decode(record))
        })
      }, Effect.orDie)
      const unreadable = Effect.map(all, (rows) =>
        rows.filter(({ record }) => Option.isNone(decode(record))).map(({ id }) => id)
      )

      const update = Effect.fn("Sessions.update")(
        function* (sessionID: string, change: (session: Session) => Session) {
          const session = { ...change(yield* get(sessionID)), updatedAt: yield* Clock.currentTimeMillis }
          yield* Effect.orDie(
            sql`UPDATE session SET record = ${JSON.stringify(session)} WHERE id = ${sessionID}`
          )
          yield* bus.publish({ type: "session.updated", sessionID: session.id, data: { session } })
          return session
        },
        (effect) => transaction(effect)
      )

      const remove = Effect.fn("Sessions.remove")(function* (sessionID: string) {
        const { id } = yield* transaction(
          Effect.gen(function* () {
            // One that can't be read can be deleted all the same.
            const [session] = yield* Effect.orDie(
              sql<{ id: SessionId }>`SELECT id FROM session WHERE id = ${sessionID}`
            )
            if (session === undefined) return yield* new SessionNotFound({ sessionID })
            yield* bus.forget(sessionID)
            yield* Effect.forEach(deletionParts, ({ within }) => within(session.id), { discard: true })
            yield* Effect.orDie(sql`DELETE FROM session WHERE id = ${sessionID}`)
            yield* bus.publish({
              type: "session.deleted",
              sessionID: session.id,
              data: { sessionID: session.id }
            })
            return session
          })
        )
        yield* Effect.forEach(deletionParts, ({ after }) => after(id), { discard: true })
        // Last: what was killed wrote to them.
        yield* state.removeSession(id)
        // Begun is finished, whoever hangs up: the next start would only find what is left on disk.
      }, Effect.uninterruptible)

      const onRemove = (part: DeletionPart) =>
        Effect.acquireRelease(
          Effect.sync(() => deletionParts.add(part)),
          () => Effect.sync(() => deletionParts.delete(part))
        ).pipe(Effect.asVoid)

      const messages = Effect.fn("Sessions.messages")(function* (sessionID: string, page: MessagePage = {}) {
        const found = yield* between(sessionID, page)
        return drafts.size === 0 ? found : found.map(withDrafts)
      })

      const withDrafts = ({ parts, ...rest }: MessageWithParts): MessageWithParts => ({
        ...rest,
        // What was completed in the state that is read has its text.
        parts: parts.map((part) => ("text" in part && part.text === "" && drafts.get(part.id)) || part)
      })

      const conversation = Effect.fn("Sessions.conversation")(function* (sessionID: string) {
        const summary = yield* newestSummary(sessionID)
        if (summary === undefined) return yield* between(sessionID, {})
        const { through, keeps } = summary.message
        const kept =
          keeps === undefined ? [] : yield* between(sessionID, { after: keeps - 1, before: keeps + 1 })
        const behind = yield* between(sessionID, { after: through })
        return [...kept, summary, ...behind.filter(({ message }) => message.role !== "summary")]
      })

      const newestSummary = Effect.fnUntraced(function* (sessionID: string) {
        const [summary] = yield* messageRows.filled({
          limit: 1,
          from: last,
          // The condition is word for word the index's own.
          page: (from, limit) => read<Document>`SELECT seq, id, record FROM message
            WHERE session_id = ${sessionID} AND json_extract(record, '$.role') = 'summary' AND seq < ${from}
            ORDER BY seq DESC LIMIT ${limit}`,
          read: ({ seq, record }) => {
            const message = jsonOf(record)
            return isSummary(message) ? { seq, message, parts: [] } : undefined
          }
        })
        return summary
      }, Effect.orDie)

      const between = Effect.fnUntraced(function* (
        sessionID: string,
        { after = 0, before, limit = 1_000_000 }: MessagePage
      ) {
        const found =
          before === undefined
            ? yield* messageRows.filled({
                limit,
                from: after,
                page: (from, limit) => read<Document>`SELECT seq, id, record FROM message
                  WHERE session_id = ${sessionID} AND seq > ${from} ORDER BY seq LIMIT ${limit}`,
                read: messageOf
              })
            : (yield* messageRows.filled({
                limit,
                from: before,
                page: (from, limit) => read<Document>`SELECT seq, id, record FROM message
                  WHERE session_id = ${sessionID} AND seq > ${after} AND seq < ${from}
                  ORDER BY seq DESC LIMIT ${limit}`,
                read: messageOf
              })).toReversed()
        const first = found[0]
        if (first === undefined) return []
        const rows = yield* read<Document>`SELECT part.seq, part.id, part.record
          FROM part JOIN message ON message.id = part.message_id
          WHERE message.session_id = ${sessionID} AND message.seq BETWEEN ${first.seq} AND ${found.at(-1)!.seq}
          ORDER BY message.seq, part.seq`
        const parts = Map.groupBy(
          yield* partRows.readable(rows, partOf),
          ({ messageID }): string => messageID
        )
        return found.map(({ seq, message }): MessageWithParts => ({
          seq,
          message,
          parts: parts.get(message.id) ?? []
        }))
      }, Effect.orDie)

      const usage = Effect.fn("Sessions.usage")(function* (sessionID: string) {
        const [row] = yield* read<Usage>`SELECT
            coalesce(sum(json_extract(record, '$.usage.inputTokens')), 0) AS inputTokens,
            coalesce(sum(json_extract(record, '$.usage.outputTokens')), 0) AS outputTokens,
            coalesce(sum(json_extract(record, '$.usage.cacheReadTokens')), 0) AS cacheReadTokens
          FROM message WHERE session_id = ${sessionID}`
        return row!
      }, Effect.orDie)

      const say = Effect.fn("Sessions.say")(
        function* (message: Message) {
          yield* Effect.orDie(
            sql`INSERT INTO message (id, session_id, record) VALUES (${message.id}, ${message.sessionID}, ${JSON.stringify(message)})`
          )
          yield* bus.publish({ type: "message.created", sessionID: message.sessionID, data: { message } })
        },
        (effect) => transaction(effect)
      )

      const revise = Effect.fn("Sessions.revise")(
        function* (message: AssistantMessage) {
          const found = yield* Effect.orDie(
            sql`UPDATE message SET record = ${JSON.stringify(message)} WHERE id = ${message.id} RETURNING id`
          )
          if (found.length === 0) return
          const type = message.status === "streaming" ? "message.updated" : "message.completed"
          yield* bus.publish({ type, sessionID: message.sessionID, data: { message } })
        },
        (effect) => transaction(effect)
      )

      const addPart = Effect.fn("Sessions.addPart")(
        function* (part: Part) {
          yield* Effect.orDie(sql`INSERT INTO part (id, message_id, session_id, record)
            VALUES (${part.id}, ${part.messageID}, ${part.sessionID}, ${JSON.stringify(part)})`)
          yield* bus.publish({ type: "part.created", sessionID: part.sessionID, data: { part } })
        },
        (effect) => transaction(effect)
      )

      const draft = (part: StreamingPart) => Effect.sync(() => void drafts.set(part.id, part))

      const completePart = Effect.fn("Sessions.completePart")(
        function* (part: Part) {
          yield* afterCommit(Effect.sync(() => drafts.delete(part.id)))
          const found = yield* Effect.orDie(
            sql`UPDATE part SET record = ${JSON.stringify(part)} WHERE id = ${part.id} RETURNING id`
          )
          if (found.length === 0) return
          yield* bus.publish({ type: "part.completed", sessionID: part.sessionID, data: { part } })
        },
        (effect) => transaction(effect)
      )

      return Sessions.of({
        create,
        get,
        list,
        page,
        unreadable,
        update,
        remove,
        onRemove,
        messages,
        conversation,
        usage,
        say,
        revise,
        addPart,
        draft,
        completePart
      })
    })
  )
}

interface Document extends Row {
  readonly record: string
}

/** Behind every place. */
const last = Number.MAX_SAFE_INTEGER

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Session))

const isMessage = Schema.is(Message)
const isSummary = Schema.is(SummaryMessage)
const isPart = Schema.is(Part)

const messageOf = ({ seq, record }: Document) => {
  const message = jsonOf(record)
  return isMessage(message) ? { seq, message } : undefined
}

const partOf = ({ record }: Document) => {
  const part = jsonOf(record)
  return isPart(part) ? part : undefined
}
