/** `vigil run`, the real executable on a scripted model. */
import { Event } from "@vigil/schema/event-manifest"
import { call, fail, say } from "@vigil/simulation/script"
import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventsOf, makeWorld } from "./lib/cli.ts"

const escape = "\u001b"

describe("vigil run", () => {
  test("prints the answer on stdout and progress on stderr, without colours in a pipe", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("read")
        ? say("It says hello.")
        : [say("Let me look."), call("read", { path: "a.txt" })]
    )
    await Bun.write(join(world.project, "a.txt"), "hello\n")
    const { code, stdout, stderr } = await world.vigil(["run", "What does a.txt say?"])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It says hello.\n" })
    const [session, said, tool, summary, ...rest] = stderr.trimEnd().split("\n")
    expect(session).toMatch(/^session ses_\w+, in \//u)
    expect(said).toBe("● Let me look.")
    expect(tool).toMatch(/^✓ read a\.txt {2}\d+ ms$/u)
    expect(summary).toMatch(/^done {2}.+, 2 model requests, [\d,]+ tokens in, [\d,]+ tokens out$/u)
    expect(rest).toEqual([])
    expect(stdout + stderr).not.toContain(escape)
  })

  test("colours progress where FORCE_COLOR asks for it", async () => {
    await using world = makeWorld(() => say("Done."))
    const { stdout, stderr } = await world.vigil(["run", "x"], { env: { FORCE_COLOR: "1" } })
    expect(stderr).toContain(`${escape}[`)
    expect(stdout).toBe("Done.\n")
  })

  test("reads its prompt from stdin, named or piped", async () => {
    await using world = makeWorld((conversation) => say(conversation.lastUserText.split("\n")[0] ?? ""))
    for (const args of [["run", "-"], ["run"]]) {
      const { code, stdout } = await world.vigil(args, { stdin: "from the pipe\n" })
      expect({ code, stdout }).toEqual({ code: 0, stdout: "from the pipe\n" })
    }
  })

  test("prints every event of its session as JSON, and nothing else", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("glob") ? say("None.") : call("glob", { pattern: "*.md" })
    )
    const ended = await world.vigil(["run", "Which documents?", "--json"])
    const events = eventsOf(ended)
    expect(events.filter((event) => !Schema.is(Event)(event))).toEqual([])
    expect(ended.code).toBe(0)
    expect(ended.stderr).toBe("")
    expect(events[0]?.type).toBe("session.created")
    expect(events.at(-1)?.type).toBe("turn.ended")
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b))
    expect(new Set(events.map(({ sessionID }) => sessionID)).size).toBe(1)
  })

  test("has what a plugin logs to the console on stderr, apart from its results", async () => {
    await using world = makeWorld(() => say("Done."))
    const configDir = join(world.home, ".config/vigil")
    await Bun.write(
      join(configDir, "noisy.ts"),
      `export default { name: "noisy", setup() { console.log("a log"); console.table([{ of: "a table" }]) } }`
    )
    await Bun.write(
      join(configDir, "vigil.json"),
      JSON.stringify({ model: "anthropic/scripted", plugins: ["./noisy.ts"] })
    )
    const { code, stdout, stderr } = await world.vigil(["run", "x"])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
    expect(stderr).toContain("a log\n")
    expect(stderr).toContain("a table")
  })

  test("goes on with a session", async () => {
    await using world = makeWorld((conversation) => say(`turn ${conversation.turns.length}`))
    const [first] = eventsOf(await world.vigil(["run", "One", "--json"]))
    const { code, stdout } = await world.vigil(["run", "Two", "--session", String(first?.sessionID)])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "turn 3\n" })
  })

  test("denies what was not allowed, and says what would allow it", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("shell")
        ? say(conversation.results("shell").at(-1) ?? "")
        : call("shell", { command: "echo hello" })
    )
    const denied = await world.vigil(["run", "Greet"])
    expect(denied.code).toBe(0)
    expect(denied.stderr).toContain("vigil: permission was denied; to allow it: --allow 'echo *'\n")
    const allowed = await world.vigil(["run", "Greet", "--allow", "echo *"])
    expect(allowed.stdout).toContain("hello")
    expect(allowed.stderr).not.toContain("denied")
  })

  test("says so where the model ends without a word", async () => {
    await using world = makeWorld(() => say(""))
    const { code, stdout, stderr } = await world.vigil(["run", "x"])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    expect(stderr).toEndWith("vigil: the model ended its turn without a word\n")
  })

  test.if(existsSync("/dev/full"))("exits 1 where its answer can't be written", async () => {
    await using world = makeWorld(() => say("Done."))
    const { code, stderr } = await world.vigil(["run", "x"], { stdout: "/dev/full" })
    expect(code).toBe(1)
    expect(stderr).toEndWith("vigil: stdout can't be written to (ENOSPC)\n")
  })

  test("tells what others wrote without escape sequences", async () => {
    await using world = makeWorld(() => fail({ status: 400, message: `no ${escape}[2Jsuch feature` }))
    const { stderr } = await world.vigil(["run", `x${escape}]0;title\u0007`])
    expect(stderr).toContain("no such feature")
    expect(stderr).not.toContain(escape)
    expect((await world.vigil(["session", "list"])).stdout).not.toContain(escape)
  })

  test("exits 1 with the reason where its turn fails", async () => {
    await using world = makeWorld(() => fail({ status: 400, message: "no such feature" }))
    const { code, stdout, stderr } = await world.vigil(["run", "x"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^vigil: .*no such feature/mu)
    // A refused request was made all the same: nobody is told that there was none.
    expect(stderr).toMatch(/^failed {2}[^,\n]+$/mu)
  })

  test("keeps its state where it is told to, for its user alone", async () => {
    await using world = makeWorld(() => say("Done."))
    const stateDir = join(world.home, "elsewhere")
    await world.vigil(["run", "x", "--state-dir", stateDir])
    expect(existsSync(join(stateDir, "vigil.db"))).toBe(true)
    expect(existsSync(world.stateDir)).toBe(false)
  })

  test("logs into a file of the state directory, and tells a warning in a line", async () => {
    let tries = 0
    await using world = makeWorld(() =>
      tries++ === 0 ? fail({ status: 529, message: "overloaded", retryAfter: 0 }) : say("At last.")
    )
    const { code, stdout, stderr } = await world.vigil(["run", "x"])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "At last.\n" })
    expect(stderr).toMatch(/^! .*overloaded/mu)
    expect(readFileSync(join(world.stateDir, "vigil.log"), "utf8")).toContain("overloaded")
  })

  test("takes an empty address in the environment for none", async () => {
    await using world = makeWorld()
    const env = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", OPENAI_BASE_URL: " " }
    const { code, stderr } = await world.vigil(["run", "x"], { env })
    expect(code).toBe(1)
    expect(stderr).toContain("There is no key")
  })

  test("makes no session where its model could not be asked, and says only why", async () => {
    await using world = makeWorld()
    const config = join(world.home, ".config", "vigil", "vigil.json")
    const refused = async (args: ReadonlyArray<string>, why: string, env: Record<string, undefined> = {}) => {
      const { code, stdout, stderr } = await world.vigil(["run", "x", ...args], { env })
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toMatch(/^vigil: [^\n]*\n$/u)
      expect(stderr).toContain(why)
    }
    const [first] = eventsOf(await world.vigil(["run", "One", "--json"]))
    const session = ["--session", String(first?.sessionID)]
    await refused([], "There is no key", { ANTHROPIC_API_KEY: undefined })
    await refused(session, "There is no key", { ANTHROPIC_API_KEY: undefined })
    await refused(["--model", "nobody/m"], 'The provider "nobody" has no base URL')
    await Bun.write(config, "{}")
    await refused([], "No model is set")
    await refused(["--dir", join(world.home, "nowhere")], "There is no directory")
    await Bun.write(join(world.project, "vigil.json"), "{")
    await refused([], "vigil.json")
    await refused(session, "vigil.json")
    const { stdout } = await world.vigil(["session", "list", "--json"])
    expect(stdout.trim().split("\n")).toHaveLength(1)
    expect(world.requests()).toBe(1)
  }, 30_000)
})
