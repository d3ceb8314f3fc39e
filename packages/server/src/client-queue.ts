/**
 * What waits for one client. The stream's own queue is the only one there is, so what the client has not taken is
 * counted once and dropped with the stream.
 */
import { Data, Deferred, Effect, Latch } from "effect"
import { type Frames, goodbye } from "./frame.ts"

/** The client did not read while its queue filled, or for too long. */
export class ClientStalled extends Data.TaggedError("ClientStalled") {}

/** Frames that may wait. */
export const maxWaiting = 4_096
/** How long a replay waits for its client to take what it has. */
export const patience = "30 seconds"

// Past it, what need not be heard is left out.
const maxWaitingForMore = maxWaiting / 2

export interface ClientQueue {
  /** Until the client has taken all. One that does not is cut when its `patience` is over. */
  readonly emptied: Effect.Effect<void, ClientStalled>
  /** They find room, or the client is cut: then false. Synchronous, so that one loop can speak to all clients. */
  push(frames: Frames): boolean
  /** What need not be heard is sent where there is plenty of room. */
  offer(frames: Frames): void
  empty(): boolean
  /** Drops what waits, and the connection with it: after a frame that was left out none may follow. */
  cut(): void
  readonly stalled: Effect.Effect<never, ClientStalled>
  /** Lets the client read what waits, and tells it to come back. */
  end(): void
}

export interface Reader {
  readonly arrived: (queue: ClientQueue) => void
  readonly left: () => void
}

/** How many frames a piece stands for; the same piece may wait for many clients. */
const counts = new WeakMap<Uint8Array, number>()
const countOf = (bytes: Uint8Array | undefined) => (bytes && counts.get(bytes)) ?? 1

/** A stream of frames, for a reader whose coming and going is told. */
export const clientStream = ({ arrived, left }: Reader): ReadableStream<Uint8Array> => {
  const taken = Latch.makeUnsafe()
  let open = true
  const shut = () => open && !(open = false)
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => arrived(makeQueue(controller, taken, shut)),
      pull: () => void taken.openUnsafe(),
      cancel: () => {
        shut()
        left()
      }
    },
    { highWaterMark: maxWaiting, size: countOf }
  )
}

/** `shut` is true for whoever is the first to close the stream. */
const makeQueue = (
  controller: ReadableStreamDefaultController<Uint8Array>,
  taken: Latch.Latch,
  shut: () => boolean
): ClientQueue => {
  const stalled = Deferred.makeUnsafe<never, ClientStalled>()
  // A stream that is shut has none.
  const room = () => controller.desiredSize ?? 0

  const cut = () => {
    // Without a reason: Bun prints any it is given.
    if (shut()) controller.error()
    Deferred.doneUnsafe(stalled, Effect.fail(new ClientStalled()))
  }

  const push = ({ bytes, count }: Frames) => {
    const fits = count <= room()
    if (!fits) {
      cut()
      return false
    }
    if (count !== 1) counts.set(bytes, count)
    controller.enqueue(bytes)
    return true
  }

  const empty = () => room() === maxWaiting

  const drained: Effect.Effect<void> = Effect.suspend(() => {
    if (empty()) return Effect.void
    taken.closeUnsafe()
    return Effect.andThen(taken.await, drained)
  })

  const emptied = Effect.timeoutOrElse(drained, {
    duration: patience,
    orElse: () => Effect.suspend(() => (cut(), Deferred.await(stalled)))
  })

  const end = () => {
    if (!shut()) return
    controller.enqueue(goodbye.bytes)
    controller.close()
  }

  return {
    emptied,
    push,
    offer: (frames) => void (room() > maxWaiting - maxWaitingForMore && push(frames)),
    empty,
    cut,
    stalled: Deferred.await(stalled),
    end
  }
}
