import { describe, expect, test } from "bun:test"
import { Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type ClientQueue, ClientStalled, clientStream, maxWaiting, patience } from "../src/client-queue.ts"
import { goodbye } from "../src/frame.ts"
import { testEffect } from "./lib/effect.ts"

const piece = (count: number) => ({ bytes: new TextEncoder().encode(`${count}`), count })

const connection = () => {
  let queue!: ClientQueue
  let left = 0
  const stream = clientStream({ arrived: (made) => (queue = made), left: () => void left++ })
  return { queue, reader: stream.getReader(), left: () => left }
}
const read = ({ reader }: ReturnType<typeof connection>) => Effect.promise(() => reader.read())
const it = testEffect(Layer.empty)

describe("a client's queue", () => {
  test("takes pieces until their frames fill it, and cuts with the next, whatever its size", async () => {
    const { queue, reader } = connection()
    expect(queue.push(piece(maxWaiting - 1))).toBe(true)
    expect(queue.push(piece(1))).toBe(true)
    expect(queue.push(piece(1))).toBe(false)
    // What waited went with the connection: the client must not believe that it has the last of it.
    expect(await reader.read().catch(() => "cut")).toBe("cut")
  })

  test("takes nothing more once it was cut", () => {
    const { queue } = connection()
    queue.push(piece(maxWaiting - 1))
    expect(queue.push(piece(2))).toBe(false)
    expect(queue.push(piece(1))).toBe(false)
    queue.offer(piece(1))
    queue.end()
  })

  test("has room again for what was read, and is empty when all was", async () => {
    const { queue, reader } = connection()
    expect(queue.empty()).toBe(true)
    queue.push(piece(maxWaiting - 1))
    queue.push(piece(1))
    await reader.read()
    expect(queue.empty()).toBe(false)
    expect(queue.push(piece(maxWaiting - 1))).toBe(true)
    await reader.read()
    await reader.read()
    expect(queue.empty()).toBe(true)
  })

  test("counts the frames of a piece for each client that it waits for", () => {
    const [one, other] = [connection(), connection()]
    const shared = piece(maxWaiting / 2)
    for (const { queue } of [one, other]) {
      expect(queue.push(shared)).toBe(true)
      expect(queue.push(shared)).toBe(true)
      expect(queue.push(piece(1))).toBe(false)
    }
  })

  test("leaves out what need not be heard where it is half full", async () => {
    const { queue, reader } = connection()
    queue.push(piece(maxWaiting / 2 - 1))
    queue.offer(piece(1))
    queue.offer(piece(2))
    queue.push(piece(3))
    queue.end()
    const heard: Array<string> = []
    for (let next = await reader.read(); !next.done; next = await reader.read())
      heard.push(new TextDecoder().decode(next.value))
    expect(heard).toEqual([`${maxWaiting / 2 - 1}`, "1", "3", new TextDecoder().decode(goodbye.bytes)])
  })

  test("lets the client read what waits at the end, also when it is full", async () => {
    const { queue, reader } = connection()
    const last = piece(maxWaiting)
    queue.push(last)
    queue.end()
    expect((await reader.read()).value).toBe(last.bytes)
    expect((await reader.read()).value).toBe(goodbye.bytes)
    expect((await reader.read()).done).toBe(true)
  })

  test("is told once that its client left, and takes nothing after that", async () => {
    const { queue, reader, left } = connection()
    await reader.cancel()
    expect(left()).toBe(1)
    expect(queue.push(piece(1))).toBe(false)
    queue.end()
    queue.cut()
    expect(left()).toBe(1)
  })

  it.effect(
    "says when its client has taken all of it",
    Effect.gen(function* () {
      const client = connection()
      yield* client.queue.emptied
      client.queue.push(piece(1))
      client.queue.push(piece(1))
      const emptied = yield* Effect.forkChild(client.queue.emptied, { startImmediately: true })
      yield* read(client)
      yield* Effect.yieldNow
      expect(emptied.pollUnsafe()).toBeUndefined()
      yield* read(client)
      yield* Fiber.join(emptied)
    })
  )

  it.effect(
    "does not wait longer for it than its patience, and cuts then",
    Effect.gen(function* () {
      const { queue, reader } = connection()
      queue.push(piece(1))
      const emptied = yield* Effect.forkChild(queue.emptied, { startImmediately: true })
      yield* TestClock.adjust(patience)
      expect(yield* Fiber.await(emptied)).toEqual(Exit.fail(new ClientStalled()))
      expect(yield* Effect.exit(queue.stalled)).toEqual(Exit.fail(new ClientStalled()))
      expect(yield* Effect.promise(() => reader.read().catch(() => "cut"))).toBe("cut")
    })
  )
})
