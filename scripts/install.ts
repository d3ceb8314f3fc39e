/**
 * Installs the packages of bun.lock, one process at a time; `scripts/bun.mjs` calls it with the stamp to leave.
 *
 * The lock is SQLite's: it is let go of however its holder ends, so none is ever stale.
 */
import { Database } from "bun:sqlite"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dir)
const stampFile = join(root, "node_modules/.vigil-installed")
const [stamp = ""] = process.argv.slice(2)

const lock = new Database(join(root, ".tools/install.lock"), { create: true })
lock.run("PRAGMA busy_timeout = 900000")
lock.run("BEGIN EXCLUSIVE")

const installed = existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp
if (!installed) {
  rmSync(stampFile, { force: true })
  const { NODE_ENV: _, ...env } = process.env
  const install = Bun.spawn(
    [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--no-progress"],
    {
      cwd: root,
      env,
      stdio: ["ignore", "inherit", "inherit"]
    }
  )
  process.on("SIGTERM", () => install.kill("SIGTERM"))
  process.on("SIGHUP", () => install.kill("SIGHUP"))
  const code = await install.exited
  if (code === 0) writeFileSync(stampFile, stamp)
  process.exitCode = code
}
lock.close()
