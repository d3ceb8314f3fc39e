/** A real server in a process of its own, in a temporary home with a project, on a scripted model. */
import { startSimulation } from "@vigil/simulation/server"
import type { Script } from "@vigil/simulation/script"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, createClient } from "../../src/client.ts"

export const token = "0123456789abcdef0123456789abcdef"

export interface World {
  readonly project: string
  readonly url: () => string
  readonly client: () => Client
  /** Always at the same place. */
  readonly start: (options?: { readonly origins?: ReadonlyArray<string> }) => Promise<void>
  /** SIGKILL, unless it is told another way; until it is gone. */
  readonly end: (signal?: NodeJS.Signals) => Promise<void>
  /** Of a server that is gone: what it knows is kept, put back, or lost. */
  readonly keepState: () => void
  readonly restoreState: () => void
  readonly loseState: () => void
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export const makeWorld = (script: Script, config: object = {}): World => {
  const home = mkdtempSync(join(tmpdir(), "vigil-sdk-"))
  const [project, stateDir, kept] = [join(home, "project"), join(home, "state"), join(home, "kept")]
  mkdirSync(project)
  mkdirSync(join(home, ".config", "vigil"), { recursive: true })
  writeFileSync(
    join(home, ".config", "vigil", "vigil.json"),
    JSON.stringify({ model: "anthropic/scripted", monitor: { killGraceMs: 100 }, ...config })
  )
  const model = startSimulation({ script, key: "test-key" })
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url
  }
  let port = 0
  let child: Bun.Subprocess<"ignore", "pipe", "inherit"> | undefined

  const start: World["start"] = async (more = {}) => {
    const options = { stateDir, home, env, token, port, ...more }
    child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "../fixture/serve.ts"), JSON.stringify(options)],
      {
        env,
        stdio: ["ignore", "pipe", process.env["DEBUG_SERVER"] ? "inherit" : "ignore"]
      }
    )
    port = Number(new URL(await addressIn(child.stdout)).port)
  }

  const end = async (signal: NodeJS.Signals = "SIGKILL") => {
    child?.kill(signal)
    await child?.exited
  }

  const url = () => `http://127.0.0.1:${port}`
  return {
    project,
    url,
    client: () => createClient({ baseUrl: url(), token }),
    start,
    end,
    keepState: () => cpSync(stateDir, kept, { recursive: true }),
    restoreState: () => {
      rmSync(stateDir, { recursive: true })
      cpSync(kept, stateDir, { recursive: true })
    },
    loseState: () => rmSync(stateDir, { recursive: true }),
    [Symbol.asyncDispose]: async () => {
      await end()
      await model.stop()
      rmSync(home, { recursive: true, force: true })
    }
  }
}

/** Among what it logs; the rest is read so that it can write on. */
const addressIn = async (stdout: ReadableStream<Uint8Array>) => {
  const utf8 = new TextDecoder()
  const reader = stdout.getReader()
  for (let text = ""; ;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The server ended before it was ready: ${text}`)
    text += utf8.decode(value, { stream: true })
    const line = /^\{"url".*\}$/mu.exec(text)?.[0]
    if (line === undefined) continue
    void (async () => {
      while (!(await reader.read()).done);
    })()
    return (JSON.parse(line) as { readonly url: string }).url
  }
}
