/** Times and amounts as people read them, and the times they write. */

/** `340 ms`, `4.2 s`, `2 m 5 s`, `1 h 3 m` */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), "m", seconds % 60, "s")
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1_440) return pair(Math.floor(minutes / 60), "h", minutes % 60, "m")
  return pair(Math.floor(minutes / 1_440), "d", Math.floor((minutes % 1_440) / 60), "h")
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`

/** `just now`, `5 m ago`, `3 d ago`: one unit is enough to find something again. */
export const age = (ms: number): string => {
  if (ms < 60_000) return "just now"
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m ago`
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ago`
  return `${Math.floor(ms / 86_400_000)} d ago`
}

/** `1 line`, `12,345 tokens` */
export const count = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`

export const grouped = (n: number): string => n.toLocaleString("en-US")

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** `30s`, `5m`, `1.5h` in milliseconds; undefined for anything else, also for none and for more than a week. */
export const parseDuration = (text: string): number | undefined => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/u.exec(text) ?? []
  if (amount === undefined || unit === undefined) return undefined
  const ms = Math.round(Number(amount) * unitMs[unit]!)
  return ms > 0 && ms <= 7 * 86_400_000 ? ms : undefined
}
