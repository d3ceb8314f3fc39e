/** One prompt, from its admission to an exit code, with nobody there to answer. */
import { cleanText } from "@vigil/core/monitor/lines"
import { newId } from "@vigil/schema/id"
import type { Input } from "@vigil/schema/input"
import type { Client } from "@vigil/sdk/client"
import { Clock, Effect } from "effect"
import { asked, whenRefused } from "../asked.ts"
import { Failed } from "../failed.ts"
import { awaitStatus } from "../feed.ts"
import { Screen } from "../screen.ts"
import { exitCodes, Signals } from "../signals.ts"
import { commandText } from "../view/monitor.ts"
import { count, duration } from "../view/quantity.ts"
import { type Ended, endBackground, stopBackground } from "./background.ts"
import type { Progress } from "./progress.ts"
import { report } from "./reporter.ts"
import { openSession, type SessionChoice } from "./session.ts"

export interface RunOptions extends SessionChoice {
  /** Goes on until monitors and background shells have ended, and what they told was read. */
  readonly wait: boolean
  /** Bounds all of it. */
  readonly timeoutMs?: number
  /** Events on stdout, a line each, instead of the answer there and progress on stderr. */
  readonly json: boolean
}

const nothing: Ended = { monitors: [], shells: [] }

/** How the work ended, if not by itself. */
type Cut = "failed" | "interrupted" | "expired"

/** Fails with what makes an exit code other than 0. */
export const runHeadless = Effect.fn("runHeadless")(function* (client: Client, options: RunOptions) {
  const screen = yield* Screen
  const startedAt = yield* Clock.currentTimeMillis
  const interrupted = yield* (yield* Signals).claim
  const { session, after } = yield* openSession(client, options)
  const lost = (message: string) =>
    Effect.andThen(screen.status(undefined), Effect.fail(new Failed({ code: exitCodes.failed, message })))
  yield* work(client, options, { sessionID: session.id, after, startedAt, interrupted }).pipe(
    Effect.catchTag("OwnerGone", () =>
      lost(
        `The vigil that this run had joined has gone, and with it what ran. Go on with: vigil run "…" --session ${session.id}`
      )
    ),
    whenRefused("SessionNotFound", () =>
      lost(`The session ${session.id} was deleted, and with it all that ran in it.`)
    )
  )
})

interface Begun {
  readonly sessionID: string
  readonly after: number
  readonly startedAt: number
  readonly interrupted: Effect.Effect<void>
}

const work = Effect.fnUntraced(function* (
  client: Client,
  options: RunOptions,
  { sessionID, after, startedAt, interrupted }: Begun
) {
  const screen = yield* Screen
  const { wait, json, timeoutMs, prompt } = options
  const reporter = yield* report(client, { after, sessionID, json, waits: wait })
  // Under an id of its own, so that it is read once however often it is sent.
  const id = newId("inp")
  yield* asked<Input>((signal) =>
    client.session.prompt({ path: { sessionID }, body: { id, text: prompt }, signal })
  )

  let ended = nothing
  const untilDone = Effect.gen(function* () {
    if (wait) return yield* awaitStatus(client, sessionID, "quiet")
    yield* awaitStatus(client, sessionID, "idle")
    ended = yield* endBackground(client, sessionID)
  })
  const cut = yield* Effect.raceAllFirst([
    Effect.as(untilDone, undefined),
    Effect.as(reporter.failed, "failed" as Cut),
    Effect.as(interrupted, "interrupted" as Cut),
    ...(timeoutMs === undefined ? [] : [Effect.as(Effect.sleep(timeoutMs), "expired" as Cut)])
  ])
  if (cut === "interrupted") yield* screen.tell("vigil: stopping; Ctrl-C again leaves at once")
  if (cut !== undefined) ended = yield* cutShort(client, sessionID)
  yield* reporter.caughtUp
  yield* screen.status(undefined)

  const progress = yield* reporter.progress
  yield* tellStopped(ended, wait)
  yield* tellHints(progress)
  const took = (yield* Clock.currentTimeMillis) - startedAt
  yield* conclude(progress, cut, options, took)
})

/** Ends are stored until that succeeds. With a full disk nobody waits longer: what runs dies with this process. */
const patience = "5 seconds"

/** Ends the turn as its user, and what runs in the background. No event wakes the session afterwards. */
const cutShort = Effect.fnUntraced(function* (client: Client, sessionID: string) {
  let ended = nothing
  yield* Effect.timeoutOption(
    Effect.gen(function* () {
      yield* asked<unknown>((signal) => client.session.interrupt({ path: { sessionID }, signal }))
      ended = yield* stopBackground(client, sessionID)
      yield* withdrawEvents(client, sessionID)
      yield* awaitStatus(client, sessionID, "idle")
    }),
    patience
  )
  return ended
})

/** What would wake the session once it has rested. Notices stay: its next prompt reads them. */
const withdrawEvents = Effect.fnUntraced(function* (client: Client, sessionID: string) {
  const { items } = yield* asked<{ readonly items: ReadonlyArray<Input> }>((signal) =>
    client.inbox.list({ path: { sessionID }, signal })
  )
  yield* Effect.forEach(
    items.filter(({ kind, wakes }) => kind === "synthetic" && wakes),
    ({ id }) =>
      asked<unknown>((signal) => client.inbox.withdraw({ path: { sessionID, inputID: id }, signal })).pipe(
        Effect.catchTag("Refused", () => Effect.void)
      ),
    { discard: true }
  )
})

const tellStopped = Effect.fnUntraced(function* ({ monitors, shells }: Ended, wait: boolean) {
  const screen = yield* Screen
  const hint = wait ? "" : " (--wait waits for what is watched)"
  for (const { description, id } of monitors) {
    yield* screen.tell(`vigil: stopped monitor '${description}' (${id})${hint}`)
  }
  for (const { command, id } of shells) {
    yield* screen.tell(`vigil: stopped background command ${id}: ${commandText(command)}${hint}`)
  }
})

const tellHints = Effect.fnUntraced(function* ({ hints }: Progress) {
  const screen = yield* Screen
  if (hints.length > 0) yield* screen.tell(`vigil: permission was denied; to allow it: ${hints.join(" ")}`)
})

const conclude = Effect.fnUntraced(function* (
  { ended, answer, shown, requests, inputTokens, outputTokens }: Progress,
  cut: Cut | undefined,
  { json, timeoutMs = 0 }: RunOptions,
  took: number
) {
  const screen = yield* Screen
  const { isTerminal, paint } = screen.stderr
  // Refused requests are not counted: where none was answered, none is spoken of.
  const asked =
    requests === 0
      ? ""
      : `, ${count(requests, "model request")}, ${count(inputTokens, "token")} in, ${count(outputTokens, "token")} out`
  const spent = paint.dim(duration(took) + asked)
  const summary = (word: string) => (json ? Effect.void : screen.tell(`${word}  ${spent}`))
  if (cut === "interrupted") {
    yield* summary("interrupted")
    return yield* new Failed({ code: exitCodes.interrupted })
  }
  if (cut === "expired") {
    yield* summary("timed out")
    return yield* new Failed({
      code: exitCodes.failed,
      message: `Not done after ${duration(timeoutMs)} (--timeout); everything was stopped.`
    })
  }
  if (ended?.outcome !== "completed") {
    yield* summary("failed")
    const message = ended?.error ?? "The turn ended without an answer."
    return yield* new Failed({ code: exitCodes.failed, message })
  }
  yield* summary(paint.green("done"))
  // Where both are one terminal, it stands there already.
  if (!json && answer !== undefined && !(shown && isTerminal && screen.stdout.isTerminal)) {
    yield* screen.print(screen.stdout.isTerminal ? cleanText(answer.trimEnd()) : answer.trimEnd())
  }
  if (!json && answer === undefined) yield* screen.tell("vigil: the model ended its turn without a word")
})
