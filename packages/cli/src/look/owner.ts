/** The look through an owner that runs. */
import type { MessageWithParts } from "@vigil/schema/message"
import type { Monitor } from "@vigil/schema/monitor"
import type { OutputPage } from "@vigil/schema/output"
import type { Ask, SavedAllow } from "@vigil/schema/permission"
import type { SessionInfo } from "@vigil/schema/session-info"
import type { TrustedDirectory } from "@vigil/schema/trust"
import type { Turn } from "@vigil/schema/turn"
import type { Client } from "@vigil/sdk/client"
import { Effect } from "effect"
import { asked, Refused } from "../asked.ts"
import { type Look, sessionAbsent, type Task, taskAbsent } from "../look.ts"

interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next?: string
}

/** Most of one page. */
const limit = 1_000

export const lookThrough = (client: Client): Look => ({
  sessions: pages((after) =>
    asked<Page<SessionInfo>>((signal) =>
      client.session.list({ query: { limit, ...(after && { after }) }, signal })
    )
  ),
  session: (sessionID) =>
    asked<SessionInfo>((signal) => client.session.get({ path: { sessionID }, signal })).pipe(
      absentSession(sessionID)
    ),
  messages: (sessionID) =>
    pages((after) =>
      asked<Page<MessageWithParts>>((signal) =>
        client.message.list({
          path: { sessionID },
          query: { limit, ...(after && { after: Number(after) }) },
          signal
        })
      )
    ).pipe(absentSession(sessionID)),
  turns: (sessionID) =>
    asked<Page<Turn>>((signal) => client.turn.list({ path: { sessionID }, query: { limit }, signal })).pipe(
      Effect.map(({ items }) => items.toReversed()),
      absentSession(sessionID)
    ),
  monitors: (sessionID) =>
    sessionID === undefined
      ? all(asked<Page<Monitor>>((signal) => client.monitor.all({ signal })))
      : all(asked<Page<Monitor>>((signal) => client.monitor.list({ path: { sessionID }, signal }))).pipe(
          absentSession(sessionID)
        ),
  task: (id) =>
    (isShell(id)
      ? asked<Task>((signal) => client.shell.find({ path: { shellID: id }, signal }))
      : asked<Task>((signal) => client.monitor.find({ path: { monitorID: id }, signal }))
    ).pipe(absentTask(id)),
  output: ({ id, sessionID }, { cursor, limit }) => {
    const query = { limit, ...(cursor !== undefined && { cursor }) }
    return (
      isShell(id)
        ? asked<OutputPage>((signal) =>
            client.shell.output({ path: { sessionID, shellID: id }, query, signal })
          )
        : asked<OutputPage>((signal) =>
            client.monitor.output({ path: { sessionID, monitorID: id }, query, signal })
          )
    ).pipe(absentTask(id))
  },
  asks: all(asked<Page<Ask>>((signal) => client.permission.list({ signal }))),
  saved: (directory) =>
    all(asked<Page<SavedAllow>>((signal) => client.permission.saved({ query: { directory }, signal }))),
  trusted: all(asked<Page<TrustedDirectory>>((signal) => client.trust.list({ signal })))
})

export const isShell = (id: string): boolean => id.startsWith("sh_")

const all = <A, E>(page: Effect.Effect<Page<A>, E>) => Effect.map(page, ({ items }) => items)

/** Until there is no next one. */
const pages = Effect.fnUntraced(function* <A, E>(
  ask: (after: string | undefined) => Effect.Effect<Page<A>, E>
): Effect.fn.Return<ReadonlyArray<A>, E> {
  const found: Array<A> = []
  let after: string | undefined
  do {
    const { items, next } = yield* ask(after)
    found.push(...items)
    after = next
  } while (after !== undefined)
  return found
})

/** An id that can't be one at all is refused as such; nothing has it either. */
const absent =
  <E2>(error: E2) =>
  <A, E, R>(self: Effect.Effect<A, E | Refused, R>): Effect.Effect<A, E | E2 | Refused, R> =>
    Effect.mapError(self, (refusal) =>
      refusal instanceof Refused && namesNothing(refusal) ? error : refusal
    )

const namesNothing = ({ reason, facts: { field } }: Refused) =>
  reason.endsWith("NotFound") || (typeof field === "string" && field.startsWith("path."))

const absentSession = (sessionID: string) => absent(sessionAbsent(sessionID))

const absentTask = (id: string) => absent(taskAbsent(id))
