/**
 * What is read at a boundary, and what has to wait. Pure: the clock is an argument.
 *
 * Prompts are always read. Events are read only so often: each promotion that holds some counts once, in the
 * turn and in the hour, since the user's last prompt. Notices are exempt, and a notice takes the lines of its
 * monitor with it, since they come first.
 */
import type { Input } from "@vigil/schema/input"
import type { EventsHeld } from "@vigil/schema/session"
import { Schema } from "effect"

export interface Bounds {
  readonly perTurn: number
  readonly perHour: number
}

/** When events were read since the last prompt, epoch milliseconds. Durable, so that a restart grants no more. */
export const Reads = Schema.Struct({ at: Schema.Array(Schema.Finite) })
export interface Reads extends Schema.Schema.Type<typeof Reads> {}

export const noReads: Reads = { at: [] }
export const decodeReads = Schema.decodeUnknownOption(Reads)

const hourMs = 3_600_000

export interface Look {
  /** In order of admission. */
  readonly pending: ReadonlyArray<Input>
  /** `start`: no turn runs. `step`: one does, and takes what steers. `end`: it has nothing left to do. */
  readonly at: "start" | "step" | "end"
  readonly reads: Reads
  /** Promotions of events in this turn. */
  readonly readsInTurn: number
  readonly held: EventsHeld | undefined
  readonly bounds: Bounds
  readonly now: number
}

export interface Choice {
  /** To be promoted, in order. Queued rows never join a turn that runs: with them a new one begins. */
  readonly take: ReadonlyArray<Input>
  readonly reads: Reads
  /** Whether this promotion counts as a reading of events. */
  readonly countsAsRead: boolean
  /** Why events stay: until a rest after this turn is over, or until a prompt. */
  readonly wait: "rest" | EventsHeld | undefined
}

export const choose = (look: Look): Choice => {
  const steer = look.pending.filter(({ delivery }) => delivery === "steer")
  const steering = within(look, steer)
  if (look.at === "step" || startsTurn(steering)) return steering
  // What steers but wakes nobody is read with what was queued: it must not stand in its way.
  return within(look, look.pending)
}

const within = ({ reads, readsInTurn, held, bounds, now }: Look, rows: ReadonlyArray<Input>): Choice => {
  const stay = (wait: Choice["wait"], take: ReadonlyArray<Input> = []): Choice => ({
    take,
    reads,
    countsAsRead: false,
    wait
  })
  if (rows.length === 0) return stay(undefined)
  // The user's prompt lifts every bound, and what waited is read with it.
  if (rows.some(({ kind }) => kind === "prompt")) {
    return { take: rows, reads: noReads, countsAsRead: false, wait: undefined }
  }
  if (held === "failure") return stay("failure")

  const ended = new Set(rows.flatMap(({ payload }) => (payload.type === "notice" ? [payload.source.id] : [])))
  const exempt = rows.filter(({ payload }) => "source" in payload && ended.has(payload.source.id))
  if (exempt.length === rows.length) return { ...stay(undefined), take: rows }

  const recent = reads.at.filter((time) => time > now - hourMs)
  if (held === "budget" || recent.length >= bounds.perHour) return stay("budget", exempt)
  if (readsInTurn >= bounds.perTurn) return stay("rest", exempt)
  return { take: rows, reads: { at: [...recent, now] }, countsAsRead: true, wait: undefined }
}

/** Rows that nobody is woken for start no turn by themselves. */
export const startsTurn = (choice: Choice): boolean => choice.take.some(({ wakes }) => wakes)
