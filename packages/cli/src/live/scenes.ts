/** What a real model is asked to do, and what must then have happened. Pure: the events are all it looks at. */
import type { Event } from "@vigil/schema/event-manifest"
import type { Monitor } from "@vigil/schema/monitor"
import type { Check } from "../demo/facts.ts"

export interface Scene {
  readonly name: string
  /** Files of the project, by their names. */
  readonly files: Readonly<Record<string, string>>
  readonly prompt: string
  readonly checks: (events: ReadonlyArray<Event>, survivors: number) => ReadonlyArray<Check>
}

const ticks = `for n in 1 2 3; do
  sleep 1
  echo "tick $n of three"
done
`

/** Lines that wait for the turn's end while the model is busy. */
const queue: Scene = {
  name: "queue",
  files: { "ticks.sh": ticks, "work.sh": "sleep 6\necho worked\n" },
  prompt:
    'Start a monitor on "sh ticks.sh" with delivery "queue" and the description "ticks". Then, in the same turn, run "sh work.sh" in the foreground; it takes six seconds. End your turn when it is done. Once you are told what the monitor printed, repeat its last line and say how it ended.',
  checks: (events, survivors) => {
    const started = monitorOf(events, "monitor.started")
    const ended = monitorOf(events, "monitor.ended")
    const firstTurn = placeOf(events, ({ type }) => type === "turn.ended")
    const printed = placeOf(events, ({ type }) => type === "monitor.event")
    const reads = places(events, isEvent)
    return [
      { what: "a monitor was started in queue mode", ok: started?.delivery === "queue" },
      { what: "it printed while the turn went on", ok: printed < firstTurn },
      { what: "nothing of it was read before the turn's end", ok: reads.every((seq) => seq > firstTurn) },
      { what: "it was read then", ok: reads.length > 0 && firstTurn < Infinity },
      { what: "every line was delivered", ok: ended?.ledger.linesDelivered === 3 },
      { what: "the answer repeats the last line", ok: /tick 3/iu.test(answer(events)) },
      { what: "no process was left", ok: survivors === 0 }
    ]
  }
}

/** A watch that would never end. */
const stop: Scene = {
  name: "stop",
  files: { "beats.sh": 'n=0\nwhile :; do sleep 1; n=$((n + 1)); echo "beat $n"; done\n' },
  prompt:
    'Start a monitor on "sh beats.sh" with the description "heartbeat" and end your turn. It prints a line a second, for ever. When you have been told of the third beat, or of a later one, stop the monitor and say in one sentence how it ended.',
  checks: (events, survivors) => {
    const ended = events.find(({ type }) => type === "monitor.ended")
    const called = events.some(
      ({ type, data }) =>
        type === "part.completed" &&
        data.part.type === "tool" &&
        data.part.name === "monitor_stop" &&
        data.part.status === "completed"
    )
    const firstTurn = placeOf(events, ({ type }) => type === "turn.ended")
    return [
      { what: "a monitor was started", ok: monitorOf(events, "monitor.started") !== undefined },
      { what: "the turn ended before the watch did", ok: firstTurn < (ended?.seq ?? 0) },
      { what: "its beats woke the agent", ok: places(events, isEvent).some((seq) => seq > firstTurn) },
      {
        what: "the agent stopped it",
        ok: called && monitorOf(events, "monitor.ended")?.reason === "cancelled"
      },
      {
        what: "nothing of it was told afterwards",
        ok: ended !== undefined && !places(events, isEvent).some((seq) => seq > ended.seq)
      },
      { what: "no process was left", ok: survivors === 0 }
    ]
  }
}

export const scenes: ReadonlyArray<Scene> = [queue, stop]

const isEvent = (event: Event) => event.type === "message.created" && event.data.message.role === "event"

const places = (events: ReadonlyArray<Event>, matches: (event: Event) => boolean) =>
  events.filter(matches).map(({ seq }) => seq)

const placeOf = (events: ReadonlyArray<Event>, matches: (event: Event) => boolean) =>
  events.find(matches)?.seq ?? Number.POSITIVE_INFINITY

const monitorOf = (
  events: ReadonlyArray<Event>,
  type: "monitor.started" | "monitor.ended"
): Monitor | undefined => events.flatMap((event) => (event.type === type ? [event.data.monitor] : []))[0]

/** The last text of the agent. */
const answer = (events: ReadonlyArray<Event>): string =>
  events
    .flatMap((event) =>
      event.type === "part.completed" && event.data.part.type === "text" ? [event.data.part.text] : []
    )
    .at(-1) ?? ""
