/** Times and amounts as people read them. Pure. */

/** `12 s`, `3 m 20 s`, `1 h 5 m`: whole seconds, as a list that ticks shows them. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return pair(minutes, "m", seconds % 60, "s")
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? pair(hours, "h", minutes % 60, "m") : pair(Math.floor(hours / 24), "d", hours % 24, "h")
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`

/** `340 ms`, `4.2 s`, then as above: how long something took. */
export const took = (ms: number): string => {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 59_950 ? `${(ms / 1_000).toFixed(1)} s` : duration(ms)
}

/** `just now`, `5 m ago`: one unit is enough to find something again. */
export const age = (ms: number): string => {
  if (ms < 60_000) return "just now"
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m ago`
  return ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} h ago` : `${Math.floor(ms / 86_400_000)} d ago`
}

/** `1 line`, `12,345 tokens` */
export const count = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`

export const grouped = (n: number): string => n.toLocaleString("en-US")

/** `14:02` on the wall, here. */
export const clock = (at: number): string => {
  const time = new Date(at)
  return `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`
}

/** `812 B`, `4.0 KB`, `1.2 MB` */
export const size = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} B`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
}
