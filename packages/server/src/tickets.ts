/** What opens one feed in place of the token: a browser's EventSource can only send a URL, and URLs are kept and logged. */
import type { Ticket } from "@vigil/schema/server"
import { Clock, Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"

export const ticketLifeMs = 60_000
/** Past it the oldest no longer counts. */
export const maxTickets = 1_000

export interface Tickets {
  readonly issue: Effect.Effect<Ticket>
  /** True once for each that was issued, while it lives. */
  redeem(ticket: string): Effect.Effect<boolean>
}

export const makeTickets = (): Tickets => {
  // By digest, so that how long the search takes says nothing about a ticket. Oldest first.
  const issued = new Map<string, number>()

  const issue = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [digest, expiresAt] of issued) if (expiresAt <= now) issued.delete(digest)
    if (issued.size >= maxTickets) issued.delete(issued.keys().next().value!)
    const ticket = randomBytes(ticketBytes).toString("base64url")
    const expiresAt = now + ticketLifeMs
    issued.set(digestOf(ticket), expiresAt)
    return { ticket, expiresAt }
  })

  const redeem = Effect.fnUntraced(function* (ticket: string) {
    const now = yield* Clock.currentTimeMillis
    const digest = digestOf(ticket)
    const expiresAt = issued.get(digest)
    issued.delete(digest)
    return expiresAt !== undefined && expiresAt > now
  })

  return { issue, redeem }
}

const ticketBytes = 32
const digestOf = (ticket: string) => createHash("sha256").update(ticket).digest("base64")
