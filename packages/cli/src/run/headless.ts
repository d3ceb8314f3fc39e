/** One prompt, from its admission to an exit code, with nobody there to answer. */
import { Bus } from "@vigil/core/bus"
import { Coordinator } from "@vigil/core/coordinator"
import { cleanText } from "@vigil/core/monitor/lines"
import type { SessionId } from "@vigil/schema/session"
import { Clock, Effect } from "effect"
import { Failed } from "../failed.ts"
import { Screen } from "../screen.ts"
import { exitCodes, Signals } from "../signals.ts"
import { commandText } from "../view/monitor.ts"
import { count, duration } from "../view/quantity.ts"
import { awaitEnd, type Ended, endBackground, stopBackground } from "./background.ts"
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

/** How the work ended, if not by itself. */
type Cut = "failed" | "interrupted" | "expired"

/** Fails with what makes an exit code other than 0. */
export const runHeadless = Effect.fn("runHeadless")(function* (options: RunOptions) {
  const coordinator = yield* Coordinator
  const screen = yield* Screen
  const { wait, json, timeoutMs, prompt } = options
  const startedAt = yield* Clock.currentTimeMillis
  const interrupted = yield* (yield* Signals).claim
  const after = yield* (yield* Bus).head
  const session = yield* openSession(options)
  const reporter = yield* report({ after, sessionID: session.id, json, waits: wait })
  yield* coordinator.prompt(session.id, { text: prompt }).pipe(
    // The id is new, and the session was there a moment ago.
    Effect.orDie
  )

  let ended: Ended = { monitors: [], shells: [] }
  const work = Effect.gen(function* () {
    if (wait) return yield* awaitEnd(session.id)
    yield* coordinator.awaitIdle(session.id)
    ended = yield* endBackground(session.id)
  })
  const cut = yield* Effect.raceAllFirst([
    Effect.as(work, undefined),
    Effect.as(reporter.failed, "failed" as Cut),
    Effect.as(interrupted, "interrupted" as Cut),
    ...(timeoutMs === undefined ? [] : [Effect.as(Effect.sleep(timeoutMs), "expired" as Cut)])
  ])
  if (cut === "interrupted") yield* screen.tell("vigil: stopping; Ctrl-C again leaves at once")
  if (cut !== undefined) ended = yield* cutShort(session.id)
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

/** Ends the turn as its user, and what runs in the background. No event wakes the session meanwhile. */
const cutShort = Effect.fnUntraced(
  function* (sessionID: SessionId) {
    const coordinator = yield* Coordinator
    yield* coordinator.interrupt(sessionID)
    const ended = yield* stopBackground(sessionID)
    yield* coordinator.retire(sessionID)
    return ended
  },
  Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed({ monitors: [], shells: [] }) })
)

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
