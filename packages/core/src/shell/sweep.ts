/** Finds and kills what carries a mark. */
import { carries, type Mark } from "./marks.ts"
import { isDead, isLinux, listPids, newestPid, statOf } from "./proc.ts"
import { sleep } from "./time.ts"

export interface Survivors {
  /** Killed by the sweep. */
  readonly swept: ReadonlyArray<number>
  /** Still alive after it: another user's, or beyond signals. */
  readonly survivors: ReadonlyArray<number>
}

const cleanPasses = 2
// A burst of forks larger than this is looked at by listing everything again.
const maxChased = 2000

/** Who carries the mark now. Signals nobody. */
export const carriers = (mark: Mark): Array<number> => (isLinux ? among(listPids(), mark) : [])

/**
 * Kills until nobody was found in two passes, or until `budgetMs` of real time are used up. A pass looks at every
 * process, then at each pid that was handed out meanwhile, until none is new: nobody outruns it by forking.
 */
export const sweep = async (mark: Mark, budgetMs = 1000): Promise<Survivors> => {
  if (!isLinux) return { swept: [], survivors: [] }
  const end = performance.now() + budgetMs
  const signalled = new Set<number>()
  const untouchable = new Set<number>()
  for (let clean = 0; clean < cleanPasses && performance.now() < end;) {
    const pass = onePass(mark, end)
    for (const pid of pass.signalled) signalled.add(pid)
    for (const pid of pass.untouchable) untouchable.add(pid)
    if (pass.signalled.length > 0) clean = 0
    else if (pass.settled) clean++
    if (clean < cleanPasses) await sleep(pass.signalled.length > 0 ? 5 : 15)
  }
  const survivors = among([...new Set([...signalled, ...untouchable])], mark)
  return { swept: [...signalled].filter((pid) => !survivors.includes(pid)), survivors }
}

const onePass = (mark: Mark, end: number) => {
  const signalled: Array<number> = []
  const untouchable: Array<number> = []
  let newest = newestPid()
  let pids = listPids()
  for (;;) {
    for (const pid of pids) {
      if (!isCarrier(pid, mark)) continue
      // Right after the check, so that the number can't have become another's.
      if (kill(pid)) signalled.push(pid)
      else untouchable.push(pid)
    }
    const now = newestPid()
    if (now === newest) return { signalled, untouchable, settled: true }
    if (performance.now() > end) return { signalled, untouchable, settled: false }
    const handedOut = now - newest
    pids =
      handedOut > 0 && handedOut < maxChased
        ? Array.from({ length: handedOut }, (_, index) => now - index)
        : listPids()
    newest = now
  }
}

const among = (pids: ReadonlyArray<number>, mark: Mark) => pids.filter((pid) => isCarrier(pid, mark))

const isCarrier = (pid: number, mark: Mark) => {
  if (pid === process.pid) return false
  const stat = statOf(pid)
  return stat !== undefined && !isDead(stat) && carries(stat, mark)
}

/** False for another user's process; one that is gone counts as killed. */
const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EPERM"
  }
}
