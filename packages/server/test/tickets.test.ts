import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeTickets, maxTickets, ticketLifeMs } from "../src/tickets.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

it.effect(
  "a ticket counts once",
  Effect.gen(function* () {
    const tickets = makeTickets()
    const { ticket } = yield* tickets.issue
    expect(yield* tickets.redeem(`${ticket}x`)).toBe(false)
    expect(yield* tickets.redeem(ticket)).toBe(true)
    expect(yield* tickets.redeem(ticket)).toBe(false)
  })
)

it.effect(
  "a ticket counts for a minute, as it says",
  Effect.gen(function* () {
    const tickets = makeTickets()
    const [early, late] = [yield* tickets.issue, yield* tickets.issue]
    expect(early.expiresAt).toBe(ticketLifeMs)
    yield* TestClock.adjust(ticketLifeMs - 1)
    expect(yield* tickets.redeem(early.ticket)).toBe(true)
    yield* TestClock.adjust(1)
    expect(yield* tickets.redeem(late.ticket)).toBe(false)
  })
)

it.effect(
  "of more than a thousand tickets the oldest counts no more",
  Effect.gen(function* () {
    const tickets = makeTickets()
    const issued = yield* Effect.replicateEffect(tickets.issue, maxTickets + 1)
    expect(new Set(issued.map(({ ticket }) => ticket)).size).toBe(maxTickets + 1)
    expect(yield* tickets.redeem(issued[0]!.ticket)).toBe(false)
    expect(yield* tickets.redeem(issued[1]!.ticket)).toBe(true)
    expect(yield* tickets.redeem(issued.at(-1)!.ticket)).toBe(true)
  })
)
