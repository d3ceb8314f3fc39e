/** `vigil session` and `vigil monitor` where they only look: at what is stored, and through an owner. */
import { call, fail, say } from "@vigil/simulation/script"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Ended, eventsOf, makeWorld } from "./lib/cli.ts"
import { executed, executedAt } from "./lib/screen.ts"
import { startServing } from "./lib/serving.ts"

const world = makeWorld((conversation) =>
  conversation.lastUserText.includes("Break")
    ? fail({ status: 400, message: "the model is ill" })
    : conversation.called("monitor")
      ? say("I saw it.")
      : call("monitor", {
          command: `printf '\\033[31mred\\033[0m\\n'; echo oops >&2; seq 1 300; exit 3`,
          description: "the build"
        })
)
/** Without a process of its own, which the tests of `run` have. */
const look = (...args: ReadonlyArray<string>) => executed(...args, "--state-dir", world.stateDir)
let session = ""
let monitor = ""

beforeAll(async () => {
  const before = await Promise.all([look("session", "list"), look("monitor", "list", "--json")])
  empty.push(...before)
  const ended = await world.vigil(["run", "Watch the build", "--allow", "*", "--wait", "--json"])
  const started = eventsOf(ended).find((event) => event.type === "monitor.started")
  session = started?.sessionID ?? ""
  monitor = started?.data.monitor.id ?? ""
}, 20_000)
afterAll(() => world[Symbol.asyncDispose]())
const empty: Array<Ended> = []

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown)

describe("before anything was kept", () => {
  test("lists are empty, and looking makes no files", async () => {
    expect(empty.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 0, stdout: "" },
      { code: 0, stdout: "" }
    ])
    const untouched = join(world.home, "untouched")
    expect((await executed("session", "list", "--state-dir", untouched)).code).toBe(0)
    expect(existsSync(untouched)).toBe(false)
  })
})

describe("vigil session", () => {
  test("list has a row for each, with its title", async () => {
    const { code, stdout } = await look("session", "list")
    const [head, row, ...rest] = stdout.trimEnd().split("\n")
    expect(head).toStartWith("ID")
    expect(row).toMatch(new RegExp(`^${session} +Watch the build +done +just now +- +${world.project}$`, "u"))
    expect({ code, rest }).toEqual({ code: 0, rest: [] })
  })

  test("list --json has a session a line", async () => {
    const { stdout } = await look("session", "list", "--json")
    expect(jsonLines(stdout)).toMatchObject([{ id: session, title: "Watch the build", unattended: true }])
  })

  test("show tells what was said, done and heard", async () => {
    const { code, stdout } = await look("session", "show", session)
    expect(code).toBe(0)
    const lines = ["> Watch the build", "✓ monitor 'the build'", "◆ the build: red", "● I saw it."]
    const places = lines.map((line) => stdout.lastIndexOf(line))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(stdout).toMatch(/^mon_\w+ +the build +exited with code 3 +just now +301 lines in \d+ events? /mu)
  })

  test("show --json is one document", async () => {
    const [shown] = jsonLines((await look("session", "show", session, "--json")).stdout)
    expect(shown).toMatchObject({
      session: { id: session },
      monitors: [{ id: monitor, exitCode: 3 }]
    })
    // The monitor's events are read in the prompt's turn, or in one of their own.
    const { turns } = shown as { turns: ReadonlyArray<unknown> }
    expect(turns.length).toBeGreaterThan(0)
    for (const turn of turns) expect(turn).toMatchObject({ outcome: "completed" })
  })
})

describe("a turn that failed", () => {
  test("says so in the list of sessions, and why at its end", async () => {
    const stateDir = join(world.home, "failed")
    const ended = await world.vigil(["run", "Break", "--state-dir", stateDir])
    expect(ended.code).not.toBe(0)
    const list = await executed("session", "list", "--state-dir", stateDir)
    const [id = ""] = list.stdout.split("\n")[1]!.split(" ")
    expect(list.stdout).toMatch(/^ID +TITLE +STATE .*\nses_\w+ +Break +failed +just now /u)
    const { stdout } = await executed("session", "show", id, "--state-dir", stateDir)
    expect(stdout).toMatch(/^> Break\n[^]*\n✗ failed: .*the model is ill/mu)
    expect(stdout.match(/failed/gu)).toHaveLength(1)
    const monitors = await executed("monitor", "list", "--session", id, "--state-dir", stateDir)
    expect(monitors).toEqual({ code: 0, stdout: "", stderr: "This session has no monitors.\n" })
    const json = await executed("session", "show", id, "--json", "--state-dir", stateDir)
    expect(jsonLines(json.stdout)).toMatchObject([{ turns: [{ sessionID: id, outcome: "failed" }] }])
  }, 20_000)
})

describe("vigil monitor", () => {
  test("list is of all sessions, or of one", async () => {
    const all = await look("monitor", "list", "--json")
    expect(jsonLines(all.stdout)).toMatchObject([{ id: monitor, sessionID: session, status: "ended" }])
    const one = await look("monitor", "list", "--json", "--session", session)
    expect(one).toEqual(all)
  })

  test("list of a session that is not there fails as showing it does", async () => {
    const shown = await look("session", "show", "ses_other")
    expect(shown).toMatchObject({ code: 1, stdout: "" })
    expect(shown.stderr).toContain("There is no session ses_other.")
    expect(await look("monitor", "list", "--session", "ses_other")).toEqual(shown)
    const untouched = join(world.home, "untouched")
    const before = await executed("monitor", "list", "--session", "ses_other", "--state-dir", untouched)
    expect(before).toEqual(shown)
  })

  test("list fits a terminal, as that of sessions does", async () => {
    for (const what of ["monitor", "session"]) {
      const at = await executedAt(60, what, "list", "--state-dir", world.stateDir)
      const lines = at.stdout.trimEnd().split("\n")
      expect(lines).toHaveLength(2)
      expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(60)
      expect(lines[1]).toContain("…")
    }
  })

  test("output is raw in a pipe, both streams", async () => {
    const { code, stdout, stderr } = await look("monitor", "output", monitor)
    expect(stdout).toContain("\u001b[31mred\u001b[0m\n")
    expect(stdout).toContain("[stderr] oops\n")
    expect(stdout).toContain("\n299\n300\n")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  test("output pages by cursor and limit", async () => {
    const whole = (await look("monitor", "output", monitor, "--cursor", "0")).stdout
    const head = await look("monitor", "output", monitor, "--cursor", "0", "--limit", "20")
    expect(whole).toStartWith(head.stdout)
    expect(Buffer.byteLength(head.stdout)).toBeLessThanOrEqual(20)
    expect(head.stderr).toContain(
      `more: vigil monitor output ${monitor} --cursor ${Buffer.byteLength(head.stdout)}`
    )
    const tail = await look("monitor", "output", monitor, "--limit", "10")
    expect(tail.stdout).toBe(whole.slice(-10))
    const [page] = jsonLines((await look("monitor", "output", monitor, "--json")).stdout)
    expect(page).toMatchObject({ output: whole, start: 0, ended: true, truncated: false })
  })
})

test("beside an owner the same is seen as without one", async () => {
  const looks: ReadonlyArray<ReadonlyArray<string>> = [
    ["session", "list", "--json"],
    ["session", "show", session, "--json"],
    ["session", "show", session],
    ["session", "show", "ses_other"],
    ["session", "show", "../x"],
    ["monitor", "list", "--json"],
    ["monitor", "list", "--session", session, "--json"],
    ["monitor", "list", "--session", "ses_other"],
    ["monitor", "output", monitor, "--json"],
    ["monitor", "output", monitor, "--cursor", "0", "--limit", "20"],
    ["monitor", "output", monitor, "--limit", "70000"],
    ["monitor", "output", monitor, "--follow"],
    ["monitor", "output", "mon_other"],
    ["monitor", "output", "../x"],
    ["monitor", "output", "sh_other"],
    ["monitor", "stop", monitor],
    ["permission", "list"],
    ["permission", "saved", "-C", world.project],
    ["trust", "--list"]
  ]
  const seen = async () => {
    const all: Array<unknown> = []
    for (const args of looks) {
      const { code, stdout, stderr } = await look(...args)
      all.push({ args, code, stdout: args.includes("--json") ? jsonLines(stdout) : stdout, stderr })
    }
    return all
  }
  const without = await seen()
  await startServing(world)
  expect(await seen()).toEqual(without)
}, 60_000)
