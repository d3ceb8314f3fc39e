/** Type checks the package it is run in: TypeScript and Effect's diagnostics in one pass. */
import { dirname, join } from "node:path"

const root = dirname(import.meta.dir)
const locate = Bun.spawnSync(
  [process.execPath, "--bun", join(root, "node_modules/.bin/effect-tsgo"), "get-exe-path"],
  // Found from the root: a package may have a TypeScript of its own.
  { cwd: root, stderr: "inherit" }
)
if (locate.exitCode !== 0) process.exit(locate.exitCode)

const check = Bun.spawnSync([locate.stdout.toString().trim(), "--noEmit", "-p", "."], {
  stdio: ["ignore", "inherit", "inherit"]
})
process.exit(check.exitCode)
