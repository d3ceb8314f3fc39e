/**
 * What becomes of a monitor's lines, and why it ends. Pure: the monotonic clock, in ms, is an argument.
 *
 * ```
 *   starting ── opened ──▶ watching ── a cause, or a limit ──▶ stopping ── closed ──▶ ended
 * ```
 * Watching, the first line opens a window, and what it holds when it closes is delivered. Stopping, lines are held
 * until the process is gone and its pipe is empty: last lines and end are one transaction and are read together.
 *
 * The actions of a step are committed together, and only then its state is adopted: `step` can be repeated. The
 * stored ledger and cursor are always those of the same byte, with nothing pending: each `delta` is added as it is.
 * What was read beyond that byte is `ahead` of the record, and is read again from the `stdout` file after a crash.
 */
import { emptyLedger, type EndReason, type Ledger } from "@vigil/schema/monitor"
import type { MonitorLimits } from "@vigil/schema/config"
import type { Line } from "./clean.ts"

/** The limits that are decided here. */
export type Limits = Pick<
  MonitorLimits,
  "batchMs" | "maxBatchBytes" | "rateEvents" | "rateWindowMs" | "maxStdoutBytes"
>

/** One event. */
export interface Batch {
  /** 1, 2, … of this monitor. */
  readonly seq: number
  /** At least one. */
  readonly lines: ReadonlyArray<Line>
  /** The lines as they stand in the event, behind its label: newlines and indents included. */
  readonly bytes: number
  /** Raw stdout offset up to which everything is settled once this is committed. */
  readonly cursor: number
}

/** Why a monitor ends. Exit code and signal are facts of the process and are recorded whatever the reason. */
export interface Cause {
  readonly reason: EndReason
  /** Who cancelled it. */
  readonly by?: "agent" | "user"
  /** What went wrong, for a person. */
  readonly message?: string
}

export type Input =
  /** The command's gate opened. */
  | { readonly type: "opened"; readonly at: number }
  /** `bytes` raw bytes were read, and completed these lines. */
  | {
      readonly type: "read"
      readonly at: number
      readonly bytes: number
      readonly lines: ReadonlyArray<Line>
    }
  /** The time of a `window` action is over. */
  | { readonly type: "window"; readonly at: number }
  /** Something ends the watch: its process exited, its deadline passed, somebody stopped it … */
  | { readonly type: "cause"; readonly at: number; readonly cause: Cause }
  /** The process is gone and nothing more will be read. `lines` is what had no newline. */
  | { readonly type: "closed"; readonly at: number; readonly lines: ReadonlyArray<Line> }

export type Action =
  /** Send `window` after so many ms. At most one is under way. */
  | { readonly type: "window"; readonly afterMs: number }
  /** Admit the batch. */
  | { readonly type: "deliver"; readonly batch: Batch; readonly delta: Ledger }
  /** Kill the process, then send `closed`. Once, for the first cause. */
  | { readonly type: "stop"; readonly cause: Cause }
  /** Write the end. The last action there is, in one transaction with the deliveries before it. */
  | { readonly type: "end"; readonly cause: Cause; readonly cursor: number; readonly delta: Ledger }

/** A chain, so that a read costs what it brings. Newest first. */
interface Reads {
  readonly lines: ReadonlyArray<Line>
  readonly before: Reads | undefined
}

/** Bounded: the held lines by `maxHeldBytes` and one read, `deliveredAt` by `rateEvents`. */
export interface State {
  readonly limits: Limits
  readonly openedAt: number | undefined
  readonly held: Reads | undefined
  readonly heldLines: number
  readonly heldBytes: number
  readonly windowOpen: boolean
  /** The first cause. */
  readonly cause: Cause | undefined
  /** Nothing that is read from now on is delivered. */
  readonly muted: boolean
  /** Behind the held lines; they are counted in the record when it ends. */
  readonly suppressed: number
  readonly bytesRead: number
  readonly cursor: number
  /** Of the last batch. */
  readonly seq: number
  /** When the newest batches were delivered, at most `rateEvents` of them, oldest first. */
  readonly deliveredAt: ReadonlyArray<number>
  readonly ended: boolean
}

/** More than this is not kept waiting for a window: full batches go before it closes. */
export const maxHeldBytes = 256 * 1024

/** How much a line a second may come too early where windows are shorter than that, in ms. */
const jitterMs = 50

/** A newline and an indent of two spaces stand between the lines of an event. */
const separatorBytes = 3

export const start = (limits: Limits): State => ({
  limits,
  openedAt: undefined,
  held: undefined,
  heldLines: 0,
  heldBytes: 0,
  windowOpen: false,
  cause: undefined,
  muted: false,
  suppressed: 0,
  bytesRead: 0,
  cursor: 0,
  seq: 0,
  deliveredAt: [],
  ended: false
})

export interface Step {
  readonly state: State
  readonly actions: ReadonlyArray<Action>
}

/** What comes after the end is ignored. */
export const step = (state: State, input: Input): Step => {
  if (state.ended) return { state, actions: [] }
  switch (input.type) {
    case "opened":
      return { state: { ...state, openedAt: input.at }, actions: [] }
    case "read":
      return read(state, input)
    case "window": {
      const closed = { ...state, windowOpen: false }
      return state.cause === undefined ? deliver(closed, input.at) : { state: closed, actions: [] }
    }
    case "cause":
      return end(state, input.cause)
    case "closed":
      return close(state, input)
  }
}

/** What the record does not count yet. Added to it, it is the ledger of this moment. */
export const ahead = (state: State): Ledger => ({
  ...emptyLedger,
  bytesRead: state.bytesRead - state.cursor,
  linesRead: state.heldLines + state.suppressed,
  linesPending: state.heldLines,
  linesSuppressed: state.suppressed
})

export const add = (ledger: Ledger, delta: Ledger): Ledger => ({
  bytesRead: ledger.bytesRead + delta.bytesRead,
  linesRead: ledger.linesRead + delta.linesRead,
  linesDelivered: ledger.linesDelivered + delta.linesDelivered,
  linesSuppressed: ledger.linesSuppressed + delta.linesSuppressed,
  linesPending: ledger.linesPending + delta.linesPending,
  linesClipped: ledger.linesClipped + delta.linesClipped,
  bytesClipped: ledger.bytesClipped + delta.bytesClipped,
  events: ledger.events + delta.events
})

/**
 * What becomes of output that a crash left behind the cursor. The newest lines, as many as one event holds, go into
 * the notice; the others are suppressed. `delta` is added to the record, `end` is where the saved output ends.
 */
export const leftover = (
  limits: Limits,
  saved: { readonly cursor: number; readonly end: number; readonly lines: ReadonlyArray<Line> }
): { readonly lines: ReadonlyArray<Line>; readonly delta: Ledger } => {
  const allowed = saved.lines.filter((line) => line.end <= limits.maxStdoutBytes)
  let from = allowed.length
  let bytes = -separatorBytes
  while (from > 0) {
    bytes += separatorBytes + allowed[from - 1]!.bytes
    if (bytes > limits.maxBatchBytes && from < allowed.length) break
    from--
  }
  const lines = allowed.slice(from)
  const delta = {
    ...delivered(lines),
    bytesRead: Math.max(0, saved.end - saved.cursor),
    linesRead: saved.lines.length,
    linesSuppressed: saved.lines.length - lines.length
  }
  return { lines, delta }
}

const read = (state: State, input: Extract<Input, { type: "read" }>): Step => {
  const taken = take({ ...state, bytesRead: state.bytesRead + input.bytes }, input.lines)
  if (taken.bytesRead > taken.limits.maxStdoutBytes && taken.cause === undefined)
    return end(taken, { reason: "output_limit" })
  if (taken.heldBytes > maxHeldBytes) return deliver(taken, input.at, { keepLast: true })
  if (taken.held === undefined || taken.windowOpen || taken.cause !== undefined)
    return { state: taken, actions: [] }
  if (taken.limits.batchMs === 0) return deliver(taken, input.at)
  return {
    state: { ...taken, windowOpen: true },
    actions: [{ type: "window", afterMs: taken.limits.batchMs }]
  }
}

const close = (state: State, input: Extract<Input, { type: "closed" }>): Step => {
  const stopped = end(state, { reason: "error", message: "its output ended for no known reason" }).state
  const last = deliver(take(stopped, input.lines), input.at)
  const { bytesRead, cursor, suppressed, cause } = last.state
  const delta = {
    ...emptyLedger,
    bytesRead: bytesRead - cursor,
    linesRead: suppressed,
    linesSuppressed: suppressed
  }
  return {
    state: { ...last.state, suppressed: 0, cursor: bytesRead, ended: true },
    actions: [...last.actions, { type: "end", cause: cause!, cursor: bytesRead, delta }]
  }
}

/** The first cause is the reason. A session that is gone gets nothing more, whatever the reason. */
const end = (state: State, cause: Cause): Step => {
  const quiet = cause.reason === "session_deleted" ? suppress(state) : state
  return state.cause === undefined
    ? { state: { ...quiet, cause }, actions: [{ type: "stop", cause }] }
    : { state: quiet, actions: [] }
}

/** Holds what may still be delivered. A line that passes the output limit is left out whole: half of it may lie. */
const take = (state: State, lines: ReadonlyArray<Line>): State => {
  if (lines.length === 0) return state
  const { maxStdoutBytes } = state.limits
  const beyond = state.muted
    ? 0
    : lines.at(-1)!.end <= maxStdoutBytes
      ? lines.length
      : lines.findIndex((line) => line.end > maxStdoutBytes)
  const allowed = beyond === lines.length ? lines : lines.slice(0, beyond)
  const muted = state.muted || beyond < lines.length
  const suppressed = state.suppressed + lines.length - allowed.length
  return hold({ ...state, muted, suppressed }, allowed)
}

/** From here on, and with all that is held, nothing is delivered. */
const suppress = (state: State): State => ({
  ...state,
  ...nothing,
  muted: true,
  suppressed: state.suppressed + state.heldLines
})

/** Delivers what is held, batch by batch, until one passes the rate limit. `keepLast` leaves the one not yet full. */
const deliver = (state: State, at: number, { keepLast = false } = {}): Step => {
  const batches = split(heldLines(state), state.limits.maxBatchBytes)
  const kept = keepLast ? batches.pop() : undefined
  const actions: Array<Action> = []
  let { seq, cursor } = state
  // One copy for all batches: there may be thousands of times.
  const times = [...state.deliveredAt]
  const deliveredAt = () => times.slice(-state.limits.rateEvents)
  for (const [index, lines] of batches.entries()) {
    if (state.cause === undefined && tooMany(state, times, at)) {
      const rest = [...batches.slice(index), kept ?? []].flat()
      const held = { ...state, seq, cursor, deliveredAt: deliveredAt(), heldLines: rest.length }
      const stopped = end(suppress(held), { reason: "rate_limit" })
      return { state: stopped.state, actions: [...actions, ...stopped.actions] }
    }
    const batch = { seq: seq + 1, lines, bytes: textBytes(lines), cursor: lines.at(-1)!.end }
    const delta = { ...delivered(lines), events: 1, bytesRead: batch.cursor - cursor }
    actions.push({ type: "deliver", batch, delta })
    seq = batch.seq
    cursor = batch.cursor
    times.push(at)
  }
  return {
    state: { ...hold({ ...state, ...nothing }, kept ?? []), seq, cursor, deliveredAt: deliveredAt() },
    actions
  }
}

const nothing = { held: undefined, heldLines: 0, heldBytes: 0 }

const hold = (state: State, lines: ReadonlyArray<Line>): State =>
  lines.length === 0
    ? state
    : {
        ...state,
        held: { lines, before: state.held },
        heldLines: state.heldLines + lines.length,
        heldBytes: lines.reduce((sum, line) => sum + line.bytes + separatorBytes, state.heldBytes)
      }

/** Whether one more event now would be too many. Until a whole window has passed nothing is. */
const tooMany = ({ limits, openedAt }: State, deliveredAt: ReadonlyArray<number>, at: number): boolean => {
  const first = deliveredAt.at(-limits.rateEvents)
  if (first === undefined || openedAt === undefined || at < openedAt + limits.rateWindowMs) return false
  return at - first < limits.rateWindowMs - Math.max(limits.batchMs, jitterMs)
}

const heldLines = (state: State): ReadonlyArray<Line> => {
  const reads: Array<ReadonlyArray<Line>> = []
  for (let read = state.held; read !== undefined; read = read.before) reads.push(read.lines)
  return reads.toReversed().flat()
}

/** Each as full as it gets. A line longer than a batch has one to itself. */
const split = (lines: ReadonlyArray<Line>, maxBytes: number): Array<ReadonlyArray<Line>> => {
  const batches: Array<ReadonlyArray<Line>> = []
  let from = 0
  let bytes = -separatorBytes
  for (const [index, line] of lines.entries()) {
    bytes += separatorBytes + line.bytes
    if (bytes > maxBytes && index > from) {
      batches.push(lines.slice(from, index))
      from = index
      bytes = line.bytes
    }
  }
  if (from < lines.length) batches.push(lines.slice(from))
  return batches
}

const textBytes = (lines: ReadonlyArray<Line>): number =>
  lines.reduce((sum, line) => sum + separatorBytes + line.bytes, -separatorBytes)

const delivered = (lines: ReadonlyArray<Line>): Ledger => ({
  ...emptyLedger,
  linesRead: lines.length,
  linesDelivered: lines.length,
  linesClipped: lines.filter((line) => line.clippedBytes > 0).length,
  bytesClipped: lines.reduce((sum, line) => sum + line.clippedBytes, 0)
})
