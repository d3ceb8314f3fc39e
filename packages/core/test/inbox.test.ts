import type { Input, Payload } from "@vigil/schema/input"
import { InputConflict, InputId, InputNotFound } from "@vigil/schema/input"
import { type Session, SessionId, SessionNotFound } from "@vigil/schema/session"
import { TurnId } from "@vigil/schema/turn"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { type Admission, Inbox, type Replaced } from "../src/inbox.ts"
import { Sessions } from "../src/session.ts"
import { lines, newSession, notice, storage, told, transcript } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"

const inbox = (maxWaiting: number) =>
  Inbox.layer.pipe(Layer.provideMerge(storage({ events: { maxWaiting } })))
const it = testEffect(inbox(64))

const turnID = TurnId.make("trn_1")
const admission = (
  session: Session,
  id: string,
  payload: Payload,
  more: Partial<Admission> = {}
): Admission => ({
  id: InputId.make(id),
  sessionID: session.id,
  delivery: "steer",
  origin: payload.type === "prompt" ? "user" : "monitor",
  payload,
  wakes: true,
  ...more
})
const admit = (session: Session, id: string, payload: Payload, more?: Partial<Admission>) =>
  Inbox.use((inbox) => inbox.admit(admission(session, id, payload, more)))
const said = (text: string): Payload => ({ type: "prompt", text })
const pending = (session: Session) => Inbox.use((inbox) => inbox.pending(session.id))
const ids = (inputs: ReadonlyArray<Input>): ReadonlyArray<string> => inputs.map(({ id }) => id)

describe("Inbox", () => {
  it.effect(
    "the same id again changes nothing and returns what was admitted first",
    Effect.gen(function* () {
      const session = yield* newSession()
      const first = yield* admit(session, "inp_1", said("Go"))
      expect(yield* admit(session, "inp_1", said("Go"))).toEqual(first)
      expect(yield* pending(session)).toEqual([first])
      expect(yield* told("inbox.admitted")).toHaveLength(1)
    })
  )

  it.effect(
    "other content, delivery, origin or session under the same id is a conflict",
    Effect.gen(function* () {
      const [session, other] = [yield* newSession(), yield* newSession()]
      yield* admit(session, "inp_1", said("Go"))
      for (const again of [
        admit(session, "inp_1", said("Stop")),
        admit(session, "inp_1", said("Go"), { delivery: "queue" }),
        admit(session, "inp_1", said("Go"), { origin: "plugin" }),
        admit(other, "inp_1", said("Go"))
      ]) {
        expect(yield* Effect.flip(again)).toEqual(new InputConflict({ inputID: "inp_1" }))
      }
      expect(yield* pending(other)).toEqual([])
    })
  )

  it.effect(
    "an id stays known after its row was read, withdrawn or replaced",
    Effect.gen(function* () {
      const box = yield* Inbox
      const session = yield* newSession()
      const read = yield* admit(session, "inp_1", said("Read"))
      yield* box.promote(turnID, [read])
      yield* admit(session, "inp_2", said("Withdrawn"))
      yield* box.withdraw(session.id, "inp_2")
      for (let i = 0; i <= 64; i++) yield* admit(session, `mon_1:${i}`, lines(`mon_${i}`, "x"))
      const before = ids(yield* pending(session))
      expect(before).not.toContain("mon_1:0")

      expect(yield* admit(session, "inp_1", said("Read"))).toEqual(read)
      yield* admit(session, "inp_2", said("Withdrawn"))
      yield* admit(session, "mon_1:0", lines("mon_0", "x"))
      expect(ids(yield* pending(session))).toEqual(before)
      expect(yield* Effect.flip(admit(session, "inp_2", said("Other")))).toBeInstanceOf(InputConflict)
    })
  )

  it.effect(
    "a session that is not there has no inbox",
    Effect.gen(function* () {
      const gone = { ...(yield* newSession()), id: SessionId.make("ses_other") }
      expect(yield* Effect.flip(admit(gone, "inp_1", said("Go")))).toBeInstanceOf(SessionNotFound)
    })
  )

  it.effect(
    "promotion makes messages of rows, once, in the order of admission, under their ids",
    Effect.gen(function* () {
      const box = yield* Inbox
      const session = yield* newSession()
      const prompt = yield* admit(session, "inp_1", said("Go"))
      const line = yield* admit(session, "mon_1:1", lines("mon_1", "ready"))
      const end = yield* admit(session, "mon_1:2", notice("mon_1"))
      expect(ids(yield* box.promote(turnID, [end, prompt]))).toEqual(["inp_1", "mon_1:2"])
      expect(yield* transcript(session)).toEqual(["user: Go", "event: exited with code 0"])
      expect(yield* pending(session)).toEqual([line])
      expect(yield* box.promote(turnID, [prompt, end])).toEqual([])
      expect(yield* box.promote(turnID, [])).toEqual([])
      expect(yield* told("inbox.promoted")).toMatchObject([{ data: { inputIDs: ["inp_1", "mon_1:2"] } }])
      const [first] = yield* (yield* Sessions).messages(session.id)
      expect(first!.message).toMatchObject({ id: "inp_1", turnID, role: "user", payload: said("Go") })
    })
  )

  it.effect(
    "of two that promote at once each row goes to one",
    Effect.gen(function* () {
      const box = yield* Inbox
      const session = yield* newSession()
      const rows = yield* Effect.forEach([1, 2, 3], (n) => admit(session, `inp_${n}`, said(`${n}`)))
      const taken = yield* Effect.all([box.promote(turnID, rows), box.promote(turnID, rows)], {
        concurrency: "unbounded"
      })
      expect(ids(taken.flat()).toSorted()).toEqual(["inp_1", "inp_2", "inp_3"])
      expect(yield* transcript(session)).toHaveLength(3)
    })
  )

  it.effect(
    "lines of one monitor are added to its last unread row while that has room",
    Effect.gen(function* () {
      const box = yield* Inbox
      const session = yield* newSession()
      let batch = 0
      const print = (source: string, ...text: ReadonlyArray<string>) =>
        box.admitLines({
          id: InputId.make(`${source}:${++batch}`),
          sessionID: session.id,
          delivery: "steer",
          source: { id: source, description: source },
          lines: text,
          maxBytes: 11,
          wakes: true
        })
      yield* print("mon_1", "ab")
      yield* print("mon_2", "x")
      // Eleven bytes with what stands between them; a character may have three.
      yield* print("mon_1", "cd", "e")
      yield* print("mon_1", "f")
      yield* print("mon_1", "€€€")
      yield* print("mon_2", "y")
      const rows = yield* pending(session)
      expect(
        rows.map(({ id, payload }): Array<unknown> => [id, payload.type === "lines" && payload.lines])
      ).toEqual([
        ["mon_1:1", ["ab", "cd", "e"]],
        ["mon_2:2", ["x", "y"]],
        ["mon_1:4", ["f"]],
        ["mon_1:5", ["€€€"]]
      ])
      yield* box.promote(turnID, rows)
      yield* print("mon_1", "g")
      expect(ids(yield* pending(session))).toEqual(["mon_1:7"])
    })
  )

  it.effect(
    "lines behind a notice of their monitor are not put before it",
    Effect.gen(function* () {
      const session = yield* newSession()
      const source = { id: "mon_1", description: "mon_1" }
      const print = (id: string) =>
        Inbox.use((box) =>
          box.admitLines({
            id: InputId.make(id),
            sessionID: session.id,
            delivery: "steer",
            source,
            lines: ["x"],
            maxBytes: 1_000,
            wakes: true
          })
        )
      yield* print("mon_1:1")
      yield* admit(session, "mon_1:2", notice("mon_1"))
      yield* print("mon_1:3")
      expect(ids(yield* pending(session))).toEqual(["mon_1:1", "mon_1:2", "mon_1:3"])
    })
  )

  it.effect(
    "a row can be withdrawn while it is unread, by its session alone",
    Effect.gen(function* () {
      const box = yield* Inbox
      const [session, other] = [yield* newSession(), yield* newSession()]
      const input = yield* admit(session, "inp_1", said("Go"))
      expect(yield* Effect.flip(box.withdraw(other.id, "inp_1"))).toBeInstanceOf(InputNotFound)
      expect(yield* box.withdraw(session.id, "inp_1")).toEqual(input)
      expect(yield* Effect.flip(box.withdraw(session.id, "inp_1"))).toBeInstanceOf(InputNotFound)
      expect(yield* told("inbox.withdrawn")).toMatchObject([{ data: { inputIDs: ["inp_1"] } }])
      expect(yield* box.promote(turnID, [input])).toEqual([])
    })
  )

  it.effect(
    "what is unread of one source can be taken back, and nothing else",
    Effect.gen(function* () {
      const box = yield* Inbox
      const session = yield* newSession()
      yield* admit(session, "mon_1:1", lines("mon_1", "x"))
      yield* admit(session, "mon_2:1", lines("mon_2", "x"))
      yield* admit(session, "mon_1:2", notice("mon_1"))
      expect(ids(yield* box.withdrawSource(session.id, "mon_1"))).toEqual(["mon_1:1", "mon_1:2"])
      expect(ids(yield* pending(session))).toEqual(["mon_2:1"])
      expect(yield* box.withdrawSource(session.id, "mon_1")).toEqual([])
      expect(yield* told("inbox.withdrawn")).toHaveLength(1)
    })
  )

  it.effect(
    "knows which sessions are owed a wake",
    Effect.gen(function* () {
      const box = yield* Inbox
      const [session, quiet] = [yield* newSession(), yield* newSession()]
      yield* admit(session, "inp_1", said("Go"))
      yield* admit(quiet, "inp_2", notice("sh_1"), { wakes: false })
      expect(yield* box.owed).toEqual([session.id])
    })
  )

  it.effect(
    "a deleted session's inbox goes with it",
    Effect.gen(function* () {
      const session = yield* newSession()
      yield* admit(session, "inp_1", said("Go"))
      yield* (yield* Sessions).remove(session.id)
      expect(yield* pending(session)).toEqual([])
      expect(yield* (yield* Inbox).owed).toEqual([])
    })
  )
})

const small = testEffect(inbox(4))

const fill = (session: Session, from: number, to: number) =>
  Effect.forEach(
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
    (n) => admit(session, `inp_${n}`, lines(`mon_${n % 2}`, `${n}`, "more")),
    { discard: true }
  )
const shapes = (inputs: ReadonlyArray<Input>) =>
  inputs.map(({ payload }) => {
    switch (payload.type) {
      case "lines":
        return payload.lines[0]
      case "counts":
        return payload.suppressed.map(({ source, lines }) => `${source.id}:${lines}`).join(" ")
      case "prompt":
        return "prompt"
      default:
        return payload.type
    }
  })

describe("Inbox, when it is full", () => {
  small.effect(
    "the oldest lines give way to one row of counts, which stands in their place",
    Effect.gen(function* () {
      const session = yield* newSession()
      yield* fill(session, 1, 4)
      expect(shapes(yield* pending(session))).toEqual(["1", "2", "3", "4"])
      yield* fill(session, 5, 5)
      expect(shapes(yield* pending(session))).toEqual(["mon_1:2 mon_0:2", "3", "4", "5"])
      yield* fill(session, 6, 9)
      expect(shapes(yield* pending(session))).toEqual(["mon_1:6 mon_0:6", "7", "8", "9"])
    })
  )

  small.effect(
    "prompts and notices stay, and prompts take no place",
    Effect.gen(function* () {
      const session = yield* newSession()
      yield* admit(session, "inp_100", said("Go"))
      yield* admit(session, "mon_7:1", notice("mon_7"))
      yield* admit(session, "inp_101", said("Go"))
      yield* fill(session, 1, 4)
      expect(shapes(yield* pending(session))).toEqual([
        "prompt",
        "notice",
        "prompt",
        "mon_1:2 mon_0:2",
        "3",
        "4"
      ])
      for (let n = 10; n < 16; n++) yield* admit(session, `mon_${n}:1`, notice(`mon_${n}`))
      expect(shapes(yield* pending(session))).toEqual([
        "prompt",
        "notice",
        "prompt",
        "mon_1:4 mon_0:4",
        ...Array.from({ length: 6 }, () => "notice")
      ])
    })
  )

  small.effect(
    "what was replaced is told in the same transaction, and to clients",
    Effect.gen(function* () {
      const replaced: Array<Replaced> = []
      yield* (yield* Inbox).onReplaced((lost) => Effect.sync(() => void replaced.push(lost)))
      const session = yield* newSession()
      yield* fill(session, 1, 6)
      expect(replaced.map(({ source, lines }) => [source.id, lines])).toEqual([
        ["mon_1", 2],
        ["mon_0", 2],
        ["mon_1", 2]
      ])
      expect(yield* told("inbox.withdrawn")).toMatchObject([
        { data: { inputIDs: ["inp_1", "inp_2"] } },
        { data: { inputIDs: ["inp_3"] } }
      ])
      const admitted = yield* told("inbox.admitted")
      expect(admitted.at(-1)!.data.input.payload.type).toBe("counts")
    })
  )

  small.effect(
    "a count that can't be kept keeps the lines",
    Effect.gen(function* () {
      yield* (yield* Inbox).onReplaced(() => Effect.die("no"))
      const session = yield* newSession()
      yield* fill(session, 1, 4)
      yield* Effect.exit(fill(session, 5, 5))
      expect(shapes(yield* pending(session))).toEqual(["1", "2", "3", "4"])
    })
  )
})
