import { InputId } from "@vigil/schema/input"
import {
  type AssistantMessage,
  MessageId,
  PartId,
  type SummaryMessage,
  type TextPart
} from "@vigil/schema/message"
import { type Session, SessionId, SessionNotFound } from "@vigil/schema/session"
import { TurnId } from "@vigil/schema/turn"
import { describe, expect } from "bun:test"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, mkdirSync } from "node:fs"
import { Database } from "../src/database.ts"
import { Kv } from "../src/kv.ts"
import { Sessions } from "../src/session.ts"
import { StateDirectory } from "../src/state.ts"
import { directory, newSession, storage, told } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(storage())

const turnID = TurnId.make("trn_1")
const said = (session: Session, id: string) =>
  Sessions.use((sessions) =>
    sessions.say({
      id: InputId.make(id),
      sessionID: session.id,
      turnID,
      createdAt: 0,
      role: "user",
      payload: { type: "prompt", text: id }
    })
  )
const answer = (session: Session, id: string): AssistantMessage => ({
  id: MessageId.make(id),
  sessionID: session.id,
  turnID,
  createdAt: 0,
  role: "assistant",
  model: "test/model",
  status: "streaming"
})
const part = (session: Session, id: string, messageID: string): TextPart => ({
  id: PartId.make(id),
  sessionID: session.id,
  messageID: MessageId.make(messageID),
  type: "text",
  text: ""
})

describe("Sessions", () => {
  it.effect(
    "a session has what it was created with, and defaults for the rest",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const plain = yield* newSession()
      expect(plain).toMatchObject({ directory, rules: [], unattended: false, createdAt: 0, updatedAt: 0 })
      const named = yield* newSession({ title: "Tea", model: "a/b", unattended: true })
      expect(named).toMatchObject({ title: "Tea", model: "a/b", unattended: true })
      expect(yield* sessions.list).toEqual([named, plain])
      expect(yield* told("session.created")).toHaveLength(2)
    })
  )

  it.effect(
    "a directory that is missing, relative or a file is refused",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      for (const bad of ["/does/not/exist", ".", import.meta.path]) {
        expect(yield* Effect.flip(sessions.create({ directory: bad }))).toMatchObject({
          _tag: "DirectoryNotFound",
          directory: bad
        })
      }
      expect(yield* sessions.list).toEqual([])
    })
  )

  it.effect(
    "an update is stored, dated and told",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const session = yield* newSession()
      yield* TestClock.adjust("1 minute")
      yield* sessions.update(session.id, (before) => ({ ...before, title: "Tea" }))
      expect(yield* sessions.get(session.id)).toEqual({ ...session, title: "Tea", updatedAt: 60_000 })
      expect(yield* told("session.updated")).toMatchObject([{ data: { session: { title: "Tea" } } }])
      const gone = yield* Effect.flip(sessions.update("ses_other", (before) => before))
      expect(gone).toEqual(new SessionNotFound({ sessionID: "ses_other" }))
    })
  )

  it.effect(
    "messages come in order with their own parts, a page at a time",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const [session, other] = [yield* newSession(), yield* newSession()]
      yield* said(session, "inp_1")
      yield* said(other, "inp_2")
      yield* sessions.say(answer(session, "msg_1"))
      yield* sessions.addPart(part(session, "prt_1", "msg_1"))
      yield* sessions.say(answer(session, "msg_2"))
      yield* sessions.addPart(part(session, "prt_2", "msg_2"))
      yield* sessions.addPart(part(session, "prt_3", "msg_1"))
      yield* sessions.completePart({ ...part(session, "prt_1", "msg_1"), text: "Yes" })
      yield* sessions.revise({ ...answer(session, "msg_1"), status: "completed" })
      const all = yield* sessions.messages(session.id)
      expect(
        all.map(({ message, parts }): Array<string> => [message.id, ...parts.map(({ id }) => id)])
      ).toEqual([["inp_1"], ["msg_1", "prt_1", "prt_3"], ["msg_2", "prt_2"]])
      expect(all[1]).toMatchObject({
        message: { status: "completed" },
        parts: [{ text: "Yes" }, { text: "" }]
      })
      const page = yield* sessions.messages(session.id, { after: all[0]!.seq, limit: 1 })
      expect(page).toEqual([all[1]!])
      expect(yield* sessions.messages("ses_other")).toEqual([])
    })
  )

  it.effect(
    "a deletion takes along what was said and told, its files, and who takes part in it",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const kv = yield* Kv
      const state = yield* StateDirectory
      const session = yield* newSession()
      const folder = state.folder(session.id, "mon_1")
      mkdirSync(folder, { recursive: true })
      yield* kv.set("mine", 1)
      yield* said(session, "inp_1")
      const order: Array<string> = []
      yield* sessions.onRemove({
        within: () =>
          Effect.andThen(
            kv.remove("mine"),
            Effect.sync(() => void order.push("within"))
          ),
        after: (id) =>
          Effect.match(sessions.get(id), {
            onSuccess: () => void order.push("after, still there"),
            onFailure: ({ _tag }) => void order.push(`after, ${_tag}, ${existsSync(folder)}`)
          })
      })
      yield* sessions.remove(session.id)
      expect(order).toEqual(["within", "after, SessionNotFound, true"])
      expect(existsSync(folder)).toBe(false)
      expect(yield* kv.get("mine")).toEqual(Option.none())
      expect(yield* sessions.messages(session.id)).toEqual([])
      expect((yield* told()).map(({ type }) => type)).toEqual(["session.deleted"])
      expect(yield* Effect.flip(sessions.remove(session.id))).toBeInstanceOf(SessionNotFound)
    })
  )

  it.effect(
    "a deletion that fails half-way leaves everything",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const session = yield* newSession()
      yield* said(session, "inp_1")
      yield* sessions.onRemove({ within: () => Effect.die("no"), after: () => Effect.void })
      yield* Effect.exit(sessions.remove(session.id))
      expect(yield* sessions.messages(session.id)).toHaveLength(1)
      expect(yield* told("session.created", "message.created")).toHaveLength(2)
    })
  )

  it.effect(
    "of a session that is gone nothing more is told",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const session = yield* newSession()
      yield* sessions.say(answer(session, "msg_1"))
      yield* sessions.addPart(part(session, "prt_1", "msg_1"))
      yield* sessions.remove(session.id)
      yield* sessions.completePart(part(session, "prt_1", "msg_1"))
      yield* sessions.revise({ ...answer(session, "msg_1"), status: "completed" })
      expect((yield* told()).map(({ type }) => type)).toEqual(["session.deleted"])
      expect(yield* Effect.flip(sessions.get(SessionId.make(session.id)))).toBeInstanceOf(SessionNotFound)
    })
  )
})

describe("a conversation", () => {
  const summary = (session: Session, id: string, through: number, keeps?: number): SummaryMessage => ({
    id: MessageId.make(id),
    sessionID: session.id,
    turnID,
    createdAt: 0,
    role: "summary",
    text: id,
    through,
    ...(keeps !== undefined && { keeps }),
    model: "test/model",
    usage: { inputTokens: 7, outputTokens: 2, cacheReadTokens: 1 }
  })
  const ids = (session: Session) =>
    Sessions.use((sessions) =>
      Effect.map(sessions.conversation(session.id), (messages) =>
        messages.map(({ message }) => String(message.id))
      )
    )

  it.effect(
    "is everything until a part is summarised, then the newest summary and what lies behind",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const session = yield* newSession()
      const other = yield* newSession()
      for (const id of ["inp_1", "inp_2", "inp_3", "inp_4"]) yield* said(session, id)
      yield* said(other, "inp_9")
      expect(yield* ids(session)).toEqual(["inp_1", "inp_2", "inp_3", "inp_4"])
      const places = (yield* sessions.messages(session.id)).map(({ seq }) => seq)
      yield* sessions.say(summary(session, "msg_a", places[1]!))
      yield* said(session, "inp_5")
      expect(yield* ids(session)).toEqual(["msg_a", "inp_3", "inp_4", "inp_5"])
      // One that is younger than what it does not stand for, and that keeps a prompt.
      yield* sessions.say(summary(session, "msg_b", places[3]!, places[1]))
      expect(yield* ids(session)).toEqual(["inp_2", "msg_b", "inp_5"])
      expect(yield* sessions.messages(session.id)).toHaveLength(7)
      expect(yield* ids(other)).toEqual(["inp_9"])
    })
  )

  it.effect(
    "tells what all its requests took",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const session = yield* newSession()
      expect(yield* sessions.usage(session.id)).toEqual({
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0
      })
      yield* said(session, "inp_1")
      yield* sessions.say({
        ...answer(session, "msg_1"),
        usage: { inputTokens: 10, outputTokens: 3, cacheReadTokens: 4 }
      })
      yield* sessions.say(summary(session, "msg_a", 1))
      expect(yield* sessions.usage(session.id)).toEqual({
        inputTokens: 17,
        outputTokens: 5,
        cacheReadTokens: 5
      })
    })
  )

  it.effect(
    "is read by its newest summary's index, and by its place",
    Effect.gen(function* () {
      const { read } = yield* Database
      const plan = yield* read<{ detail: string }>`EXPLAIN QUERY PLAN SELECT seq, id, record FROM message
        WHERE session_id = ${"ses_1"} AND json_extract(record, '$.role') = 'summary' AND seq < ${9}
        ORDER BY seq DESC LIMIT ${1}`
      expect(plan.map(({ detail }) => detail)).toEqual([
        "SEARCH message USING INDEX message_summary (session_id=? AND seq<?)"
      ])
    })
  )
})
