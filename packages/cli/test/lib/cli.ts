/** The real executable in a world of its own: a temporary home with a project, and a scripted model. */
import type { Event } from "@vigil/schema/event-manifest"
import type { Script } from "@vigil/simulation/script"
import { startSimulation } from "@vigil/simulation/server"
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const main = join(dirname(dirname(import.meta.dir)), "src", "main.ts")

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string
  /** Files, in place of pipes. */
  readonly stdinFrom?: string
  readonly stdout?: string
  /** A shell's command in front of it, such as a limit. */
  readonly under?: string
  readonly cwd?: string
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A vigil that runs. */
export interface Running {
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
  /** Until stderr has the text; fails where it ends without it. */
  readonly told: (text: string) => Promise<void>
  /** What stands on stdout, once it has the text; fails where it ends without it. */
  readonly printed: (text: string) => Promise<string>
}

export interface World {
  readonly home: string
  readonly project: string
  readonly stateDir: string
  readonly modelUrl: string
  readonly requests: () => number
  readonly start: (args: ReadonlyArray<string>, options?: SpawnOptions) => Running
  readonly vigil: (args: ReadonlyArray<string>, options?: SpawnOptions) => Promise<Ended>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export const makeWorld = (script: Script = () => "Done."): World => {
  const home = mkdtempSync(join(tmpdir(), "vigil-cli-"))
  const project = join(home, "project")
  mkdirSync(project)
  mkdirSync(join(home, ".config", "vigil"), { recursive: true })
  writeFileSync(
    join(home, ".config", "vigil", "vigil.json"),
    JSON.stringify({ model: "anthropic/scripted", monitor: { killGraceMs: 100 } })
  )
  const model = startSimulation({ script, key: "test-key" })
  const running = new Set<Bun.Subprocess>()

  const start = (
    args: ReadonlyArray<string>,
    { env = {}, stdin, stdinFrom, stdout: file, under, cwd = project }: SpawnOptions = {}
  ) => {
    const files: Array<number> = []
    const opened = (path: string, flags: "r" | "w") => files[files.push(openSync(path, flags)) - 1]!
    const child = Bun.spawn(
      [...(under ? ["sh", "-c", `${under}; exec "$@"`, "sh"] : []), process.execPath, main, ...args],
      {
        cwd,
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          ANTHROPIC_API_KEY: "test-key",
          ANTHROPIC_BASE_URL: model.url,
          ...env
        },
        stdin: stdinFrom ? opened(stdinFrom, "r") : stdin === undefined ? "ignore" : new Blob([stdin]),
        stdout: file ? opened(file, "w") : "pipe",
        stderr: "pipe"
      }
    )
    files.forEach((fd) => closeSync(fd))
    running.add(child)
    const stderr = collect(child.stderr)
    const stdout = collect(child.stdout instanceof ReadableStream ? child.stdout : new Blob([]).stream())
    const ended = Promise.all([child.exited, stdout.whole, stderr.whole]).then(([code, stdout, stderr]) => {
      running.delete(child)
      return { code, stdout, stderr }
    })
    return {
      pid: child.pid,
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      ended,
      told: stderr.has,
      printed: async (text: string) => {
        await stdout.has(text)
        return stdout.text()
      }
    }
  }

  return {
    home,
    project,
    stateDir: join(home, ".local", "state", "vigil"),
    modelUrl: model.url,
    requests: () => model.requests.length,
    start,
    vigil: (args, options) => start(args, options).ended,
    [Symbol.asyncDispose]: async () => {
      for (const child of running) child.kill("SIGKILL")
      await Promise.all([...running].map(({ exited }) => exited))
      await model.stop()
      rmSync(home, { recursive: true, force: true })
    }
  }
}

/** Reads a stream to its end, and tells when a text has come, and what has so far. */
const collect = (stream: ReadableStream<Uint8Array>) => {
  let text = ""
  let over = false
  const waiting = new Set<() => void>()
  const whole = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      for (const look of waiting) look()
    }
    over = true
    for (const look of waiting) look()
    return text
  })()
  const has = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.includes(wanted)) resolve()
        else if (over) reject(new Error(`It ended without saying ${JSON.stringify(wanted)}:\n${text}`))
        else return
        waiting.delete(look)
      }
      waiting.add(look)
      look()
    })
  return { whole, has, text: () => text }
}

export const eventsOf = ({ stdout }: Ended): ReadonlyArray<Event> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event)

/** Whether a process lives; a zombie does not. */
export const lives = (pid: number): boolean => {
  try {
    if (process.platform === "linux") {
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === false
    }
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Until it is gone. The test's own deadline bounds it. */
export const gone = async (pid: number): Promise<void> => {
  while (lives(pid)) await Bun.sleep(10)
}
