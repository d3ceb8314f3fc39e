import { expect, test } from "bun:test"
import { apply, type Positions, type Reads, stateOf, type StoreState } from "../src/store.ts"
import type { FeedEvent, MessageDelta, TextPart } from "../src/wire.ts"
import { withOlder } from "../src/transcript.ts"
import { type History, makeHistory, type Random, randomOf } from "./lib/history.ts"

const everywhere = (seq: number): Positions => ({
  session: seq,
  transcript: seq,
  turns: seq,
  monitors: seq,
  shells: seq,
  asks: seq,
  inbox: seq
})

/** What a client is shown, without the places that events do not tell. */
const shown = ({ session, transcript, turns, monitors, shells, asks, inbox, deleted }: StoreState) => ({
  session,
  turns,
  monitors,
  shells,
  asks,
  inbox,
  deleted,
  messages: transcript.messages.map(({ message, parts }) => ({ message, parts }))
})

const readAt = ({ reads, seqs }: History, place: number) => stateOf(reads[place]!, everywhere(seqs[place]!))
const end = (history: History) => readAt(history, history.told.length)

/** Each slice is read somewhere behind the place at which the feed was opened. */
const readApart = ({ reads, seqs, told }: History, opened: number, random: Random): StoreState => {
  const somewhere = () => opened + random(told.length + 1 - opened)
  const places = Object.fromEntries(Object.keys(everywhere(0)).map((slice) => [slice, somewhere()]))
  const { messages, hasOlder } = reads[places["transcript"]!]!
  const slices = Object.fromEntries(
    (["session", "turns", "monitors", "shells", "asks", "inbox"] as const).map((slice) => [
      slice,
      reads[places[slice]!]![slice]
    ])
  )
  const at = Object.fromEntries(Object.entries(places).map(([slice, place]) => [slice, seqs[place]!]))
  return stateOf({ ...slices, messages, hasOlder } as unknown as Reads, at as unknown as Positions)
}

test("reading anywhere, slice by slice, and hearing what follows is the same as reading at the end", () => {
  let told = 0
  let stale = 0
  for (let seed = 0; seed < 400; seed++) {
    const random = randomOf(seed)
    const history = makeHistory(random, 5 + random(120))
    const opened = random(history.told.length + 1)
    const state = history.told.slice(opened).reduce(apply, readApart(history, opened, random))
    told += history.told.length - opened
    if (state.transcript.stale) stale++
    else expect([seed, shown(state)]).toEqual([seed, shown(end(history))])
  }
  // Most of the time nothing has to be read twice.
  expect(told).toBeGreaterThan(5_000)
  expect(stale).toBeLessThan(100)
})

test("what is heard twice, as after a reconnect, changes nothing", () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = randomOf(seed)
    const history = makeHistory(random, 80)
    const again = random(history.told.length)
    const twice = [
      ...history.told,
      ...history.told.slice(again).filter(({ type }) => type !== "message.delta")
    ]
    const state = twice.reduce(apply, readAt(history, 0))
    expect(shown(state)).toEqual(shown(end(history)))
  }
})

test("text that streams while nobody hears is there once its part has ended", () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = randomOf(seed)
    const history = makeHistory(random, 80)
    const heard = history.told.filter(({ type }) => type !== "message.delta" || random(2) === 0)
    expect(shown(heard.reduce(apply, readAt(history, 0)))).toEqual(shown(end(history)))
  }
})

test("an event changes what it is about, and all else stays the same object", () => {
  for (let seed = 0; seed < 50; seed++) {
    const history = makeHistory(randomOf(seed), 60)
    let before = readAt(history, 0)
    for (const event of history.told) {
      const after = apply(before, event)
      const noun = event.type.split(".")[0]!
      if (noun !== "monitor") expect(after.monitors).toBe(before.monitors)
      if (noun !== "shell") expect(after.shells).toBe(before.shells)
      if (noun !== "turn") expect(after.turns).toBe(before.turns)
      if (noun !== "permission") expect(after.asks).toBe(before.asks)
      if (noun !== "inbox") expect(after.inbox).toBe(before.inbox)
      if (noun !== "message" && noun !== "part") expect(after.transcript).toBe(before.transcript)
      if (noun === "inbox") expect(after.session).toBe(before.session)
      const changed = after.transcript.messages.filter(
        (message) => !before.transcript.messages.includes(message)
      )
      expect(changed.length).toBeLessThanOrEqual(1)
      before = after
    }
  }
})

const empty: Reads = {
  session: {
    id: "ses_1",
    directory: "/p",
    rules: [],
    unattended: false,
    createdAt: 1,
    updatedAt: 1,
    status: "idle"
  },
  messages: [],
  hasOlder: false,
  turns: [],
  monitors: [],
  shells: [],
  asks: [],
  inbox: []
}
const assistant = {
  id: "msg_1",
  sessionID: "ses_1",
  turnID: "trn_1",
  createdAt: 1,
  role: "assistant",
  model: "m",
  status: "streaming"
} as const
const part = (text: string): TextPart => ({
  id: "prt_1",
  messageID: "msg_1",
  sessionID: "ses_1",
  type: "text",
  text
})
const reading = (text: string): StoreState =>
  stateOf({ ...empty, messages: [{ seq: 1, message: assistant, parts: [part(text)] }] }, everywhere(1))
const delta = (offset: number, text: string): MessageDelta => ({
  type: "message.delta",
  sessionID: "ses_1",
  messageID: "msg_1",
  partID: "prt_1",
  offset,
  text
})
const event = (seq: number, type: string, data: object): FeedEvent =>
  ({ seq, id: `evt_${seq}`, type, sessionID: "ses_1", created: 1, data }) as FeedEvent
const textIn = ({ transcript }: StoreState) => {
  const found = transcript.messages.at(-1)?.parts[0]
  return found && "text" in found ? found.text : undefined
}

test("a delta adds what is new of it: what overlaps is not doubled, a gap waits for the part's end", () => {
  const state = reading("abc")
  expect(textIn(apply(state, delta(3, "de")))).toBe("abcde")
  expect(textIn(apply(state, delta(1, "bcd")))).toBe("abcd")
  expect(apply(state, delta(0, "ab"))).toBe(state)
  expect(apply(state, delta(4, "e"))).toBe(state)
  const ended = apply(apply(state, delta(4, "e")), event(2, "part.completed", { part: part("abcde") }))
  expect(textIn(ended)).toBe("abcde")
  expect(apply(ended, delta(5, "f"))).toBe(ended)
})

test("text that comes before its part is there once the part is", () => {
  const state = [
    event(1, "message.created", { message: assistant }),
    delta(0, "ab"),
    delta(2, "c"),
    event(2, "part.created", { part: part("") })
  ].reduce(apply, stateOf(empty, everywhere(0)))
  expect(textIn(state)).toBe("abc")
  expect(textIn(apply(state, delta(3, "d")))).toBe("abcd")
})

test("an event that a read reflects changes nothing, however late it is heard", () => {
  const state = stateOf({ ...empty, asks: [] }, everywhere(5))
  const ask = { id: "ask_1", sessionID: "ses_1", tool: "shell", title: "t", subjects: [], createdAt: 1 }
  expect(apply(state, event(5, "permission.asked", { ask }))).toBe(state)
  expect(apply(state, event(6, "permission.asked", { ask })).session.status).toBe("asking")
})

test("a part whose end is never told holds what is stored, once its message has ended", () => {
  const stopped = { ...assistant, status: "interrupted" }
  const state = [
    event(1, "message.created", { message: assistant }),
    event(2, "part.created", { part: part("") }),
    delta(0, "half a wo"),
    event(3, "message.completed", { message: stopped })
  ].reduce(apply, stateOf(empty, everywhere(0)))
  expect(textIn(state)).toBe("")
  expect(state.transcript.stale).toBe(false)
})

test("where it is not known what is stored, the state is stale", () => {
  const stopped = event(2, "message.completed", { message: { ...assistant, status: "interrupted" } })
  expect(apply(reading("half a wo"), stopped).transcript.stale).toBe(true)
})

test("a deleted session stays as it was last seen, and hears nothing more", () => {
  const gone = apply(reading("a"), event(2, "session.deleted", { sessionID: "ses_1" }))
  expect(gone.deleted).toBe(true)
  expect(apply(gone, delta(1, "b"))).toBe(gone)
  expect(textIn(gone)).toBe("a")
})

test("the newest 1,000 messages are kept, and older ones that were asked for", () => {
  const message = (number: number) => ({
    message: { ...assistant, id: `msg_${number}`, status: "completed" as const },
    parts: []
  })
  const created = (number: number) => event(number, "message.created", message(number))
  const many = Array.from({ length: 1_001 }, (_, index) => created(index + 1)).reduce(
    apply,
    stateOf(empty, everywhere(0))
  )
  expect(many.transcript.messages).toHaveLength(1_000)
  expect(many.transcript.messages[0]?.message.id).toBe("msg_2")
  expect(many.transcript.hasOlder).toBe(true)
  const older = { ...many, transcript: withOlder(many.transcript, [{ seq: 1, ...message(1) }], false) }
  const next = apply(older, created(1_002))
  expect(next.transcript.messages).toHaveLength(1_001)
  expect(next.transcript.messages[0]?.message.id).toBe("msg_2")
})

test("the newest 100 turns are kept, and what never ends is not forgotten for what has", () => {
  const turn = (number: number) => ({ id: `trn_${number}`, sessionID: "ses_1", startedAt: 1, steps: 0 })
  const monitor = (number: number, status: "running" | "ended") => ({
    id: `mon_${number}`,
    status,
    // The first of them took longest.
    ...(status === "ended" && { endedAt: number === 3 ? 9_999 : number })
  })
  const state = Array.from({ length: 1_101 }, (_, index) => index).reduce(
    (state, number) =>
      [
        event(2 * number + 1, "turn.started", { turn: turn(number) }),
        event(2 * number + 2, "monitor.started", {
          monitor: monitor(number, number < 3 ? "running" : "ended")
        })
      ].reduce(apply, state),
    stateOf(empty, everywhere(0))
  )
  expect(state.turns).toHaveLength(100)
  expect(state.turns[0]?.id).toBe("trn_1100")
  expect(state.session.turn?.id).toBe("trn_1100")
  expect(state.monitors).toHaveLength(1_003)
  expect(state.monitors.slice(-4).map(({ id }) => id)).toEqual(["mon_3", "mon_2", "mon_1", "mon_0"])
})
