/** docs/http-api.md, as it is printed. */
import { say } from "@vigil/simulation/script"
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeWorld } from "../test/lib/cli.ts"

const root = dirname(dirname(dirname(import.meta.dir)))
const page = readFileSync(join(root, "docs", "http-api.md"), "utf8")
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, block]) => block)

test("the walk through the API by curl ends well, block by block", async () => {
  await using world = makeWorld(() => say("They were line 1, line 2 and line 3."))
  const before = "set -eo pipefail\nkill_it() { kill %1 2>/dev/null || true; }\ntrap kill_it EXIT\n"
  const child = Bun.spawn(
    // Where the blocks leave files, and where `./vigil` is.
    [
      "bash",
      "-c",
      `${before}cd '${world.project}'\nln -s '${join(root, "vigil")}' vigil\n${blocks.join("\n")}`
    ],
    {
      env: {
        PATH: process.env["PATH"],
        HOME: world.home,
        ANTHROPIC_API_KEY: "test-key",
        ANTHROPIC_BASE_URL: world.modelUrl
      },
      stdio: ["ignore", "pipe", "pipe"],
      // Its trap ends the server, which the test's own deadline would leave.
      timeout: 50_000
    }
  )
  const [out, problems, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  // A checkout that was changed since is installed anew first.
  expect([code, problems.replace(/^vigil: installing .*\n/u, "")]).toEqual([0, ""])
  for (const told of [
    '"storeID":',
    "running",
    '"type":"monitor.event"',
    '"type":"connected"',
    "line 1\nline 2\nline 3",
    "\nline 1\n",
    "vigil-seq: ",
    "cancelled",
    "\n3\n",
    "true\nThey were line 1, line 2 and line 3.",
    '"_tag":"BadRequest","field":"body.command"',
    '"_tag":"Unauthorized"'
  ])
    expect(out).toContain(told)
  expect(out).not.toContain("resync")
}, 60_000)
