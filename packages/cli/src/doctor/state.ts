/** Where state is kept: whose it is, who may read it, and whether there is room. */
import { Database } from "@vigil/core/database"
import { Cause, Effect } from "effect"
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { firstLine } from "../view/fault.ts"
import { databaseFile } from "../stored.ts"
import { type Check, ok, warning, wrong } from "./check.ts"

const MiB = 1024 * 1024
/** One session's logs alone may be this large. */
const enough = 512 * MiB
const tooLittle = 32 * MiB

export const directory = (stateDir: string): Check => {
  const name = "state"
  const stat = statSync(stateDir, { throwIfNoEntry: false })
  const elsewhere = "or name another directory with --state-dir"
  if (stat === undefined) {
    const parent = existing(stateDir)
    return writable(parent)
      ? ok(name, `${stateDir} will be made when it is needed`)
      : wrong(name, `${stateDir} can't be made`, `Make ${parent} writable, ${elsewhere}`)
  }
  if (!stat.isDirectory()) {
    return wrong(name, `${stateDir} is no directory`, `Move the file away, ${elsewhere}`)
  }
  if (stat.uid !== process.getuid?.()) {
    return wrong(name, `${stateDir} belongs to another user`, `Make it yours with chown, ${elsewhere}`)
  }
  if (!writable(stateDir)) return wrong(name, `${stateDir} can't be written`, `chmod 700 '${stateDir}'`)
  if ((stat.mode & 0o077) !== 0) {
    const mode = (stat.mode & 0o777).toString(8)
    return wrong(name, `${stateDir} is open to other users (mode ${mode})`, `chmod 700 '${stateDir}'`)
  }
  return ok(name, stateDir)
}

export const disk = (stateDir: string): Check => {
  const place = existing(stateDir)
  try {
    const { bavail, bsize } = statfsSync(place)
    return room(bavail * bsize, place)
  } catch (error) {
    return warning("disk", `how much is free can't be told: ${firstLine(error)}`, "Look with df")
  }
}

export const room = (free: number, place: string): Check => {
  const text = `${free >= 1024 * MiB ? `${(free / 1024 / MiB).toFixed(1)} GiB` : `${Math.floor(free / MiB)} MiB`} free at ${place}`
  const mend = "Make room, or name another directory with --state-dir"
  if (free < tooLittle) return wrong("disk", text, mend)
  return free < enough ? warning("disk", text, mend) : ok("disk", text)
}

/** Opened to read only, also while another vigil writes. */
export const database = (stateDir: string): Effect.Effect<Check> => {
  const path = databaseFile(stateDir)
  if (!existsSync(path)) return Effect.succeed(ok("database", "will be made when it is needed"))
  return Database.use(({ read }) => read`SELECT count(*) FROM kv`).pipe(
    Effect.provide(Database.layer({ path, readonly: true })),
    Effect.as(ok("database", "can be read")),
    Effect.catchCause((cause) =>
      Effect.succeed(
        wrong(
          "database",
          `${path} can't be read: ${firstLine(Cause.squash(cause))}`,
          "Move it away, or bring it back from a backup"
        )
      )
    )
  )
}

/** The nearest folder above that is there. */
const existing = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existing(dirname(path))

const writable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
