/** What every runtime must be able to do: one conversation with a real server. Bundled for each of them. */
import { createClient, seqOf, Unreachable, VigilError } from "../../src/client.ts"
import { events } from "../../src/events.ts"
import { type SessionStore, type Snapshot, sync } from "../../src/sync.ts"

export interface Scene {
  readonly baseUrl: string
  readonly token: string
  readonly directory: string
}

/** What was seen, for whoever runs it to compare. */
export const scenario = async ({
  baseUrl,
  token,
  directory
}: Scene): Promise<Readonly<Record<string, unknown>>> => {
  const client = createClient({ baseUrl, token })
  const asked = { throwOnError: true } as const
  const { data: session } = await client.session.create({ body: { directory }, ...asked })
  const path = { sessionID: session.id }
  const { response } = await client.session.get({ path, ...asked })

  const store = sync(client, session.id)
  let told = 0
  store.subscribe(() => told++)
  await store.ready
  await client.session.prompt({ path, body: { text: "Say it" }, ...asked })
  const answered = await until(store, ({ turns }) => turns[0]?.outcome === "completed")
  const part = answered.messages.at(-1)?.parts[0]

  const body = { command: "echo größer", description: "one line" }
  const { data: monitor } = await client.monitor.start({ path, body, ...asked })
  await until(store, ({ monitors }) => monitors[0]?.status === "ended")
  const output = await client.monitor.output({ path: { ...path, monitorID: monitor.id }, ...asked })

  const seen: Array<string> = []
  for await (const event of events(client, { after: seqOf(response), sessionID: session.id })) {
    if (event.type.startsWith("monitor.")) seen.push(event.type)
    if (event.type === "monitor.ended") break
  }

  const stopped = new AbortController()
  const waiting = events(client, { signal: stopped.signal }).next()
  stopped.abort()

  const wrong = await thrownBy(
    client.session.get({ path: { sessionID: "ses_00000000000000000000000000" }, ...asked })
  )
  const stranger = createClient({ baseUrl, token: "wrong" })
  const refused = await thrownBy(events(stranger).next())
  const nobody = createClient({ baseUrl: "http://127.0.0.1:1", token })
  const unreachable = await thrownBy(nobody.server.health(asked))

  await client.session.remove({ path, ...asked })
  await until(store, ({ phase }) => phase === "deleted")

  return {
    said: part?.type === "text" ? part.text : undefined,
    told: told > 0,
    output: output.data.output,
    seen: [...new Set(seen)],
    aborted: (await waiting).done,
    wrong: VigilError.is(wrong, "SessionNotFound") && wrong.status,
    refused: VigilError.is(refused, "Unauthorized") && refused.status,
    unreachable: unreachable instanceof Unreachable
  }
}

export const expected = {
  said: "It is said.",
  told: true,
  output: "größer\n",
  seen: ["monitor.started", "monitor.event", "monitor.ended"],
  aborted: true,
  wrong: 404,
  refused: 401,
  unreachable: true
}

const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const until = (store: SessionStore, wanted: (snapshot: Snapshot) => boolean) =>
  new Promise<Snapshot>((resolve) => {
    const look = () => {
      const snapshot = store.snapshot()
      if (!wanted(snapshot)) return
      unsubscribe()
      resolve(snapshot)
    }
    const unsubscribe = store.subscribe(look)
    look()
  })
