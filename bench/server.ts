/** A real `vigil serve` in a home of its own, asked by its own client. */
import type { ConfigFile } from "@vigil/schema/config"
import { type Client, createClient } from "@vigil/sdk/client"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Cost, costOf } from "./process.ts"

export interface Home {
  readonly home: string
  readonly project: string
  readonly stateDir: string
  /** Starts a server on what the one before it left. */
  readonly serve: () => Promise<Server>
  readonly [Symbol.dispose]: () => void
}

export interface Server {
  readonly url: string
  readonly token: string
  readonly pid: number
  readonly client: Client
  readonly cost: () => Cost
  /** From its start to the line that says where it listens, in ms. */
  readonly readyMs: number
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** What a scripted model is asked by. */
export const modelKey = "bench-key"

const main = join(import.meta.dir, "..", "packages", "cli", "src", "main.ts")

export const makeHome = (modelUrl: string, config: ConfigFile = {}): Home => {
  const home = mkdtempSync(join(tmpdir(), "vigil-bench-"))
  const project = join(home, "project")
  const folder = join(home, ".config", "vigil")
  for (const path of [project, folder]) mkdirSync(path, { recursive: true })
  writeFileSync(join(folder, "vigil.json"), JSON.stringify({ model: "anthropic/scripted", ...config }))
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_API_KEY: modelKey,
    ANTHROPIC_BASE_URL: modelUrl
  }
  return {
    home,
    project,
    stateDir: join(home, ".local", "state", "vigil"),
    serve: () => start(env, project),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true })
  }
}

const start = async (env: Record<string, string | undefined>, cwd: string): Promise<Server> => {
  const begun = performance.now()
  const child = Bun.spawn([process.execPath, ...profiling(), main, "serve", "--json"], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const errors = new Response(child.stderr).text()
  const line = await firstLine(child.stdout)
  const readyMs = performance.now() - begun
  if (line === undefined) throw new Error(`The server did not start:\n${await errors}`)
  const { url, token } = JSON.parse(line) as { readonly url: string; readonly token: string }
  return {
    url,
    token,
    pid: child.pid,
    client: createClient({ baseUrl: url, token }),
    cost: () => costOf(child.pid),
    readyMs,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal)
      await child.exited
    }
  }
}

/** Where BENCH_PROFILE names a folder, each server leaves a CPU profile there when it ends. */
const profiling = (): ReadonlyArray<string> => {
  const folder = process.env["BENCH_PROFILE"]
  return folder ? ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${folder}`] : []
}

/** Of a process's output, undefined where it ends without one. */
export const firstLine = async (stream: ReadableStream<Uint8Array>): Promise<string | undefined> => {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return undefined
    text += decoder.decode(value, { stream: true })
    const end = text.indexOf("\n")
    if (end !== -1) {
      void drain(reader)
      return text.slice(0, end)
    }
  }
}

const drain = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  while (!(await reader.read()).done);
}

/** A session in whose directory every command is allowed. */
export const newSession = async (client: Client, directory: string): Promise<string> => {
  const { data } = await client.session.create({
    body: { directory, rules: [{ action: "*", pattern: "*", effect: "allow" }] },
    throwOnError: true
  })
  return data.id
}

export const startMonitor = async (
  client: Client,
  sessionID: string,
  command: string,
  description = "bench"
) => {
  const { data } = await client.monitor.start({
    path: { sessionID },
    body: { command, description, timeoutMs: 1_800_000 },
    throwOnError: true
  })
  return data
}
