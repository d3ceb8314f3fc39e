/** What a process costs, as Linux counts it. */
import { readFileSync } from "node:fs"

export interface Cost {
  readonly cpuMs: number
  readonly rssBytes: number
  /** The most that it ever was. */
  readonly peakBytes: number
}

const msPerTick = 10

export const costOf = (pid: number): Cost => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const bytes = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "mu").exec(status)?.[1])
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    rssBytes: bytes("VmRSS"),
    peakBytes: bytes("VmHWM")
  }
}
