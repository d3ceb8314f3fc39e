/** What runs in the background of a session, as a run waits for it and ends it. */
import type { Monitor } from "@vigil/schema/monitor"
import type { Shell } from "@vigil/schema/shell"
import type { Client } from "@vigil/sdk/client"
import { Effect } from "effect"
import { asked, whenRefused } from "../asked.ts"
import { awaitStatus, hasStatus } from "../feed.ts"

export interface Ended {
  readonly monitors: ReadonlyArray<Monitor>
  readonly shells: ReadonlyArray<Shell>
}

/** Stops, as the user, what is active, and what commands left running. Their notices wake nobody. */
export const stopBackground = Effect.fn("stopBackground")(function* (client: Client, sessionID: string) {
  const path = { sessionID }
  const { items } = yield* asked<{ readonly items: ReadonlyArray<Shell> }>((signal) =>
    client.shell.list({ path, signal })
  )
  const living = items.filter(
    ({ status, background, survivors }) => (status === "running" && background) || survivors !== undefined
  )
  const [stopped] = yield* Effect.all(
    [
      asked<{ readonly items: ReadonlyArray<Monitor> }>((signal) => client.monitor.stopAll({ path, signal })),
      Effect.forEach(
        living,
        ({ id }) =>
          asked<unknown>((signal) => client.shell.stop({ path: { sessionID, shellID: id }, signal })).pipe(
            whenRefused("ShellNotFound", () => Effect.void)
          ),
        { concurrency: "unbounded" }
      )
    ],
    { concurrency: "unbounded" }
  )
  return { monitors: stopped.items, shells: living.toReversed() } satisfies Ended
})

/** Stops until nothing is left: a turn that an event had woken meanwhile may have started more. */
export const endBackground = Effect.fn("endBackground")(function* (client: Client, sessionID: string) {
  const monitors = new Map<string, Monitor>()
  const shells = new Map<string, Shell>()
  do {
    const ended = yield* stopBackground(client, sessionID)
    for (const monitor of ended.monitors) monitors.set(monitor.id, monitor)
    for (const shell of ended.shells) shells.set(shell.id, shell)
    yield* awaitStatus(client, sessionID, "idle")
  } while (!(yield* hasStatus(client, sessionID, "quiet", 0)))
  return { monitors: [...monitors.values()], shells: [...shells.values()] } satisfies Ended
})
