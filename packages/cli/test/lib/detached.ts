/** The owner that a command left running, which no test may leave behind. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gone, lives, type World } from "./cli.ts"

/** Who serves a world's state directory, if anybody says so. */
export const ownerPid = ({ stateDir }: World): number | undefined => {
  const file = join(stateDir, "server.json")
  if (!existsSync(file)) return undefined
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number }
  return lives(pid) ? pid : undefined
}

/** Ends it, in order, when the test is over. */
export const endingOwner = (world: World): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => {
    const pid = ownerPid(world)
    if (pid === undefined) return
    process.kill(pid, "SIGTERM")
    await gone(pid)
  }
})
