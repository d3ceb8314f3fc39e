/**
 * How a descendant is recognised, wherever it went.
 *
 * Two marks, since each survives what removes the other: a variable in the environment, and a pair of
 * RLIMIT_RSS values, which Linux ignores while `env -i`, `setsid` and `exec` keep them. The variable's name and
 * the soft limit are the server's, the variable's value and the hard limit are the process's own.
 */
import { randomBytes, randomInt } from "node:crypto"
import { isLinux, type ProcessStat, readProc, rssLimits, statOf } from "./proc.ts"

/** What to look for. A process carries it when the variable or all given limits are there. */
export interface Mark {
  /** `NAME=value`, or `NAME=` for any value. */
  readonly variable: string
  /** Bytes, as digits. */
  readonly soft?: string
  readonly hard?: string
  /** Clock ticks after boot; what is older can't be a descendant. */
  readonly since: number
}

export interface ServerMark extends Mark {
  readonly token: string
  /** KiB, as `ulimit -m` takes it; absent where limits can't be used as marks. */
  readonly softKib?: number
}

export interface ProcessMark {
  readonly env: Record<string, string>
  /** KiB, as `ulimit -m` takes it. */
  readonly limits?: { readonly softKib: number; readonly hardKib: number }
  readonly mark: (since: number) => Mark
}

// Far above any memory, so that the limits limit nothing: 2 and 4 EiB. 48 random bits each.
const softBase = 2 ** 51
const hardBase = 2 ** 52
const span = 2 ** 48 - 1
const prefix = "LIFELINE_"

/**
 * `rss: false` does without limits. They are left out too where the server itself runs under a lower hard limit
 * than they need.
 */
export const makeServerMark = (rss: boolean): ServerMark => {
  const token = randomBytes(16).toString("hex")
  const base = {
    token,
    variable: `${prefix}${token}=`,
    since: isLinux ? (statOf(process.pid)?.start ?? 0) : 0
  }
  if (!rss || hardRoom() < 2 ** 24) return base
  const softKib = softBase + randomInt(span)
  return { ...base, softKib, soft: bytes(softKib) }
}

export const makeProcessMark = (server: ServerMark): ProcessMark => {
  const token = randomBytes(16).toString("hex")
  const name = server.variable.slice(0, -1)
  const limits =
    server.softKib === undefined
      ? undefined
      : { softKib: server.softKib, hardKib: hardBase + randomInt(hardRoom()) }
  return {
    env: { ...outerMarks(), [name]: token },
    ...(limits ? { limits } : {}),
    mark: (since) => ({
      variable: `${name}=${token}`,
      since,
      ...(limits ? { soft: bytes(limits.softKib), hard: bytes(limits.hardKib) } : {})
    })
  }
}

export const carries = (stat: ProcessStat, mark: Mark): boolean => {
  if (stat.start < mark.since) return false
  if (readProc(`${stat.pid}/environ`).includes(mark.variable)) return true
  if (mark.soft === undefined) return false
  const limits = rssLimits(stat.pid)
  return limits?.soft === mark.soft && (mark.hard === undefined || limits.hard === mark.hard)
}

/** A server inside a monitor of another server has a hard limit, above which its own processes can't go. */
const hardRoom = () => {
  const hard = isLinux ? rssLimits("self")?.hard : undefined
  if (hard === undefined) return 0
  return hard === "unlimited" ? span : Math.max(0, Math.min(span, Number(BigInt(hard) / 1024n) - hardBase))
}

/** The variables that servers around this one look for; a scrubbed environment must not lose them. */
const outerMarks = () =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined ? [[name, value]] : []
    )
  )

const bytes = (kib: number) => String(BigInt(kib) * 1024n)
