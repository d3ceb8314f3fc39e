/**
 * What a server leaves on disk, so that a later one can clean up when server and watchdog died together.
 *
 * One small file a server, with its marks. Only what belongs to a provably dead server is swept: same boot and pid
 * namespace, and no process with its pid and start time.
 */
import { Schema } from "effect"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ServerMark } from "./marks.ts"
import { bootId, isDead, isLinux, pidNamespace, statOf } from "./proc.ts"
import { sweep } from "./sweep.ts"

const ServerState = Schema.Struct({
  boot: Schema.String,
  namespace: Schema.String,
  pid: Schema.Int,
  start: Schema.Int,
  variable: Schema.String,
  soft: Schema.optionalKey(Schema.String)
})
type ServerState = typeof ServerState.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ServerState))

export const serversDirectory = (stateDir: string) => join(stateDir, "servers")

/** Returns how to take the file away again. Throws where the directory can't be written. */
export const writeServerState = (stateDir: string, mark: ServerMark): (() => void) => {
  const directory = serversDirectory(stateDir)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, `${mark.token}.json`)
  const state: ServerState = {
    boot: bootId(),
    namespace: pidNamespace(),
    pid: process.pid,
    start: mark.since,
    variable: mark.variable,
    ...(mark.soft === undefined ? {} : { soft: mark.soft })
  }
  writeFileSync(path, JSON.stringify(state), { mode: 0o600, flag: "wx" })
  return () => rmSync(path, { force: true })
}

/** Kills what dead servers left, and forgets these servers. Returns whom it killed. */
export const recoverLeftovers = async (stateDir: string): Promise<ReadonlyArray<number>> => {
  if (!isLinux) return []
  const swept: Array<number> = []
  for (const name of listStates(stateDir)) {
    const path = join(serversDirectory(stateDir), name)
    const state = readState(path)
    if (state && isOurs(state)) {
      if (isLiving(state)) continue
      const { variable, soft, start } = state
      const found = await sweep({ variable, since: start, ...(soft === undefined ? {} : { soft }) })
      swept.push(...found.swept)
    }
    // Of another boot nothing lives, of another namespace nothing can be told, and what can't be read is no state.
    rmSync(path, { force: true })
  }
  return swept
}

const listStates = (stateDir: string) => {
  try {
    return readdirSync(serversDirectory(stateDir)).filter((name) => name.endsWith(".json"))
  } catch {
    return []
  }
}

const readState = (path: string): ServerState | undefined => {
  try {
    return decode(readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

const isOurs = (state: ServerState) => state.boot === bootId() && state.namespace === pidNamespace()

const isLiving = (state: ServerState) => {
  const stat = statOf(state.pid)
  return stat !== undefined && stat.start === state.start && !isDead(stat)
}
