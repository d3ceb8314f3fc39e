/** What a store shows, and how long to wait for it. */
import type { Client } from "../../src/client.ts"
import { readAll } from "../../src/reads.ts"
import type { StoreState } from "../../src/store.ts"
import type { SessionStore, Snapshot } from "../../src/sync.ts"

/** The session, without the places of messages, which events do not tell. */
export const shown = ({ session, messages, turns, monitors, shells, asks, inbox }: Snapshot) => ({
  session,
  messages: messages.map(({ message, parts }) => ({ message, parts })),
  turns,
  monitors,
  shells,
  asks,
  inbox
})

export const shownOf = ({ transcript, ...state }: StoreState) =>
  shown({ ...state, messages: transcript.messages, hasOlder: transcript.hasOlder } as unknown as Snapshot)

/** As a client sees it that asks now. */
export const fresh = async (client: Client, sessionID: string) =>
  shownOf(await readAll(client, sessionID, new AbortController().signal))

/** Waits for what the store is going to show. */
export const until = (store: SessionStore, wanted: (snapshot: Snapshot) => boolean) =>
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

/** Waits until it shows the same as `expected`. */
export const untilSame = (store: SessionStore, expected: ReturnType<typeof shown>) => {
  const wanted = plain(expected)
  return until(store, (snapshot) => Bun.deepEquals(plain(shown(snapshot)), wanted))
}

/** Without what is undefined, as it would go over a wire. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value))
