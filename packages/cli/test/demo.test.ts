import type { Event } from "@vigil/schema/event-manifest"
import { emptyLedger } from "@vigil/schema/monitor"
import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { failingTest } from "../src/demo/ci.ts"
import { plain } from "../src/view/paint.ts"
import { timeline } from "../src/demo/timeline.ts"
import { checks, expectedRequests } from "../src/demo/facts.ts"
import { polling, summaryText } from "../src/demo/summary.ts"

const script = join(import.meta.dir, "..", "..", "..", "scripts", "demo.ts")

// Without any configuration of its user.
const home = mkdtempSync(join(tmpdir(), "vigil-demo-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const demo = async (...args: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, script, ...args], {
    env: { PATH: process.env["PATH"], HOME: home, TMPDIR: process.env["TMPDIR"] },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { code, stdout, stderr }
}

describe("the demo", () => {
  test("shows the main job, and finds that all of it happened", async () => {
    const { code, stdout, stderr } = await demo()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const lines = [
      /s {2}user {4}CI run 42 has begun/u,
      /s {2}tool {4}write ci-watch\.sh/u,
      /s {2}tool {4}monitor 'CI run 42': sh ci-watch\.sh/u,
      /s {2}agent {3}I watch the run now, and end my turn\./u,
      /s {2}event {3}shard-1: success/u,
      /… .+ asleep: nothing was asked of the model/u,
      /s {2}agent {3}shard-1 passed/u,
      /s {2}event {3}shard-2: failure, log: ci\/shard-2\.log/u,
      /s {2}tool {4}read ci\/shard-2\.log/u,
      new RegExp(`The reason: "${failingTest}" expected 90, got 81`, "u"),
      /s {2}event {3}exited with code 1; 2 lines in 2 events/u,
      /s {2}agent {3}CI run 42 is over, with exit code 1\./u,
      /Passed: shard-1\. Failed: shard-2\./u,
      /3 wakes by events, 7 model requests/u
    ]
    const places = lines.map((line) => stdout.search(line))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(stdout.match(/✓/gu)).toHaveLength(10)
    expect(stdout).not.toContain("\u001b")
  }, 60_000)

  test("fails with the reason where a real model can't be asked", async () => {
    const { code, stderr } = await demo("--model", "anthropic/some-model")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^demo: .*ANTHROPIC_API_KEY/u)
  })

  test("says how it is run where its arguments are wrong", async () => {
    const { code, stderr } = await demo("--modle", "x")
    expect(code).toBe(2)
    expect(stderr).toContain("Usage: npm run demo")
  })
})

describe("what must have happened", () => {
  const tool = (name: string, output = "") => ({ part: { type: "tool", name, status: "completed", output } })
  const monitor = {
    reason: "exited",
    exitCode: 1,
    ledger: { ...emptyLedger, linesRead: 2, linesDelivered: 2 }
  }
  const story = [
    ["part.completed", tool("write")],
    ["monitor.started", { monitor }],
    ["turn.ended", {}],
    ["monitor.event", { lines: ["shard-1: success"] }],
    ["turn.started", {}],
    ["monitor.event", { lines: ["shard-2: failure"] }],
    ["turn.started", {}],
    ["part.completed", tool("read", `FAIL ${failingTest}`)],
    ["monitor.ended", { monitor }],
    ["turn.started", {}],
    ["part.completed", { part: { type: "text", text: "Shard 2 failed." } }]
  ] as const
  const evidence = { scripted: true, requests: expectedRequests, survivors: 0 }
  const missing = (left: ReadonlyArray<readonly [string, object]>, change = {}) => {
    const events = left.map(([type, data], seq) => ({ seq, type, data })) as unknown as ReadonlyArray<Event>
    return checks({ ...evidence, ...change, events }).flatMap(({ ok, what }) => (ok ? [] : [what]))
  }

  test("is all there in a whole story", () => {
    expect(missing(story)).toEqual([])
  })

  test.each(story.map((_, index) => index))("is missed where step %d of it did not happen", (index) => {
    expect(missing(story.filter((_, other) => other !== index))).not.toEqual([])
  })

  test("is missed where a process lives on, or the model was asked too often", () => {
    expect(missing(story, { survivors: 1 })).toEqual(["no process was left"])
    expect(missing(story, { requests: 8 })).toEqual(["the model was asked 7 times, not more"])
    expect(missing(story, { requests: 8, scripted: false })).toEqual([])
  })
})

const cost = {
  elapsedMs: 8_000,
  requests: 7,
  wakes: 3,
  inputTokens: 6_000,
  outputTokens: 1_000,
  watchedMs: 7_000
}

describe("in a narrow terminal", () => {
  const widest = (lines: ReadonlyArray<string>) => Math.max(...lines.map((line) => Bun.stringWidth(line)))
  const found = [{ what: "the model was asked 7 times, not more", ok: true }]

  test("the summary has a box only where it fits", () => {
    expect(summaryText(cost, found, plain, 100)[0]).toStartWith("╭─")
    const narrow = summaryText(cost, found, plain, 60)
    expect(narrow.join("\n")).not.toMatch(/[╭│╰]/u)
    expect(narrow).toContain("  asking every 2 s  604 requests, 604,000 tokens")
    expect(widest(narrow)).toBeLessThanOrEqual(60)
  })

  test("the timeline wraps at its width", () => {
    const { lines } = timeline(plain, 60)
    const told = [
      ["turn.ended", {}],
      ["turn.started", {}],
      ["message.created", { message: { role: "user", payload: { text: "word ".repeat(40) } } }],
      [
        "part.completed",
        {
          part: {
            type: "tool",
            name: "read",
            status: "completed",
            input: '{"path":"ci/a-log-of-thirty-letters.log"}',
            startedAt: 0,
            endedAt: 4_200
          }
        }
      ]
    ].flatMap(([type, data], index) => lines({ type, data } as unknown as Event, index * 1_000))
    expect(told.join("\n")).toMatch(/asleep[^]*user[^]*read ci[^]*\(4\.2 s\)/u)
    expect(widest(told)).toBeLessThanOrEqual(60)
  })
})

test("polling asks for each look, and does the rest of the work alike", () => {
  expect(polling(cost, 7_000)).toEqual({ requests: 8, tokens: 8_000 })
  expect(polling(cost, 1_200_000)).toEqual({ requests: 604, tokens: 604_000 })
})
