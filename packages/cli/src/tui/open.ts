/** The terminal UI, from the command line: what it is opened with, and what its end means for the exit code. */
import { Settings } from "@vigil/core/config"
import type { Session } from "@vigil/schema/session"
import type { Client } from "@vigil/sdk/client"
import type { Demo, Left, TuiOptions } from "@vigil/tui/tui"
import { Effect, Scope } from "effect"
import { asked, whenRefused } from "../asked.ts"
import { Failed } from "../failed.ts"
import { logFileOnly, logPath } from "../log-file.ts"
import { sessionAbsent } from "../look.ts"
import { exitCodes } from "../signals.ts"

export interface OpenOptions {
  readonly client: Client
  readonly stateDir: string
  /** Where new sessions are made. */
  readonly directory: string
  /** The session to go on with, whose directory counts then. */
  readonly sessionID?: string
  /** Given to sessions that are made. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Said before anything is started for nobody. */
export const checkTerminal = Effect.suspend(() =>
  process.stdin.isTTY && process.stdout.isTTY
    ? Effect.void
    : Effect.fail(
        new Failed({
          code: exitCodes.usage,
          message:
            'The terminal UI needs a terminal, for its input and its output. In scripts use `vigil run "…"`; `vigil --help` shows everything else.'
        })
      )
)

/** Until it is left. */
export const openTui = Effect.fn("openTui")(
  function* (options: OpenOptions) {
    const { client, stateDir, sessionID, environment } = options
    const session = sessionID === undefined ? undefined : yield* sessionOf(client, sessionID)
    const settings = yield* userSettings
    const demo = yield* demoOnce
    const left = yield* untilLeft({
      client,
      directory: session?.directory ?? options.directory,
      logFile: logPath(stateDir),
      demo,
      ...settings,
      ...(session && { sessionID: session.id }),
      ...(environment && { environment })
    })
    // What broke has been said.
    if (left.crashed) return yield* new Failed({ code: exitCodes.failed })
  },
  Effect.scoped,
  (opened, { stateDir }) => Effect.provide(opened, logFileOnly(stateDir))
)

const sessionOf = (client: Client, sessionID: string) =>
  asked<Session>((signal) => client.session.get({ path: { sessionID }, signal })).pipe(
    whenRefused("SessionNotFound", () => Effect.fail(sessionAbsent(sessionID))),
    whenRefused("BadRequest", () => Effect.fail(sessionAbsent(sessionID)))
  )

/** Of whoever sits here, whosever the server is. A file that is wrong keeps nobody from the UI, which says so. */
const userSettings = Settings.use(({ user }) => user).pipe(
  Effect.provide(Settings.layer()),
  Effect.map(({ keys, theme }) => ({ keys, theme })),
  Effect.catchTag("ConfigInvalid", ({ message }) => Effect.succeed({ problem: message }))
)

/** Started at most once, and ended with the scope. */
const demoOnce = Effect.gen(function* () {
  const context = yield* Effect.context<Scope.Scope>()
  let started: Promise<Demo> | undefined
  const start = Effect.flatMap(
    Effect.promise(() => import("./demo.ts")),
    ({ startDemo }) => startDemo()
  )
  return () =>
    (started ??= Effect.runPromiseWith(context)(start).catch((error: unknown) => {
      started = undefined
      throw error
    }))
})

/** Interrupted, it is left: the terminal is given back in any case. */
const untilLeft = (options: TuiOptions) =>
  Effect.callback<Left>((resume) => {
    const leaving = new AbortController()
    const left = loaded().then((runTui) => runTui({ ...options, signal: leaving.signal }))
    left.then(
      (how) => resume(Effect.succeed(how)),
      (error: unknown) => resume(Effect.die(error))
    )
    return Effect.promise(async () => {
      leaving.abort()
      await left.catch(() => undefined)
    })
  })

/** As it is at work: React looks at the variable once, and takes half the time for a frame. */
const loaded = async () => {
  const before = process.env["NODE_ENV"]
  process.env["NODE_ENV"] = "production"
  const { runTui } = await import("@vigil/tui/tui")
  if (before === undefined) delete process.env["NODE_ENV"]
  else process.env["NODE_ENV"] = before
  return runTui
}
