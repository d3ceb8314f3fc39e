import { type Delivery, type Input, InputId, type Payload } from "@vigil/schema/input"
import { SessionId } from "@vigil/schema/session"
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { choose, type Look, noReads, startsTurn } from "../../src/runner/boundary.ts"

const minute = 60_000
const hour = 60 * minute
const now = 100 * hour

let seq = 0
const row = (payload: Payload, delivery: Delivery = "steer", wakes = true): Input => ({
  id: InputId.make(`inp_${++seq}`),
  sessionID: SessionId.make("ses_1"),
  kind: payload.type === "prompt" ? "prompt" : "synthetic",
  delivery,
  origin: payload.type === "prompt" ? "user" : "monitor",
  payload,
  seq,
  createdAt: 0,
  wakes
})
const prompt = (delivery?: Delivery) => row({ type: "prompt", text: "Go" }, delivery)
const lines = (id: string, delivery?: Delivery) =>
  row({ type: "lines", source: { id, description: id }, lines: ["x"] }, delivery)
const notice = (id: string, delivery?: Delivery, wakes = true) =>
  row({ type: "notice", source: { id, description: id }, text: "ended" }, delivery, wakes)
const counts = () => row({ type: "counts", suppressed: [] })

const look = (pending: ReadonlyArray<Input>, more: Partial<Look> = {}): Look => ({
  pending,
  at: "end",
  reads: noReads,
  readsInTurn: 0,
  held: undefined,
  bounds: { perTurn: 50, perHour: 120 },
  now,
  ...more
})
const times = (count: number, at: number) => ({ at: Array.from({ length: count }, () => at) })

describe("choose", () => {
  test("nothing pending is nothing to read", () => {
    expect(choose(look([]))).toEqual({ take: [], reads: noReads, countsAsRead: false, wait: undefined })
  })

  test("all that steers is read together", () => {
    const pending = [prompt(), lines("mon_1"), prompt(), notice("mon_2")]
    expect(choose(look(pending, { at: "step" })).take).toEqual(pending)
  })

  test("what is queued is not read while the turn has steps to make", () => {
    const steer = lines("mon_1")
    expect(choose(look([prompt("queue"), steer], { at: "step" })).take).toEqual([steer])
  })

  test("at the turn's end what steers comes first, then all that is queued together", () => {
    const queued = [prompt("queue"), lines("mon_1", "queue"), prompt("queue")]
    const steer = prompt()
    expect(choose(look([...queued, steer])).take).toEqual([steer])
    expect(choose(look(queued)).take).toEqual(queued)
  })

  test("a notice that wakes nobody does not stand in the way of what is queued", () => {
    const quiet = notice("sh_1", "steer", false)
    const queued = prompt("queue")
    for (const at of ["start", "end"] as const) {
      const choice = choose(look([quiet, queued], { at }))
      expect(choice.take).toEqual([quiet, queued])
      expect(startsTurn(choice)).toBe(true)
    }
  })

  test("what wakes nobody starts no turn by itself, and is read with what does", () => {
    const quiet = notice("sh_1", "steer", false)
    expect(startsTurn(choose(look([quiet])))).toBe(false)
    expect(choose(look([quiet, lines("mon_1")])).take).toHaveLength(2)
  })

  test("each reading of events counts once, however many are read", () => {
    const choice = choose(look([lines("mon_1"), lines("mon_2"), counts()]))
    expect(choice.countsAsRead).toBe(true)
    expect(choice.reads.at).toEqual([now])
  })

  test("the turn's bound makes events rest", () => {
    const pending = [lines("mon_1")]
    expect(choose(look(pending, { readsInTurn: 49 })).take).toEqual(pending)
    expect(choose(look(pending, { readsInTurn: 50 }))).toMatchObject({ take: [], wait: "rest" })
  })

  test("the hour's bound holds events until a prompt", () => {
    const pending = [lines("mon_1")]
    expect(choose(look(pending, { reads: times(119, now - 1) })).take).toEqual(pending)
    expect(choose(look(pending, { reads: times(120, now - 1) }))).toMatchObject({ take: [], wait: "budget" })
  })

  test("what was read an hour ago no longer counts", () => {
    const pending = [lines("mon_1")]
    const choice = choose(look(pending, { reads: times(120, now - hour) }))
    expect(choice.take).toEqual(pending)
    expect(choice.reads.at).toEqual([now])
  })

  test("once held, events stay held when the hour has passed", () => {
    expect(choose(look([lines("mon_1")], { held: "budget" }))).toMatchObject({ take: [], wait: "budget" })
  })

  test("a notice is read past every bound, and takes its monitor's lines along", () => {
    const [own, foreign, end] = [lines("mon_1"), lines("mon_2"), notice("mon_1")]
    const choice = choose(look([own, foreign, end], { readsInTurn: 50 }))
    expect(choice).toMatchObject({ take: [own, end], wait: "rest", countsAsRead: false })
    expect(choose(look([own, foreign, end], { held: "budget" })).take).toEqual([own, end])
  })

  test("notices alone do not count as a reading of events", () => {
    const choice = choose(look([notice("mon_1"), notice("mon_2")]))
    expect(choice.countsAsRead).toBe(false)
    expect(choice.take).toHaveLength(2)
  })

  test("after a failure even notices wait", () => {
    expect(choose(look([notice("mon_1")], { held: "failure" }))).toMatchObject({ take: [], wait: "failure" })
  })

  test("a prompt lifts every bound, and what waited is read with it", () => {
    const pending = [lines("mon_1"), notice("mon_2"), prompt()]
    for (const held of ["budget", "failure", undefined] as const) {
      const choice = choose(look(pending, { held, readsInTurn: 50, reads: times(120, now) }))
      expect(choice).toEqual({ take: pending, reads: noReads, countsAsRead: false, wait: undefined })
    }
  })
})

const someRow = fc
  .tuple(
    fc.constantFrom("prompt", "lines", "notice", "counts"),
    fc.constantFrom("mon_1", "mon_2", "mon_3"),
    fc.constantFrom<Delivery>("steer", "queue"),
    fc.boolean()
  )
  .map(([kind, id, delivery, wakes]) => {
    if (kind === "prompt") return prompt(delivery)
    if (kind === "lines") return lines(id, delivery)
    return kind === "notice" ? notice(id, delivery, wakes) : counts()
  })

const someLook = fc.record({
  pending: fc.array(someRow, { maxLength: 12 }),
  at: fc.constantFrom("start" as const, "step" as const, "end" as const),
  reads: fc
    .array(fc.integer({ min: now - 2 * hour, max: now }), { maxLength: 6 })
    .map((at) => ({ at: at.toSorted((a, b) => a - b) })),
  readsInTurn: fc.nat({ max: 4 }),
  held: fc.constantFrom(undefined, "budget" as const, "failure" as const),
  bounds: fc.record({ perTurn: fc.integer({ min: 1, max: 3 }), perHour: fc.integer({ min: 1, max: 5 }) }),
  now: fc.constant(now)
})

const property = (name: string, holds: (look: Look) => void) =>
  test(name, () => fc.assert(fc.property(someLook, holds), { numRuns: 500 }))

describe("choose, whatever waits", () => {
  property("takes each row at most once, in the order of admission", (look) => {
    const seqs = choose(look).take.map((input) => input.seq)
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
  })

  property(
    "a prompt that steers is read at every boundary, and every prompt at a turn's end or start",
    (look) => {
      const { take } = choose(look)
      const steering = look.pending.filter(({ kind, delivery }) => kind === "prompt" && delivery === "steer")
      for (const input of steering) expect(take).toContain(input)
      if (look.at === "step" || steering.length > 0) return
      const waiting = look.pending.filter(({ kind }) => kind === "prompt")
      // Events that steer come first; what is queued follows at the end of their steps.
      if (take.some(({ delivery }) => delivery === "queue") || !startsTurn(choose(look))) {
        for (const input of waiting) expect(take).toContain(input)
      }
    }
  )

  property("something to start a turn for is stranded only with a reason", (look) => {
    const choice = choose(look)
    const waits = look.pending.some(
      ({ wakes, delivery }) => wakes && (look.at !== "step" || delivery === "steer")
    )
    if (waits && !startsTurn(choice)) expect(choice.wait).toBeDefined()
  })

  property("never reads queued rows in a turn that runs", (look) => {
    if (look.at === "step") expect(choose(look).take.every(({ delivery }) => delivery === "steer")).toBe(true)
  })

  property("never reads events more often than the bounds allow", (look) => {
    const choice = choose(look)
    if (choice.take.some(({ kind }) => kind === "prompt")) return
    const recent = look.reads.at.filter((time) => time > now - hour)
    if (choice.countsAsRead) {
      expect(look.readsInTurn).toBeLessThan(look.bounds.perTurn)
      expect(recent.length).toBeLessThan(look.bounds.perHour)
      expect(choice.reads.at).toEqual([...recent, now])
    } else {
      const ended = new Set(
        choice.take.flatMap(({ payload }) => (payload.type === "notice" ? [payload.source.id] : []))
      )
      for (const { payload } of choice.take) {
        expect("source" in payload && ended.has(payload.source.id)).toBe(true)
      }
    }
  })

  property("a notice never comes before lines of its monitor that wait beside it", (look) => {
    const choice = choose(look)
    for (const end of choice.take.filter(({ payload }) => payload.type === "notice")) {
      const before = look.pending.filter(
        ({ payload, delivery, seq }) =>
          payload.type === "lines" &&
          end.payload.type === "notice" &&
          payload.source.id === end.payload.source.id &&
          delivery === end.delivery &&
          seq < end.seq
      )
      for (const input of before) expect(choice.take).toContain(input)
    }
  })
})
