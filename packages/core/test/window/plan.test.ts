import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { planLeavingOut, planSummary, type Sized, summaryTokens } from "../../src/window/plan.ts"

type Role = Sized["role"]

/** `u` a prompt, `e` an event, `a` an answer, `s` a summary; each with its tokens. */
const roles: Record<string, Role> = { u: "user", e: "event", a: "assistant", s: "summary" }
const conversation = (said: string, outputs: Record<number, number> = {}): ReadonlyArray<Sized> =>
  said.split(" ").map((word, index) => ({
    // A summary is younger than what stands behind it.
    seq: word.startsWith("s") ? 1_000 + index : 10 + index,
    role: roles[word[0]!]!,
    tokens: Number(word.slice(1)),
    outputTokens: outputs[index] ?? 0
  }))

const plan = (said: string, bounds: { unread: number; room: number; least?: number }) =>
  planSummary(conversation(said), { least: 0, ...bounds })

describe("planSummary", () => {
  test("what precedes the last prompt goes, where the rest has room", () => {
    expect(plan("u9 a90 u9 a30 e9", { unread: 4, room: 60 })).toEqual({
      through: 11,
      keeps: undefined,
      summarised: [0, 1]
    })
  })

  test("the prompt that is the very first message stays, and what lies between it and the newest goes", () => {
    expect(plan("u9 e9 a9 e9 a9 e9 a9 e9", { unread: 7, room: 40 })).toEqual({
      through: 14,
      keeps: 10,
      summarised: [1, 2, 3, 4]
    })
  })

  test("the last summary is summarised with what followed it, and the prompt stays still", () => {
    expect(plan("u9 s20 e9 a9 e9 a9 e9", { unread: 6, room: 30 })).toEqual({
      through: 14,
      keeps: 10,
      summarised: [1, 2, 3, 4]
    })
  })

  test("a newer prompt takes the place of the one that was kept", () => {
    expect(plan("u9 s20 e9 a90 u9 a9 e9", { unread: 6, room: 30 })).toEqual({
      through: 13,
      keeps: undefined,
      summarised: [0, 1, 2, 3]
    })
  })

  test("a session without any prompt keeps its newest messages", () => {
    expect(plan("e9 a9 e9 a9 e9", { unread: 4, room: 20 })).toEqual({
      through: 12,
      keeps: undefined,
      summarised: [0, 1, 2]
    })
  })

  test("what is unread stays, however large", () => {
    expect(plan("u9 e9 a9 e900 e900", { unread: 3, room: 40 })!.summarised).toEqual([1, 2])
    expect(plan("e9 a9 e900 u900", { unread: 2, room: 0 })!.summarised).toEqual([0, 1])
  })

  test("a summary alone, nothing, or little is not worth a request", () => {
    expect(plan("u9 s900 e9", { unread: 2, room: 0 })).toBeUndefined()
    expect(plan("u900", { unread: 0, room: 0 })).toBeUndefined()
    expect(plan("u9 a9 e900", { unread: 2, room: 0, least: 10 })).toBeUndefined()
    expect(plan("u9 a9 e900", { unread: 2, room: 0, least: 9 })).toBeDefined()
  })
})

const anyConversation = fc
  .array(fc.record({ role: fc.constantFrom<Role>("user", "event", "assistant"), tokens: fc.nat(500) }), {
    minLength: 1,
    maxLength: 40
  })
  .map((messages): ReadonlyArray<Sized> =>
    messages.map(({ role, tokens }, index) => ({
      seq: index + 1,
      role,
      tokens: tokens + 1,
      outputTokens: role === "assistant" ? Math.floor(tokens / 2) : 0
    }))
  )

describe("whatever the conversation", () => {
  test("a plan keeps what is unread and the last prompt, and is what was asked for where that can be", () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(40), fc.nat(4_000), (messages, at, room) => {
        const unread = Math.min(at, messages.length)
        const found = planSummary(messages, { unread, room, least: 0 })
        const prompt = messages.findLastIndex(({ role }) => role === "user")
        const sum = (some: ReadonlyArray<Sized>) => some.reduce((total, { tokens }) => total + tokens, 0)
        if (found === undefined) {
          const candidates = messages.slice(0, unread).filter((_, index) => index !== prompt)
          return expect(candidates.length === 0 || sum(messages) <= room).toBe(true)
        }
        const { through, keeps, summarised } = found
        expect(summarised.length).toBeGreaterThan(0)
        expect(summarised.every((index) => index < unread && index !== prompt)).toBe(true)
        // Each message is sent on, or summarised, or the prompt that is kept; never two of these.
        for (const [index, { seq }] of messages.entries()) {
          const ways = [seq > through, summarised.includes(index), seq === keeps]
          expect(ways.filter(Boolean)).toHaveLength(1)
        }
        const left = messages.filter((_, index) => !summarised.includes(index))
        const needed = messages.filter((_, index) => index >= unread || index === prompt)
        expect(sum(left) <= room || sum(left) === sum(needed) || prompt >= unread - 1).toBe(true)
      })
    )
  })

  test("no more outputs are left out than needed, the oldest first", () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(40), fc.nat(3_000), (messages, unread, over) => {
        const through = planLeavingOut(messages, { unread, over, mustOver: 0 })
        const saved = (some: ReadonlyArray<Sized>) =>
          some.reduce((total, { outputTokens }) => total + outputTokens, 0)
        const read = messages.slice(0, unread)
        if (through === undefined) return expect(over === 0 || saved(read) === 0).toBe(true)
        const gone = read.filter(({ seq }) => seq <= through)
        expect(saved(gone.slice(0, -1))).toBeLessThan(over)
        expect(saved(gone) >= over || saved(gone) === saved(read)).toBe(true)
      })
    )
  })
})

describe("planLeavingOut", () => {
  const said = conversation("u9 a90 a90 a90", { 1: 80, 2: 80, 3: 80 })

  test("goes into what is unread only where that must be", () => {
    expect(planLeavingOut(said, { unread: 3, over: 500, mustOver: 100 })).toBe(12)
    expect(planLeavingOut(said, { unread: 3, over: 500, mustOver: 200 })).toBe(13)
  })

  test("there may be nothing to leave out", () => {
    expect(planLeavingOut(conversation("u9 a90"), { unread: 2, over: 50, mustOver: 50 })).toBeUndefined()
  })
})

test("a summary is asked to be small beside the window", () => {
  for (const window of [4_096, 32_000, 200_000, 1_000_000])
    expect(summaryTokens(window)).toBeLessThan(window / 10)
})
