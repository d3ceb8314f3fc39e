/**
 * The terminal UI from its first paint until it is left.
 *
 * It is a client of the API through the SDK, and of nothing else: whoever calls it says where the server is.
 */
import { appendFileSync } from "node:fs"
import { type Instance, render } from "ink"
import { createElement } from "react"
import type { Client } from "@vigil/sdk/client"
import { type Demo, makeEffects } from "./effects.ts"
import { bind, type KeySettings } from "./keys.ts"
import { makeProgram, type Program } from "./program.ts"
import { initial } from "./state.ts"
import { askBackground, backgroundOf, clipboard, hasColours, restored, stopped } from "./terminal.ts"
import type { ThemeName } from "./theme.ts"
import { lastAnswer } from "./transcript.ts"
import { printed } from "./text/visible.ts"
import { type Handle, Root } from "./view/root.tsx"

export interface TuiOptions {
  readonly client: Client
  /** Where a new session is made. */
  readonly directory: string
  /** The session that is opened; without it a new one is made for the first prompt. */
  readonly sessionID?: string
  /** `keys` of vigil.json. */
  readonly keys?: KeySettings
  /** `auto` follows the terminal. */
  readonly theme?: ThemeName
  /** Given to sessions that are made, so that their commands run with it. */
  readonly environment?: Readonly<Record<string, string>>
  /** Where a crash and what libraries say is written. */
  readonly logFile: string
  /** Starts a model that needs no key, where there is one. */
  readonly demo?: () => Promise<Demo>
  /** Said at the start, such as what is wrong with vigil.json. */
  readonly problem?: string
  /** Aborted, the UI is left as if its user had. */
  readonly signal?: AbortSignal
}

export type { Demo }

/** How it was left. */
export interface Left {
  readonly sessionID?: string
  /** The agent's last words. */
  readonly answer?: string
  /** What broke, when it was not the user who left. */
  readonly crashed?: Error
}

/** Takes the terminal over, and gives it back as it was, also after a crash. Stdin and stdout must be terminals. */
export const runTui = async (options: TuiOptions): Promise<Left> => {
  const { client, directory, sessionID, logFile } = options
  const { stdin, stdout, env } = process
  const bound = bind(options.keys)
  const { bindings } = bound
  const problems = [...(options.problem === undefined ? [] : [options.problem]), ...bound.problems]
  const theme = options.theme ?? "auto"
  const background =
    theme === "auto" ? (backgroundOf(env) ?? (await askBackground(stdin, stdout))) : undefined

  let app: Instance | undefined
  let handle: Handle | undefined
  let crashed: Error | undefined
  const onReady = (ready: Handle) => (handle = ready)
  const leave = () => app?.unmount()
  const crash = (error: unknown) => {
    crashed ??= error instanceof Error ? error : new Error(String(error))
    log(logFile, crashed.stack ?? crashed.message)
    leave()
  }

  const program: Program = makeProgram(
    initial({
      directory,
      columns: stdout.columns,
      rows: stdout.rows,
      now: Date.now(),
      bindings,
      theme,
      background,
      hasColours: hasColours(env),
      hasDemo: options.demo !== undefined,
      opening: sessionID !== undefined
    }),
    (request) => effects.perform(request)
  )
  const suspend = () => {
    handle?.suspend(stopped).then(resized, crash)
  }
  const effects = makeEffects({
    client,
    directory,
    ...(options.environment && { environment: options.environment }),
    ...(options.demo && { demo: options.demo }),
    state: program.state,
    dispatch: program.dispatch,
    copy: (text) => void stdout.write(clipboard(text)),
    redraw: () => {
      // What another program wrote over the screen goes when Ink has it back.
      handle?.suspend(() => Promise.resolve()).catch(crash)
    },
    suspend,
    leave
  })

  const resized = () => program.dispatch({ type: "resized", columns: stdout.columns, rows: stdout.rows })
  // Before Ink hears of it, so that its next frame fits.
  stdout.on("resize", resized)
  process.on("uncaughtException", crash)
  process.on("unhandledRejection", crash)
  const restoreConsole = quietConsole(logFile)

  try {
    app = render(createElement(Root, { program, onReady }), {
      alternateScreen: true,
      exitOnCtrlC: false,
      incrementalRendering: true,
      interactive: true,
      kittyKeyboard: { mode: "auto" },
      maxFps: 120,
      patchConsole: false
    })
    if (problems.length > 0) {
      program.dispatch({ type: "noticed", notice: { text: problems.join("; "), tone: "bad" } })
    }
    if (sessionID !== undefined) effects.open(sessionID)
    effects.perform({ type: "listModels", remote: false })
    options.signal?.addEventListener("abort", leave)
    if (options.signal?.aborted) leave()
    await app.waitUntilExit()
  } catch (error) {
    crash(error)
  } finally {
    options.signal?.removeEventListener("abort", leave)
    stdout.off("resize", resized)
    process.off("uncaughtException", crash)
    process.off("unhandledRejection", crash)
    restoreConsole()
    effects.close()
    program.close()
  }

  return tell(program, crashed, logFile)
}

/** On the main screen: what broke, or which session this was and what was said last. */
const tell = (program: Program, crashed: Error | undefined, logFile: string): Left => {
  const { session } = program.state()
  const id = session?.session.id
  const answer = lastAnswer(session)
  if (crashed !== undefined) {
    process.stdout.write(restored)
    process.stderr.write(
      `The terminal UI broke: ${printed(crashed.message)}\nThe whole of it is in ${logFile}\n`
    )
  } else if (answer !== undefined) process.stdout.write(`${printed(answer)}\n\n`)
  if (id !== undefined) process.stdout.write(`session ${id}\n`)
  return {
    ...(id === undefined ? {} : { sessionID: id }),
    ...(answer === undefined ? {} : { answer }),
    ...(crashed === undefined ? {} : { crashed })
  }
}

const log = (logFile: string, text: string) => {
  try {
    appendFileSync(logFile, `${new Date().toISOString()} tui ${text}\n`)
  } catch {
    // The log can't be written: what broke is still told.
  }
}

const consoleMethods = ["log", "info", "warn", "error", "debug"] as const

/** What libraries print would stand in the middle of the screen. */
const quietConsole = (logFile: string): (() => void) => {
  const before = consoleMethods.map((name) => [name, console[name]] as const)
  for (const name of consoleMethods) {
    console[name] = (...said: ReadonlyArray<unknown>) => log(logFile, `${name} ${said.map(String).join(" ")}`)
  }
  return () => {
    for (const [name, method] of before) console[name] = method
  }
}
