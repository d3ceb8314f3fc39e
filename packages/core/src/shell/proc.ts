/** What Linux tells about processes. Elsewhere nothing is known of them, and only process groups are used. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

export const isLinux = process.platform === "linux"

export interface ProcessStat {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** `Z` and `X` are dead. */
  readonly state: string
  /** Clock ticks after boot. With the pid it names a process for ever. */
  readonly start: number
}

/** The text of a file below /proc; empty when it can't be read, because the process is gone or another user's. */
export const readProc = (path: string) => {
  try {
    return readFileSync(`/proc/${path}`, "latin1")
  } catch {
    return ""
  }
}

export const statOf = (pid: number): ProcessStat | undefined => {
  const text = readProc(`${pid}/stat`)
  // The name stands in parentheses and may itself contain them.
  const end = text.lastIndexOf(")")
  if (end < 0) return undefined
  const fields = text.slice(end + 2).split(" ")
  return {
    pid,
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    start: Number(fields[19])
  }
}

/** A zombie answers to `kill(pid, 0)`, and yet it is dead. */
export const isDead = (stat: ProcessStat) => stat.state === "Z" || stat.state === "X"

export const listPids = (): Array<number> =>
  readdirSync("/proc").flatMap((name) => {
    const first = name.charCodeAt(0)
    return first >= 48 && first <= 57 ? [Number(name)] : []
  })

/** The pid handed out last: when it moves, something was forked meanwhile. */
export const newestPid = () => {
  const text = readProc("loadavg")
  return Number(text.slice(text.lastIndexOf(" ") + 1))
}

/** RLIMIT_RSS in bytes as decimal digits, or `unlimited`. */
export const rssLimits = (pid: number | "self"): { soft: string; hard: string } | undefined => {
  const match = /^Max resident set +(\S+) +(\S+)/m.exec(readProc(`${pid}/limits`))
  return match ? { soft: match[1]!, hard: match[2]! } : undefined
}

export const bootId = () => readProc("sys/kernel/random/boot_id").trim()

/** Pids mean something only inside the namespace that gave them. */
export const pidNamespace = () => {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}
