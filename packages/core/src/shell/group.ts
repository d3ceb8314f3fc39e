/** A process group that is signalled only while its number is certainly ours. */
import { isDead, isLinux, listPids, statOf } from "./proc.ts"
import { sleep } from "./time.ts"

// One look at /proc serves all that ask in this time.
const tableMs = 12
const killRounds = 50

export class Group {
  readonly id: number
  private readonly onGone: () => void
  private readonly createdAt = performance.now()
  private leaderGone = false
  private gone = false

  /** `onGone` comes once: from then on the number may become another's. */
  constructor(id: number, onGone: () => void) {
    this.id = id
    this.onGone = onGone
  }

  /** To be called in the turn in which the leader was reaped. Until then the leader holds the number. */
  leaderExited() {
    this.leaderGone = true
    this.probe()
  }

  /** Whether a member lives; zombies that nobody reaps do not count. */
  isAlive() {
    return this.probe() && (!isLinux || livingGroups(this.createdAt).has(this.id))
  }

  signal(signal: NodeJS.Signals) {
    if (!this.probe()) return
    try {
      process.kill(-this.id, signal)
    } catch {
      // Gone, or all of it another user's.
    }
  }

  /** SIGKILL until nobody lives, at most for a second. */
  async kill() {
    for (let round = 0; round < killRounds && this.isAlive(); round++) {
      this.signal("SIGKILL")
      await sleep(round < 5 ? 2 : 20)
    }
  }

  /** Gives the number up, whoever is left. */
  release() {
    if (this.gone) return
    this.gone = true
    this.onGone()
  }

  private probe() {
    if (this.gone) return false
    try {
      process.kill(-this.id, 0)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EPERM") return true
      if (this.leaderGone) this.release()
      return false
    }
  }
}

let lookedAt = -Infinity
let living = new Set<number>()

/** Never a look that was taken before `since`. */
const livingGroups = (since: number) => {
  if (lookedAt <= since || performance.now() - lookedAt > tableMs) {
    const stats = listPids().flatMap((pid) => statOf(pid) ?? [])
    living = new Set(stats.filter((stat) => !isDead(stat)).map((stat) => stat.group))
    lookedAt = performance.now()
  }
  return living
}
