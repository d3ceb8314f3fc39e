/** One row that is damaged, or another version's: it is left out, and everything around it goes on. */
import { InputId } from "@vigil/schema/input"
import { type AssistantMessage, MessageId, PartId, type SummaryMessage } from "@vigil/schema/message"
import type { Session } from "@vigil/schema/session"
import { TurnId } from "@vigil/schema/turn"
import { call, say } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Coordinator } from "../src/coordinator.ts"
import { Database } from "../src/database.ts"
import { Inbox } from "../src/inbox.ts"
import { Sessions } from "../src/session.ts"
import { core, idle, newSession, prompt, told, transcript } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { Model } from "./lib/model.ts"
import { edit, logs, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession as sessionIn } from "./lib/world.ts"

const it = testEffect(core())

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
  status: "completed"
})
const summary = (session: Session, id: string, through: number): SummaryMessage => ({
  id: MessageId.make(id),
  sessionID: session.id,
  turnID,
  createdAt: 0,
  role: "summary",
  text: id,
  through,
  model: "test/model",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }
})

const damage = (table: "session" | "message" | "part" | "inbox", id: string, text = '{"version":7}') =>
  Database.use(({ sql }) =>
    table === "inbox"
      ? sql`UPDATE inbox SET payload = ${text} WHERE id = ${id}`
      : sql`UPDATE ${sql(table)} SET record = ${text} WHERE id = ${id}`
  )
const ids = (messages: ReadonlyArray<{ readonly message: { readonly id: string } }>) =>
  messages.map(({ message }) => message.id)

describe("a message that can't be read", () => {
  const talk = Effect.gen(function* () {
    const session = yield* newSession()
    for (const id of ["inp_1", "inp_2", "inp_3", "inp_4"]) yield* said(session, id)
    const places = (yield* (yield* Sessions).messages(session.id)).map(({ seq }) => seq)
    yield* damage("message", "inp_2")
    return { session, places }
  })

  it.effect(
    "is left out of pages, and takes nobody's place in them",
    Effect.gen(function* () {
      const { messages } = yield* Sessions
      const { session, places } = yield* talk
      expect(ids(yield* messages(session.id))).toEqual(["inp_1", "inp_3", "inp_4"])
      expect(ids(yield* messages(session.id, { limit: 2 }))).toEqual(["inp_1", "inp_3"])
      expect(ids(yield* messages(session.id, { before: places[3]!, limit: 2 }))).toEqual(["inp_1", "inp_3"])
      expect(ids(yield* messages(session.id, { after: places[0]!, before: places[3]! }))).toEqual(["inp_3"])
    })
  )

  it.effect(
    "does not keep its session from going on, and is told of once",
    Effect.gen(function* () {
      const { session } = yield* talk
      const { lines, layer } = logs()
      yield* Effect.gen(function* () {
        yield* prompt(session, "Go on")
        const asked = yield* (yield* Model).asked
        expect(asked.text).toContain("inp_1\ninp_3\ninp_4\nGo on")
        yield* asked.say("Here")
        yield* idle(session)
        yield* transcript(session)
      }).pipe(Effect.provide(layer))
      expect((yield* transcript(session)).at(-1)).toBe("completed: Here")
      expect(lines.filter((line) => line.includes("inp_2"))).toHaveLength(1)
    })
  )

  it.effect(
    "stands for nothing if it is a summary: the one before it does",
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const { session, places } = yield* talk
      yield* sessions.say(summary(session, "msg_a", places[0]!))
      yield* sessions.say(summary(session, "msg_b", places[3]!))
      yield* damage("message", "msg_b", '{"version":7,"role":"summary"}')
      expect(ids(yield* sessions.conversation(session.id))).toEqual(["msg_a", "inp_3", "inp_4"])
    })
  )
})

describe("a part that can't be read", () => {
  for (const [what, text] of [
    ["of another version", '{"version":7}'],
    ["that is damaged", '{"id":']
  ] as const) {
    it.effect(
      `${what}, is left out of its message`,
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const session = yield* newSession()
        yield* sessions.say(answer(session, "msg_1"))
        for (const id of ["prt_1", "prt_2"]) {
          yield* sessions.addPart({
            id: PartId.make(id),
            messageID: MessageId.make("msg_1"),
            sessionID: session.id,
            type: "text",
            text: id
          })
        }
        yield* damage("part", "prt_1", text)
        const [message] = yield* sessions.messages(session.id)
        expect(message!.parts.map(({ id }): string => id)).toEqual(["prt_2"])
      })
    )
  }
})

describe("a session that can't be read", () => {
  it.effect(
    "is left out of pages, and takes nobody's place in them",
    Effect.gen(function* () {
      const { page } = yield* Sessions
      const made = []
      for (let i = 0; i < 4; i++) made.push(yield* newSession())
      const [oldest, second, third, newest] = made.map(({ id }) => id)
      yield* damage("session", third!)
      const sessionIDs = (after?: string) =>
        Effect.map(page({ limit: 2, ...(after && { after }) }), (found) => found.map(({ id }) => id))
      expect(yield* sessionIDs()).toEqual([newest!, second!])
      expect(yield* sessionIDs(second)).toEqual([oldest!])
      // Where a page began with it meanwhile, the next one goes on behind it.
      expect(yield* sessionIDs(third)).toEqual([second!, oldest!])
    })
  )

  const world = testEffect(Layer.empty)

  world.live(
    "can be deleted, and what is its own with it",
    Effect.gen(function* () {
      const made = yield* makeWorld(({ called }) =>
        called("shell") ? say("Done") : call("shell", { command: "echo kept" })
      )
      const session = yield* local(
        Effect.gen(function* () {
          const session = yield* sessionIn(made.directory)
          const coordinator = yield* Coordinator
          yield* coordinator.prompt(session.id, { text: "Go" })
          yield* coordinator.awaitIdle(session.id)
          return session
        }),
        made.server()
      )
      const files = join(made.stateDir, "sessions", session.id)
      expect(existsSync(files)).toBe(true)
      edit(made.stateDir, "UPDATE session SET record = ? WHERE id = ?", '{"version":7}', session.id)
      const gone = yield* local(
        Effect.gen(function* () {
          yield* (yield* Sessions).remove(session.id)
          return (yield* told("session.deleted")).map(({ data }) => data.sessionID)
        }),
        made.server().pipe(Layer.provide(logs().layer))
      )
      expect(gone).toEqual([session.id])
      const stored = storedIn(made.stateDir)
      expect([stored.sessions(), stored.messages(), stored.parts(), stored.records("shell/")]).toEqual([
        [],
        [],
        [],
        []
      ])
      expect(existsSync(files)).toBe(false)
    })
  )
})

describe("a row of the inbox that can't be read", () => {
  it.effect(
    "is passed over: what waits beside it is read",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const session = yield* newSession()
      const admit = (id: string) =>
        inbox.admit({
          id: InputId.make(id),
          sessionID: session.id,
          delivery: "steer",
          origin: "user",
          payload: { type: "prompt", text: id },
          wakes: true
        })
      yield* admit("inp_1")
      yield* admit("inp_2")
      yield* damage("inbox", "inp_1", '{"type":')
      expect((yield* inbox.pending(session.id)).map(({ id }): string => id)).toEqual(["inp_2"])
      yield* (yield* Coordinator).wake(session.id)
      const asked = yield* (yield* Model).asked
      expect(asked.text).toContain("inp_2")
      yield* asked.say("Read")
      yield* idle(session)
    })
  )

  const world = testEffect(Layer.empty)

  world.live(
    "is put aside by the next start, told of, and owes no wake any more",
    Effect.gen(function* () {
      const made = yield* makeWorld(() => say("Here"))
      const session = yield* local(
        Effect.gen(function* () {
          const session = yield* sessionIn(made.directory)
          yield* (yield* Inbox).admit({
            id: InputId.make("inp_1"),
            sessionID: session.id,
            delivery: "steer",
            origin: "user",
            payload: { type: "prompt", text: "Go" },
            wakes: true
          })
          return session
        }),
        made.server({ wakeOwed: false })
      )
      edit(made.stateDir, "UPDATE inbox SET payload = '{\"version\":7}'")
      const first = logs()
      yield* local(
        Coordinator.use(({ awaitIdle }) => awaitIdle(session.id)),
        made.server().pipe(Layer.provide(first.layer))
      )
      const stored = storedIn(made.stateDir)
      expect(stored.inbox()).toEqual([])
      expect(stored.records("aside/inbox/").map(({ key }) => key)).toEqual([
        `aside/inbox/${session.id}/inp_1`
      ])
      expect(first.lines.join("\n")).toContain(`aside/inbox/${session.id}/inp_1`)
      expect(made.model.requests).toHaveLength(0)

      const again = logs()
      yield* local(Effect.void, made.server().pipe(Layer.provide(again.layer)))
      expect(again.lines).toEqual([])
    })
  )
})
