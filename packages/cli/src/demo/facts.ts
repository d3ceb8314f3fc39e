/** What must have happened in the demo. Pure: the events are all it looks at. */
import type { Event } from "@vigil/schema/event-manifest"
import type { Monitor } from "@vigil/schema/monitor"
import { failingTest } from "./ci.ts"

export interface Check {
  readonly what: string
  readonly ok: boolean
}

export interface Evidence {
  readonly events: ReadonlyArray<Event>
  /** A scripted model is held to more than a real one: to each step, and to their number. */
  readonly scripted: boolean
  /** Requests that the model's server received. */
  readonly requests: number
  /** Processes of the monitor that live on. */
  readonly survivors: number
}

/** Model requests of the scripted run: write, watch, end; shard 1; shard 2, its log; the end. */
export const expectedRequests = 7

export const checks = ({ events, scripted, requests, survivors }: Evidence): ReadonlyArray<Check> => {
  const after = (seq: number) => events.filter((event) => event.seq > seq)
  const placeOf = (found: Event | undefined) => found?.seq ?? Number.POSITIVE_INFINITY
  const lineOf = (pattern: RegExp) =>
    placeOf(
      events.find(
        (event) => event.type === "monitor.event" && event.data.lines.some((line) => pattern.test(line))
      )
    )
  const one = lineOf(/shard-?\s?1/iu)
  const two = lineOf(/shard-?\s?2/iu)
  const started = placeOf(events.find(({ type }) => type === "monitor.started"))
  const firstTurn = placeOf(events.find(({ type }) => type === "turn.ended"))
  const end = events.find((event) => event.type === "monitor.ended")
  const wakes = (from: number, to: number) =>
    from < Number.POSITIVE_INFINITY &&
    after(from).some(({ type, seq }) => type === "turn.started" && seq < to)
  const reads = after(two).some(
    ({ type, data }) =>
      type === "part.completed" &&
      data.part.type === "tool" &&
      data.part.status === "completed" &&
      (data.part.output ?? "").includes(failingTest)
  )
  const report = answer(after(placeOf(end)))
  const ended = end?.data.monitor
  const written = events.some(
    ({ type, data }) =>
      type === "part.completed" &&
      data.part.type === "tool" &&
      data.part.name === "write" &&
      data.part.status === "completed"
  )
  return [
    { what: "the agent wrote a script", ok: written },
    { what: "a monitor was started on it", ok: started < Number.POSITIVE_INFINITY },
    { what: "the turn ended before the first event", ok: started < firstTurn && firstTurn < one },
    { what: "shard 1's success woke the agent", ok: wakes(one, two) },
    {
      what: "shard 2's failure woke it, and it read that shard's log",
      ok: wakes(two, placeOf(end)) && reads
    },
    {
      what: "the run's exit with code 1 woke it",
      ok: ended?.reason === "exited" && ended.exitCode === 1 && wakes(placeOf(end), Number.POSITIVE_INFINITY)
    },
    { what: "its report names shard 2", ok: /shard[ -]?2/iu.test(report) },
    { what: "every line is accounted for", ok: ended !== undefined && accounted(ended) },
    { what: "no process was left", ok: survivors === 0 },
    ...(scripted
      ? [
          {
            what: `the model was asked ${expectedRequests} times, not more`,
            ok: requests === expectedRequests
          }
        ]
      : [])
  ]
}

const accounted = ({ ledger }: Monitor) => ledger.linesRead > 0 && ledger.linesRead === ledger.linesDelivered

/** The last text of the agent. */
const answer = (events: ReadonlyArray<Event>): string =>
  events
    .flatMap((event) =>
      event.type === "part.completed" && event.data.part.type === "text" ? [event.data.part.text] : []
    )
    .at(-1) ?? ""
