/** Runs that watch: to the end, cut short, and stopped by every signal, with nothing left running. */
import type { Conversation } from "@vigil/simulation/conversation"
import { call, hold, say } from "@vigil/simulation/script"
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { eventsOf, gone, lives, makeWorld, type World } from "./lib/cli.ts"

/** Starts one monitor, then repeats the news it hears. */
const watching = (command: string) => (conversation: Conversation) =>
  conversation.called("monitor")
    ? say(conversation.news.split("\n").find((line) => line.includes("background event")) ?? "Watching.")
    : call("monitor", { command, description: "the build" })

/** Tells its own number and ignores every signal that can be ignored. */
const stubborn = `trap '' TERM INT HUP; echo "pid $$" | tee pid; while :; do sleep 0.05; done`

const pidOf = async ({ project }: World, line = /pid (\d+)/u) =>
  Number(line.exec(readFileSync(join(project, "pid"), "utf8"))?.[1])

/** A command that waits for the file of this name. */
const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`

describe("with --wait", () => {
  test("a run stays until its monitors have ended and their notices were read", async () => {
    await using world = makeWorld(watching(`${until("begin")}; echo one; ${until("go")}; echo two; exit 3`))
    const run = world.start(["run", "Watch it", "--allow", "*", "--wait"])
    await run.told("● Watching.")
    await Bun.write(join(world.project, "begin"), "")
    await run.told("◆ the build: one")
    // Read by then: what follows comes in a turn of its own.
    await run.told("● [background event from monitor 'the build' — not a user message]: one")
    await Bun.write(join(world.project, "go"), "")
    const { code, stdout, stderr } = await run.ended
    expect(code).toBe(0)
    expect(stdout).toContain("[background event from monitor 'the build'")
    expect(stderr).toMatch(/^▶ watching 'the build' mon_\w+$/mu)
    expect(stderr).toMatch(/^■ 'the build' exited with code 3 after .+, 2 lines in 2 events$/mu)
    expect(stderr).not.toContain("stopped")
  })

  test("it stays for a command in the background too", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("shell")
        ? say(conversation.has("output:") ? "It ended." : "Not yet.")
        : call("shell", { command: "sleep 0.3; echo built", background: true })
    )
    const { code, stdout, stderr } = await world.vigil(["run", "Build", "--allow", "*", "--wait"])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It ended.\n" })
    expect(stderr).toMatch(/^■ sleep 0\.3; echo built exited with code 0/mu)
  })
})

describe("without --wait", () => {
  test("a run stops what it watches and says so", async () => {
    await using world = makeWorld(watching(stubborn))
    const { code, stdout, stderr } = await world.vigil(["run", "Watch it", "--allow", "*"])
    expect(code).toBe(0)
    expect(stdout).not.toBe("")
    expect(stderr).toMatch(/^vigil: stopped monitor 'the build' \(mon_\w+\) \(--wait/mu)
    expect(stderr.match(/stopped monitor/gu)).toHaveLength(1)
    expect(stderr).toMatch(/^■ 'the build' stopped after/mu)
  })

  test("a command in the background is stopped and named", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("shell")
        ? say("Started.")
        : call("shell", { command: "sleep 60", background: true })
    )
    const { code, stdout, stderr } = await world.vigil(["run", "Build", "--allow", "*"])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Started.\n" })
    expect(stderr).toMatch(/^vigil: stopped background command sh_\w+: sleep 60 \(--wait/mu)
  })
})

describe("--timeout", () => {
  test("ends the run, says so and exits 1", async () => {
    await using world = makeWorld(watching(stubborn))
    const run = ["run", "Watch it", "--allow", "*", "--wait", "--timeout", "800ms"]
    const { code, stdout, stderr } = await world.vigil(run)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("vigil: Not done after 800 ms (--timeout); everything was stopped.")
    expect(stderr).toMatch(/^vigil: stopped monitor 'the build'/mu)
  })

  test("ends a model request that says nothing", async () => {
    await using world = makeWorld(() => hold(new Promise(() => {})))
    const { code, stderr } = await world.vigil(["run", "x", "--timeout", "300ms", "--json"])
    expect(code).toBe(1)
    expect(stderr).toContain("--timeout")
  })
})

describe("signals", () => {
  const stubbornRun = async (world: World) => {
    const run = world.start(["run", "Watch it", "--allow", "*", "--wait"])
    await run.told("◆ the build: pid")
    const pid = await pidOf(world)
    expect(lives(pid)).toBe(true)
    return { run, pid }
  }
  const script = watching(stubborn)

  test("the first Ctrl-C ends the run in order, with 130", async () => {
    await using world = makeWorld(script)
    const { run, pid } = await stubbornRun(world)
    run.kill("SIGINT")
    const { code, stderr } = await run.ended
    expect(code).toBe(130)
    expect(stderr).toMatch(/^vigil: stopped monitor 'the build'/mu)
    expect(stderr).toMatch(/^interrupted {2}/mu)
    expect(lives(pid)).toBe(false)
  })

  test("the first Ctrl-C ends a turn that is under way as interrupted", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("shell") ? say("?") : call("shell", { command: "echo $$ > pid; sleep 60" })
    )
    const run = world.start(["run", "Sleep", "--allow", "*", "--json"])
    while (!(await Bun.file(join(world.project, "pid")).exists())) await Bun.sleep(10)
    run.kill("SIGINT")
    const ended = await run.ended
    expect(ended.code).toBe(130)
    const last = eventsOf(ended).findLast(({ type }) => type === "turn.ended")
    expect(last?.data).toMatchObject({ turn: { outcome: "interrupted" } })
    expect(lives(await pidOf(world, /(\d+)/u))).toBe(false)
  })

  test("a second Ctrl-C leaves at once, and nothing lives on", async () => {
    await using world = makeWorld(script)
    await Bun.write(
      join(world.home, ".config", "vigil", "vigil.json"),
      JSON.stringify({ model: "anthropic/scripted", monitor: { killGraceMs: 30_000 } })
    )
    const { run, pid } = await stubbornRun(world)
    run.kill("SIGINT")
    // It will wait half a minute for the stubborn one.
    await run.told("vigil: stopping; Ctrl-C again leaves at once")
    run.kill("SIGINT")
    expect((await run.ended).code).toBe(130)
    await gone(pid)
  })

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129]
  ] as const)("%s stops in order, with %d", async (signal, expected) => {
    await using world = makeWorld(script)
    const { run, pid } = await stubbornRun(world)
    run.kill(signal)
    expect((await run.ended).code).toBe(expected)
    expect(lives(pid)).toBe(false)
    const { stdout } = await world.vigil(["monitor", "list"])
    expect(stdout).toContain("ended with its server")
  })

  test("a kill leaves nothing running either", async () => {
    await using world = makeWorld(script)
    const { run, pid } = await stubbornRun(world)
    run.kill("SIGKILL")
    await run.ended
    await gone(pid)
  })

  test("a reader of stdout that goes away ends the run", async () => {
    await using world = makeWorld(script)
    const command = `"${process.execPath}" "${join(import.meta.dir, "..", "src", "main.ts")}" run Watch --allow '*' --wait --json | sed '/monitor.event/q'`
    const env = {
      PATH: process.env["PATH"],
      HOME: world.home,
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: world.modelUrl
    }
    const shell = Bun.spawn(["/bin/sh", "-c", command], {
      cwd: world.project,
      env,
      stdout: "pipe",
      stderr: "pipe"
    })
    expect(await new Response(shell.stdout).text()).toContain("pid ")
    await shell.exited
    await gone(await pidOf(world))
  })
})

test("a run whose disk is full ends when it is told to", async () => {
  await using world = makeWorld(watching(`echo $$ >pid; while seq 1 2000; do sleep 0.2; done`))
  const { code, stderr } = await world.vigil(
    ["run", "Watch it", "--allow", "*", "--wait", "--timeout", "6s"],
    // No file grows beyond some 400 KiB, and writing more is an error.
    { under: "trap '' XFSZ; ulimit -f 800" }
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(/^! A monitor's events could not be stored: SQLite failed/mu)
  expect(stderr).toContain("vigil: Not done after 6.0 s (--timeout); everything was stopped.")
  await gone(await pidOf(world, /(\d+)/u))
}, 60_000)
