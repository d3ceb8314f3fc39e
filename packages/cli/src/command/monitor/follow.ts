/** Output as it comes, until its command has ended. */
import { cleanText } from "@vigil/core/monitor/lines"
import { logFolder } from "@vigil/core/shell/recorded"
import { StateDirectory } from "@vigil/core/state"
import type { Event } from "@vigil/schema/event-manifest"
import type { OutputPage } from "@vigil/schema/output"
import type { Resync } from "@vigil/schema/server"
import type { Client } from "@vigil/sdk/client"
import { Effect, Option, Queue } from "effect"
import { watch } from "node:fs"
import { askedRead } from "../../asked.ts"
import { inStateDirectory } from "../../contained.ts"
import { awaitStatus, followFeed } from "../../feed.ts"
import type { Look, Task } from "../../look.ts"
import { looking } from "../../look/looking.ts"
import { lookThrough } from "../../look/owner.ts"
import { findOwner } from "../../owner.ts"
import { Screen } from "../../screen.ts"
import { taskEndText } from "../../view/monitor.ts"
import { pageBytes } from "./page.ts"

export interface Followed {
  readonly task: Task
  /** What has been read of it, and not been shown. */
  readonly page: OutputPage
  /** Pages as lines of JSON. */
  readonly json: boolean
}

/** Shows the page and what follows it. At the end says how the command ended. */
export const followOutput = Effect.fn("followOutput")(function* ({ task, page, json }: Followed) {
  const screen = yield* Screen
  const { show, flush } = printing(screen, json)
  let cursor = page.cursor

  /** Shows what has come, and says whether nothing more will. */
  const drain = Effect.fnUntraced(function* (look: Look) {
    for (;;) {
      const next = yield* look.output(task, { cursor, limit: pageBytes })
      const read = next.cursor - cursor
      cursor = next.cursor
      if (read > 0) yield* show(next)
      if (read === 0 || cursor >= next.size) return next.ended
    }
  })

  const through = Effect.fnUntraced(function* (client: Client, stateDir: string) {
    const look = lookThrough(client)
    const { sessionID } = task
    const { seq } = yield* askedRead<unknown>((signal) =>
      client.session.list({ query: { limit: 1 }, signal })
    )
    const bell = yield* Queue.sliding<void>(1)
    yield* ringAtChanges(bell, stateDir, task)
    const feed = followFeed(client, {
      after: seq,
      sessionID,
      hear: (event) => (concerns(event, task) ? Effect.asVoid(Queue.offer(bell, undefined)) : Effect.void)
    })
    const reading = Effect.gen(function* () {
      while (!(yield* drain(look))) yield* Queue.take(bell)
    })
    yield* Effect.raceAllFirst([
      reading,
      Effect.andThen(feed, Effect.never),
      // Fails where the owner ends, of which the feed says nothing: it would be taken up again.
      awaitStatus(client, sessionID, "quiet")
    ])
  }, Effect.scoped)

  yield* show(page)
  yield* inStateDirectory((stateDir) =>
    Effect.flatMap(
      findOwner(stateDir),
      Option.match({ onNone: () => Effect.void, onSome: ({ client }) => through(client, stateDir) })
    )
  ).pipe(Effect.catchTag("OwnerGone", () => Effect.void))
  // Read again: its end, and where its owner is gone the rest of what it printed.
  const ended = yield* looking((look) => Effect.andThen(drain(look), look.task(task.id)))
  yield* flush
  yield* screen.tell(taskEndText(ended, screen.stderr.paint))
})

/** What goes to stderr is told of by no event: the log's own files are watched for it. */
const ringAtChanges = Effect.fnUntraced(function* (bell: Queue.Queue<void>, stateDir: string, task: Task) {
  const folder = yield* Effect.provide(
    Effect.map(StateDirectory, (state) => logFolder(state.folder(task.sessionID, task.id))),
    StateDirectory.layer(stateDir)
  )
  yield* Effect.acquireRelease(
    Effect.try({
      try: () => watch(folder, () => Queue.offerUnsafe(bell, undefined)).on("error", () => {}),
      catch: () => undefined
    }).pipe(Effect.orElseSucceed(() => undefined)),
    (watcher) => Effect.sync(() => watcher?.close())
  )
})

/** Whether something of the task may have happened. */
const concerns = (event: Event | Resync, { id }: Task): boolean => {
  switch (event.type) {
    case "monitor.event":
    case "monitor.removed":
      return event.data.monitorID === id
    case "monitor.updated":
    case "monitor.ended":
      return event.data.monitor.id === id
    case "shell.updated":
    case "shell.ended":
      return event.data.shell.id === id
    case "shell.removed":
      return event.data.shellID === id
    default:
      return event.type === "resync" || event.type === "session.deleted"
  }
}

/** A terminal gets whole lines, so that an escape sequence that came in two parts is seen as one. */
const printing = ({ print, printRaw, stdout }: Screen["Service"], json: boolean) => {
  let rest = ""
  const show = (page: OutputPage) => {
    if (json) return print(JSON.stringify(page))
    if (!stdout.isTerminal) return printRaw(page.output)
    const text = rest + page.output
    const end = text.lastIndexOf("\n") + 1
    rest = text.slice(end)
    return printRaw(cleanText(text.slice(0, end)))
  }
  const flush = Effect.suspend(() => (rest === "" ? Effect.void : print(cleanText(rest))))
  return { show, flush }
}
