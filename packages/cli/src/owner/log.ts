/** Where a detached owner says what nobody is there to read. */
import { chmodSync, openSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"

/** Past it, at the next start, the file is put aside as `server.log.1`, in place of an older one. */
export const maxServerLogBytes = 5 * 1024 * 1024

export const serverLogPath = (stateDir: string) => join(stateDir, "server.log")

/** A descriptor to append to. For its user alone, also where an older one was not. */
export const openServerLog = (stateDir: string): number => {
  const path = serverLogPath(stateDir)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxServerLogBytes) renameSync(path, `${path}.1`)
  const log = openSync(path, "a", 0o600)
  chmodSync(path, 0o600)
  return log
}
