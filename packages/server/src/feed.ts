/**
 * Keeps each client told of what happens, from where it left off.
 *
 *   replaying ──▶ live ──▶ ended    the server stops: `retry:`, then a clean end
 *       └───────────┴────▶ cut      the client stopped reading: it comes back by its last id, and lost nothing
 *
 * One follower of the bus speaks to all live clients. A replay reads the log up to what that one has told, and
 * joins at that very event. What is stored is sent as it is stored: nothing is taken apart on its way.
 */
import { Bus, type StoredEvent } from "@vigil/core/bus"
import type { Resync } from "@vigil/schema/server"
import { Context, Effect, type Fiber, FiberSet, Layer, Schedule, Stream } from "effect"
import { type ClientQueue, clientStream } from "./client-queue.ts"
import { connectedFrame, deltaFrame, eventFrames, type Frames, heartbeat, resyncFrame } from "./frame.ts"

/** Characters of the past that may wait for each client, unless one event has more: a hundred stalled ones fit. */
export const maxPortion = 1_048_576

/** Where a client stands, and what it wants to hear. */
export interface FeedRequest {
  /** Everything behind this place, or what happens from now on. */
  readonly after?: number
  /** The store of that place. */
  readonly storeID?: string
  /** Only this session's events. */
  readonly sessionID?: string
  /** Called once, when the client is gone or its stream has ended. */
  readonly left?: () => void
}

export class Feed extends Context.Service<
  Feed,
  {
    /** The body of an answer. */
    open(request?: FeedRequest): Effect.Effect<ReadableStream<Uint8Array>>
    /** How many clients hear of what happens; one that is still at its replay is not among them. */
    readonly clients: Effect.Effect<number>
  }
>()("server/Feed") {
  static readonly layer = Layer.effect(
    Feed,
    Effect.gen(function* () {
      const bus = yield* Bus
      const fork = yield* FiberSet.makeRuntime<never, void>()
      const live = new Set<Client>()
      let told = yield* bus.head

      const tellAll = (events: ReadonlyArray<StoredEvent>) => {
        const frames = framesBySession(events)
        for (const { queue, sessionID } of live) {
          const wanted = frames(sessionID)
          if (wanted) queue.push(wanted)
        }
        told = events.at(-1)!.seq
      }
      // Whoever reads has had its turn before the next page: a burst fills only the queues of those who don't.
      const tellPage = (events: ReadonlyArray<StoredEvent>) =>
        Effect.andThen(
          Effect.sync(() => tellAll(events)),
          Effect.yieldNow
        )

      const tellTheRest = Effect.gen(function* () {
        for (;;) {
          const events = yield* bus.page(told)
          if (events.length === 0) return
          yield* tellPage(events)
        }
      })
      // Once nothing more is published, and before the streams end.
      yield* Effect.addFinalizer(() => Effect.ignore(tellTheRest))

      // It waits for no client, so only a log that keeps very little overtakes it. All have missed something then.
      const startAnew = Effect.map(bus.head, (head) => {
        for (const { queue } of live) queue.cut()
        told = head
      })
      yield* Stream.suspend(() => bus.stored(told)).pipe(
        Stream.runForEachArray(tellPage),
        Effect.catchTag("EventsForgotten", () => startAnew),
        Effect.forever,
        Effect.forkScoped
      )

      yield* bus.signals.pipe(
        Stream.runForEach((delta) =>
          Effect.sync(() => {
            let frame: Frames | undefined
            for (const { queue, sessionID } of live) {
              if (sessionID === undefined || sessionID === delta.sessionID)
                queue.offer((frame ??= deltaFrame(delta)))
            }
          })
        ),
        Effect.forkScoped
      )

      // Whoever has frames to read needs no sign of life.
      const beat = Effect.sync(() => {
        const frame = heartbeat(told)
        for (const { queue } of live) if (queue.empty()) queue.push(frame)
      })
      yield* Effect.forkScoped(Effect.schedule(beat, Schedule.spaced("15 seconds")))

      // The follower waits for nobody, so it is there after some turns.
      const upToDate = bus.head.pipe(
        Effect.flatMap((head) =>
          Effect.whileLoop({ while: () => told < head, body: () => Effect.yieldNow, step: () => {} })
        )
      )

      const serve = Effect.fnUntraced(
        function* (queue: ClientQueue, { after, storeID, sessionID }: FeedRequest) {
          yield* upToDate
          queue.push(connectedFrame({ type: "connected", storeID: bus.storeID, seq: told }))
          let last = after ?? told
          const startOver = (reason: Resync["reason"]) => {
            last = told
            queue.push(resyncFrame({ type: "resync", reason, seq: told }))
          }
          if (storeID !== undefined && storeID !== bus.storeID) startOver("other_store")
          else if (last > told) startOver("ahead")

          while (last < told) {
            // Before it is read: it is the log that keeps what a client does not take.
            yield* queue.emptied
            const upTo = told
            const page = yield* bus.page(last).pipe(
              Effect.map((events) => events.filter(({ seq }) => seq <= upTo)),
              Effect.catchTag("EventsForgotten", () => Effect.undefined)
            )
            if (page === undefined) startOver("forgotten")
            else {
              const { events, whole } = portion(page, sessionID)
              // Behind the last that is left of a session that was deleted there may be none.
              last = (whole ? page : events).at(-1)?.seq ?? upTo
              if (events.length > 0) queue.push(eventFrames(events))
            }
          }
          // Nothing may come between that comparison and this.
          const client: Client = { queue, sessionID }
          live.add(client)
          return yield* Effect.ensuring(
            queue.stalled,
            Effect.sync(() => live.delete(client))
          )
        },
        (serving, queue, { left }) =>
          serving.pipe(
            Effect.catchTag("ClientStalled", () =>
              Effect.logInfo("A client of the feed stopped reading and was cut off")
            ),
            Effect.ensuring(
              Effect.sync(() => {
                queue.end()
                left?.()
              })
            )
          )
      )

      const open = (request: FeedRequest = {}) =>
        Effect.sync(() => {
          let fiber: Fiber.Fiber<void> | undefined
          return clientStream({
            arrived: (queue) => void (fiber = fork(serve(queue, request))),
            left: () => fiber?.interruptUnsafe()
          })
        })

      return Feed.of({ open, clients: Effect.sync(() => live.size) })
    })
  )
}

interface Client {
  readonly queue: ClientQueue
  readonly sessionID: string | undefined
}

const of = (events: ReadonlyArray<StoredEvent>, wanted: string | undefined) =>
  wanted === undefined ? events : events.filter(({ sessionID }) => sessionID === wanted)

/** What a replay sends at once: the first of what is wanted, one event at least. */
const portion = (page: ReadonlyArray<StoredEvent>, wanted: string | undefined) => {
  const own = of(page, wanted)
  let size = 0
  const end = own.findIndex(({ json }, index) => (size += json.length) > maxPortion && index > 0)
  return end < 0 ? { events: own, whole: true } : { events: own.slice(0, end), whole: false }
}

/** The frames of a page for whoever wants all of it or one session's; each is made once, and only if it is wanted. */
const framesBySession = (events: ReadonlyArray<StoredEvent>) => {
  const made = new Map<string | undefined, Frames | undefined>()
  return (wanted: string | undefined): Frames | undefined => {
    if (made.has(wanted)) return made.get(wanted)
    const own = of(events, wanted)
    const frames = own.length === 0 ? undefined : eventFrames(own)
    made.set(wanted, frames)
    return frames
  }
}
