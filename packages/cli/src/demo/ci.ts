/** A CI run in a folder: shards that end one after the other, one of them failing, and the run with them. */
import { Effect } from "effect"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export const failingTest = "checkout applies a discount once"

const passed = `shard-1: 198 tests
ok    cart adds an item
ok    cart forgets an item
shard-1: all passed
`

const failed = `shard-2: 212 tests
ok    checkout adds the tax
FAIL  ${failingTest}
      expected 90, got 81 (test/checkout.test.ts:48)
shard-2: 1 of 212 failed
`

/** When the failing shard has ended, and the run goes on. */
export const failedAtMs = 5_000

/** Milliseconds from the run's beginning, and what is there from then on. */
const timeline = [
  { at: 2_500, files: { "shard-1.log": passed, "shard-1.result": "success" } },
  { at: failedAtMs, files: { "shard-2.log": failed, "shard-2.result": "failure" } },
  { at: 7_500, files: { "run.result": "failure" } }
] as const

export const prompt = `CI run 42 has begun. When a shard ends, ci/shard-N.log and then ci/shard-N.result ("success" or "failure") appear in this directory; when the run ends, ci/run.result does. Write a small script that prints a line when a shard ends and exits as the run did, and watch it with a monitor. If a shard fails, read its log. When the run is over, tell me what failed and why.`

/** The folder of a project before its run. */
export const prepare = (project: string) => mkdirSync(join(project, "ci"), { recursive: true })

/** Plays the run in real time, as far as `untilMs`. */
export const play = Effect.fn("ci.play")(function* (project: string, untilMs = Number.POSITIVE_INFINITY) {
  let now = 0
  for (const { at, files } of timeline) {
    if (at > untilMs) return
    yield* Effect.sleep(at - now)
    now = at
    for (const [name, content] of Object.entries(files)) put(join(project, "ci", name), content)
  }
})

/** Whole or not at all: who polls never sees half a file. */
const put = (file: string, content: string) => {
  const part = join(dirname(file), ".part")
  writeFileSync(part, content)
  renameSync(part, file)
}
