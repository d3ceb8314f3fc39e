/** A scripted model that says when a request with something marked arrives. */
import { startSimulation } from "@vigil/simulation/server"
import { openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { modelKey } from "./server.ts"

export interface Model {
  readonly url: string
  /** When a request arrives whose newest text holds `@mark;`, on this process's clock, in ms. */
  readonly arrival: (mark: number) => Promise<number>
  readonly requests: () => number
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const patienceMs = 30_000

export const startModel = (): Model => {
  const waiting = new Map<number, (at: number) => void>()
  let requests = 0
  const simulation = startSimulation({
    key: modelKey,
    keepRequests: 1,
    script: ({ lastUserText }) => {
      const at = performance.now()
      requests++
      for (const [, mark] of lastUserText.matchAll(/@(\d+);/gu)) {
        waiting.get(Number(mark))?.(at)
        waiting.delete(Number(mark))
      }
      return "Seen."
    }
  })
  return {
    url: simulation.url,
    arrival: (mark) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`No request told of ${mark}`)), patienceMs)
        waiting.set(mark, (at) => {
          clearTimeout(timer)
          resolve(at)
        })
      }),
    requests: () => requests,
    [Symbol.asyncDispose]: () => simulation.stop()
  }
}

/** A named pipe that a command waits on, and that this process writes to. */
export const makeTrigger = (folder: string, name: string) => {
  const path = join(folder, name)
  if (Bun.spawnSync(["mkfifo", path]).exitCode !== 0) throw new Error(`mkfifo ${path} failed`)
  // Open at both ends, so that neither side waits for the other.
  const fd = openSync(path, "r+")
  return { path, pull: (text: string | number) => void writeSync(fd, `${text}\n`) }
}

/** Prints `@mark;` for each mark that is written to the pipe. */
export const echoing = (path: string): string => `while read -r mark; do echo "@$mark;"; done <'${path}'`

let last = 0
export const nextMark = (): number => ++last
