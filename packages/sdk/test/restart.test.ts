import { hold } from "@vigil/simulation/script"
import { expect, setDefaultTimeout, test } from "bun:test"
import { type Client, createClient } from "../src/client.ts"
import { events } from "../src/events.ts"
import { type SessionStore, sync } from "../src/sync.ts"
import { fresh, until, untilSame } from "./lib/shown.ts"
import { makeWorld, token, type World } from "./lib/world.ts"

// Each starts several servers, one after the other.
setDefaultTimeout(60_000)

const backoff = { firstMs: 5, mostMs: 20 }
const asked = { throwOnError: true } as const

/** Hears all of a session's events from the first on, over all servers. */
const recording = (client: Client, sessionID: string) => {
  const stopped = new AbortController()
  const seqs: Array<number> = []
  const resyncs: Array<string> = []
  const over = (async () => {
    for await (const event of events(client, { after: 0, sessionID, backoff, signal: stopped.signal })) {
      if (event.type === "resync") resyncs.push(event.reason)
      else if (event.type !== "message.delta") seqs.push(event.seq)
    }
  })()
  const stop = async () => {
    stopped.abort()
    await over
    return seqs
  }
  return { resyncs, stop }
}

/** The same as one client hears it who was never cut off. */
const replayed = async (client: Client, sessionID: string, last: number) => {
  const seqs: Array<number> = []
  for await (const event of events(client, { after: 0, sessionID })) {
    if (event.type === "message.delta") continue
    seqs.push(event.seq)
    if (event.seq >= last) break
  }
  return seqs
}

const create = async (world: World) => {
  const { data } = await world.client().session.create({ body: { directory: world.project }, ...asked })
  return data.id
}

const prompt = async (client: Client, sessionID: string, text: string) => {
  const path = { sessionID }
  await client.session.prompt({ path, body: { text }, ...asked })
  await quiet(client, sessionID)
}

const quiet = (client: Client, sessionID: string) =>
  client.session.wait({ path: { sessionID }, query: { until: "quiet" }, ...asked })

const watch = async (client: Client, store: SessionStore, sessionID: string) => {
  const body = { command: "echo one; echo two; exec sleep 600", description: "two lines" }
  const { data } = await client.monitor.start({ path: { sessionID }, body, ...asked })
  await until(store, ({ monitors }) => monitors[0]?.ledger.linesDelivered === 2)
  await until(store, ({ session, messages }) => session?.status === "watching" && messages.length >= 2)
  return data.id
}

/** What is right after each restart, whatever happened before. */
const expectExact = async (world: World, store: SessionStore, heard: ReturnType<typeof recording>) => {
  const client = world.client()
  const { session } = store.snapshot()
  await quiet(client, session!.id)
  await untilSame(store, await fresh(client, session!.id))
  const seqs = await heard.stop()
  expect(seqs).toEqual(await replayed(client, session!.id, seqs.at(-1)!))
}

const expectEndedByRestart = async (client: Client, store: SessionStore, monitorID: string) => {
  const { session, monitors } = store.snapshot()
  expect(monitors.find(({ id }) => id === monitorID)).toMatchObject({
    status: "ended",
    reason: "server_restarted"
  })
  const path = { sessionID: session!.id, monitorID }
  const { data } = await client.monitor.output({ path, ...asked })
  expect(data).toMatchObject({ output: "one\ntwo\n", ended: true })
}

test("a server that is killed and started again during a monitor's life", async () => {
  await using world = makeWorld(() => "I see.")
  await world.start()
  const client = world.client()
  const sessionID = await create(world)
  const heard = recording(client, sessionID)
  const store = sync(client, sessionID, { backoff })
  const monitorID = await watch(client, store, sessionID)

  await world.end()
  await until(store, ({ connection }) => connection === "lost")
  await world.start()
  await expectExact(world, store, heard)
  await expectEndedByRestart(client, store, monitorID)
  store.close()
})

test("a server that is killed in the middle of a turn and started again", async () => {
  const never = new Promise(() => {})
  await using world = makeWorld((_, { number }) => (number === 1 ? ["Half a thought", hold(never)] : "Done."))
  await world.start()
  const client = world.client()
  const sessionID = await create(world)
  const heard = recording(client, sessionID)
  const [store, late] = [
    sync(client, sessionID, { backoff }),
    { current: undefined as SessionStore | undefined }
  ]
  await store.ready
  await client.session.prompt({ path: { sessionID }, body: { text: "Think" }, ...asked })
  const said = ({ messages }: ReturnType<SessionStore["snapshot"]>) => {
    const part = messages.at(-1)?.parts[0]
    return part?.type === "text" && part.text === "Half a thought"
  }
  await until(store, said)
  // One that came in the middle was told the text so far.
  late.current = sync(client, sessionID, { backoff })
  await until(late.current, said)

  await world.end()
  await world.start()
  await expectExact(world, store, heard)
  await untilSame(late.current, await fresh(client, sessionID))
  expect(store.snapshot().turns.map(({ outcome }) => outcome)).toEqual(["completed", "server_stopped"])
  store.close()
  late.current.close()
})

test("a server that is away for longer than a client waits at first", async () => {
  await using world = makeWorld(() => "I see.")
  await world.start()
  const client = world.client()
  const sessionID = await create(world)
  const heard = recording(client, sessionID)
  const store = sync(client, sessionID, { backoff })
  const monitorID = await watch(client, store, sessionID)

  let tries = 0
  const enough = Promise.withResolvers<void>()
  store.subscribe(() => {
    if (store.snapshot().connection === "connecting" && ++tries === 20) enough.resolve()
  })
  await world.end()
  await enough.promise
  await world.start()
  await expectExact(world, store, heard)
  await expectEndedByRestart(client, store, monitorID)
  store.close()
})

test("events that were pruned while the client was away", async () => {
  await using world = makeWorld(() => "I see.", { feed: { keepEvents: 1_000 } })
  await world.start()
  const sessionID = await create(world)
  const line = breakable(world)
  const heard = recording(line.client, sessionID)
  const store = sync(line.client, sessionID, { backoff })
  const monitorID = await watch(world.client(), store, sessionID)

  line.breakOff()
  await world.end()
  await world.start()
  const client = world.client()
  await quiet(client, sessionID)
  const other = await create(world)
  const path = { sessionID: other }
  for (let batch = 0; batch < 100; batch++) {
    await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        client.session.update({ path, body: { title: `${batch}.${n}` }, ...asked })
      )
    )
  }
  line.mend()
  await untilSame(store, await fresh(client, sessionID))
  await expectEndedByRestart(client, store, monitorID)
  expect(heard.resyncs).toContain("forgotten")
  await heard.stop()
  store.close()
})

test("a server that goes on from an older state, or from none", async () => {
  await using world = makeWorld(() => "I see.")
  await world.start()
  const client = world.client()
  const sessionID = await create(world)
  await prompt(client, sessionID, "One")
  await world.end("SIGTERM")
  world.keepState()

  await world.start()
  const heard = recording(client, sessionID)
  const store = sync(client, sessionID, { backoff })
  await prompt(client, sessionID, "Two")
  await untilSame(store, await fresh(client, sessionID))
  expect(store.snapshot().messages).toHaveLength(4)

  await world.end()
  world.restoreState()
  await world.start()
  await untilSame(store, await fresh(client, sessionID))
  expect(store.snapshot().messages).toHaveLength(2)
  expect(heard.resyncs).toEqual(["ahead"])

  await world.end()
  world.loseState()
  await world.start()
  await until(store, ({ phase }) => phase === "deleted")
  while (heard.resyncs.length < 2) await new Promise(setImmediate)
  expect(heard.resyncs).toEqual(["ahead", "other_store"])
  await heard.stop()
})

/** A line to the server that may break while the server stays. */
const breakable = (world: World) => {
  let broken = new AbortController()
  const fetchOver = async (request: Request) => {
    const signal = AbortSignal.any([request.signal, broken.signal])
    return fetch(request, { signal })
  }
  return {
    client: createClient({ baseUrl: world.url(), token, fetch: fetchOver }),
    breakOff: () => broken.abort(),
    mend: () => void (broken = new AbortController())
  }
}
