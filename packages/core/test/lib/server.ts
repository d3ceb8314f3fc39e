/** A server in a process of its own, which the test may kill. */
import { Effect } from "effect"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type ChildProcess, spawn } from "node:child_process"
import type { makeWorld } from "./world.ts"

type World = Effect.Success<ReturnType<typeof makeWorld>>

const script = join(import.meta.dir, "../fixture/server.ts")

export interface Server {
  readonly pid: number
  /** Undefined once it answers; else why it could not start, or that it was killed before. */
  readonly ready: Promise<string | undefined>
  /** What it answers; rejects if it fails, or is killed before it does. */
  tell(to: string, what?: object): Promise<any>
  /** SIGKILL, unless it is told another way; resolves when it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>
}

export const spawnServer = ({ stateDir, env, home }: Pick<World, "stateDir" | "env" | "home">) =>
  Effect.acquireRelease(
    Effect.sync(() => serve(JSON.stringify({ stateDir, env, home }))),
    (server) => Effect.promise(() => server.end())
  )

const serve = (options: string): Server => {
  const child: ChildProcess = spawn(process.execPath, [script, options], {
    stdio: ["pipe", "pipe", process.env["DEBUG_SERVER"] ? "inherit" : "ignore"]
  })
  const gone = new Promise<void>((resolve) => void child.once("exit", () => resolve()))
  const ready = Promise.withResolvers<string | undefined>()
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  child.stdin!.on("error", () => {})
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (!line.startsWith("{") && !line.startsWith('"')) return
    const answer = JSON.parse(line)
    if (answer === "READY") return ready.resolve(undefined)
    const { id, result, error } = answer
    if (id === undefined) return ready.resolve(error)
    if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(error))
    waiting.delete(id)
  })
  void gone.then(() => {
    ready.resolve("It is gone")
    for (const { reject } of waiting.values()) reject(new Error("The server is gone"))
  })
  let number = 0
  return {
    pid: child.pid!,
    ready: ready.promise,
    tell: (to, what = {}) => {
      const answer = Promise.withResolvers<unknown>()
      // Whoever does not look at it has nothing to be told.
      answer.promise.catch(() => {})
      if (child.exitCode !== null || child.signalCode !== null) answer.reject(new Error("The server is gone"))
      waiting.set(++number, answer)
      child.stdin!.write(`${JSON.stringify({ ...what, id: number, to })}\n`)
      return answer.promise
    },
    end: (signal = "SIGKILL") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      return gone
    }
  }
}
