import { expect, spyOn, test } from "bun:test"
import { VigilError } from "../src/client.ts"
import { stateOf } from "../src/store.ts"
import { type Snapshot, sync } from "../src/sync.ts"
import { refusal } from "./lib/feed.ts"
import { type History, makeHistory, randomOf } from "./lib/history.ts"
import { historyServer } from "./lib/server.ts"
import { shown, shownOf, until, untilSame } from "./lib/shown.ts"

const backoff = { firstMs: 1, mostMs: 2 }
const sessionID = "ses_1"

/** What a read at the end of a history shows. */
const atEnd = ({ reads, told }: History) => shownOf(stateOf(reads[told.length]!, {} as never))

const historyOf = (seed: number, steps = 120) => makeHistory(randomOf(seed), steps)

test("is read, and then kept up to date event by event", async () => {
  const history = historyOf(1)
  const server = historyServer(history, 20)
  const store = sync(server.client, sessionID, { backoff })
  expect(store.snapshot()).toMatchObject({ phase: "reading", messages: [] })
  await store.ready
  expect(store.snapshot()).toMatchObject({ phase: "ready", connection: "open" })
  server.goOn(server.left())
  await untilSame(store, atEnd(history))
  expect(server.reads()).toBe(7)
  store.close()
})

test("is exact when things happen while it reads, each answer as of another moment", async () => {
  for (let seed = 0; seed < 30; seed++) {
    const random = randomOf(seed)
    const history = historyOf(seed)
    const server = historyServer(history, random(20))
    server.onRead(async () => {
      server.goOn(random(12))
      await Promise.resolve()
      server.goOn(random(12))
    })
    const store = sync(server.client, sessionID, { backoff })
    await store.ready
    server.goOn(server.left())
    await untilSame(store, atEnd(history))
    store.close()
  }
})

test("is exact over a server that comes and goes, also in the middle of reading", async () => {
  for (let seed = 0; seed < 30; seed++) {
    const random = randomOf(seed)
    const history = historyOf(seed)
    const server = historyServer(history, random(20))
    server.onRead(() => {
      if (random(5) > 0) return
      server.away()
      server.goOn(random(10))
      setTimeout(server.back, 2)
    })
    const store = sync(server.client, sessionID, { backoff })
    while (server.left() > 0) {
      await new Promise(setImmediate)
      server.goOn(random(10))
      if (random(3) > 0) continue
      server.away()
      server.goOn(random(10))
      if (random(3) === 0) server.forget()
      server.back()
    }
    server.onRead(() => {})
    server.back()
    await untilSame(store, atEnd(history))
    store.close()
  }
})

test("is read anew when what it missed is forgotten", async () => {
  const history = historyOf(2)
  const server = historyServer(history, 20)
  const store = sync(server.client, sessionID, { backoff })
  await store.ready
  server.away()
  server.goOn(server.left())
  server.forget()
  server.back()
  await untilSame(store, atEnd(history))
  expect(server.reads()).toBe(14)
  store.close()
})

test("is read anew when the server has another store, or an older state of its own", async () => {
  const [before, after] = [historyOf(3), historyOf(4, 60)]
  for (const storeID of ["store_1", "store_2"]) {
    const server = historyServer(before, before.told.length)
    const store = sync(server.client, sessionID, { backoff })
    await untilSame(store, atEnd(before))
    server.away()
    server.back({ history: after, storeID })
    await untilSame(store, atEnd(after))
    store.close()
  }
})

test("shows that the connection is lost, and what was known last", async () => {
  const history = historyOf(5)
  const server = historyServer(history, history.told.length)
  const store = sync(server.client, sessionID, { backoff })
  await untilSame(store, atEnd(history))
  server.away()
  const lost = await until(store, ({ connection }) => connection === "lost")
  expect(lost.phase).toBe("ready")
  expect(shown(lost)).toEqual(atEnd(history))
  server.back()
  await until(store, ({ connection }) => connection === "open")
  store.close()
})

test("tells its listeners once for each event that changes something, and of nothing after they left", async () => {
  const history = historyOf(6)
  const server = historyServer(history)
  const store = sync(server.client, sessionID, { backoff })
  await store.ready
  const seen: Array<Snapshot> = []
  const left: Array<Snapshot> = []
  const leave = store.subscribe(() => left.push(store.snapshot()))
  store.subscribe(() => seen.push(store.snapshot()))
  leave()
  const count = server.left()
  server.goOn(count)
  await untilSame(store, atEnd(history))
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.length).toBeLessThanOrEqual(count)
  expect(left).toEqual([])
  // Whoever asks between two changes is shown the same object.
  expect(store.snapshot()).toBe(store.snapshot())
  store.close()
})

test("a listener that throws keeps nobody from being told", async () => {
  const server = historyServer(historyOf(6))
  const store = sync(server.client, sessionID, { backoff })
  await store.ready
  const thrown = spyOn(globalThis, "queueMicrotask").mockImplementation(() => {})
  const told = Promise.withResolvers<void>()
  store.subscribe(() => {
    throw new Error("mine")
  })
  store.subscribe(told.resolve)
  server.goOn(server.left())
  await told.promise
  store.close()
  // It is thrown where nobody waits, as an event target does.
  const throws = thrown.mock.calls.find(([task]) => String(task).includes("throw"))![0]
  thrown.mockRestore()
  expect(throws).toThrow("mine")
})

test("of a session that is not there is deleted, and so is one that is deleted later", async () => {
  const server = historyServer(historyOf(7), 30)
  const gone = () => refusal(404, { _tag: "SessionNotFound", sessionID, message: "There is no such session" })
  server.onRead(gone)
  const none = sync(server.client, sessionID, { backoff })
  await none.ready
  expect(none.snapshot()).toMatchObject({ phase: "deleted", messages: [] })

  server.onRead(() => {})
  const store = sync(server.client, sessionID, { backoff })
  await store.ready
  const { session } = store.snapshot()
  server.away()
  server.goOn(10)
  server.forget()
  server.onRead(gone)
  server.back()
  const deleted = await until(store, ({ phase }) => phase === "deleted")
  expect(deleted.session).toEqual(session)
  expect(server.feeds()).toBe(0)
})

test("fails where the server refuses for a reason that stays, and says so", async () => {
  const server = historyServer(historyOf(8), 30)
  server.onRead(() => refusal(401, { _tag: "Unauthorized", message: "The token is wrong" }))
  const store = sync(server.client, sessionID, { backoff })
  const error: unknown = await store.ready.catch((error: unknown) => error)
  expect(VigilError.is(error, "Unauthorized")).toBe(true)
  expect(store.snapshot()).toMatchObject({ phase: "failed", error: { message: "The token is wrong" } })
  expect(server.feeds()).toBe(0)
})

test("reads that fail for now are tried again", async () => {
  const history = historyOf(9)
  const server = historyServer(history, history.told.length)
  let failing = 3
  server.onRead(({ pathname }) => {
    if (!pathname.endsWith("/monitor") || failing-- <= 0) return
    return refusal(503, { _tag: "ServerStopping", message: "The server is stopping" })
  })
  const store = sync(server.client, sessionID, { backoff })
  await untilSame(store, atEnd(history))
  store.close()
})

test("that is closed leaves its connection, keeps its snapshot and tells nobody", async () => {
  const server = historyServer(historyOf(10), 30)
  const store = sync(server.client, sessionID, { backoff })
  await store.ready
  const before = store.snapshot()
  store.subscribe(() => expect.unreachable())
  store.close()
  while (server.feeds() > 0) await new Promise(setImmediate)
  server.goOn(server.left())
  await new Promise(setImmediate)
  expect(store.snapshot()).toBe(before)
})

test("that is closed before it was read is never ready", async () => {
  const server = historyServer(historyOf(10), 30)
  const wanted = new AbortController()
  server.onRead(() => wanted.abort())
  const store = sync(server.client, sessionID, { backoff, signal: wanted.signal })
  await expect(store.ready).rejects.toThrow("The store was closed")
  await expect(sync(server.client, sessionID, { signal: AbortSignal.abort() }).ready).rejects.toThrow(
    "closed"
  )
})

test("takes older messages in when they are asked for, and holds them", async () => {
  const message = (seq: number) => ({
    seq,
    message: {
      id: `msg_${seq}`,
      sessionID,
      turnID: "trn_1",
      createdAt: seq,
      role: "user",
      payload: { type: "prompt", text: "t" }
    },
    parts: []
  })
  const server = historyServer(historyOf(11), 30)
  let pages = 0
  server.onRead(async ({ pathname, searchParams: query }) => {
    if (!pathname.endsWith("/message")) return
    // While the first older page is asked for, new messages push out those in front.
    if (++pages === 2) {
      server.goOn(server.left())
      await until(store, ({ messages }) => messages[0]?.seq !== 451)
    }
    const last = Math.min(1_450, Number(query.get("before")) - 1)
    const first = Math.max(1, last - Number(query.get("limit")) + 1)
    const items = Array.from({ length: last - first + 1 }, (_, index) => message(first + index))
    return Response.json({ items, ...(first > 1 && { next: "x" }) }, { headers: { "vigil-seq": "9" } })
  })
  const store = sync(server.client, sessionID, { backoff })
  await store.ready
  const first = () => store.snapshot().messages[0]?.message.id
  expect([store.snapshot().messages.length, first()]).toEqual([1_000, "msg_451"])
  expect(await Promise.all([store.older(), store.older()])).toEqual([true, true])
  const places = store.snapshot().messages.flatMap(({ seq }) => seq ?? [])
  expect(places).toEqual(Array.from({ length: places.length }, (_, index) => 1_451 - places.length + index))
  expect(store.snapshot().messages).toHaveLength(1_200)
  while (store.snapshot().hasOlder) expect(await store.older()).toBe(true)
  expect(first()).toBe("msg_1")
  expect(await store.older()).toBe(false)
  store.close()
})
