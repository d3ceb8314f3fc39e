/** The live check itself, on a scripted model: a real one is never part of tests. */
import { call, type Script } from "@vigil/simulation/script"
import { startSimulation } from "@vigil/simulation/server"
import { describe, expect, test } from "bun:test"
import { join } from "node:path"

const script = join(import.meta.dir, "..", "..", "..", "scripts", "live.ts")

const live = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, script, ...args], {
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", TMPDIR: process.env["TMPDIR"], ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { code, stdout, stderr }
}

const on = async (model: Script, ...args: ReadonlyArray<string>) => {
  const simulation = startSimulation({ script: model })
  try {
    return await live({ LIVE_MODEL: "local/scripted", LOCAL_BASE_URL: `${simulation.url}/v1` }, ...args)
  } finally {
    await simulation.stop()
  }
}

describe("the live check", () => {
  test("shows what a model did that did it all", async () => {
    const { code, stdout } = await on((conversation) => {
      if (!conversation.called("monitor"))
        return call("monitor", { command: "sh beats.sh", description: "heartbeat" })
      const id = /mon_\w+/u.exec(conversation.results("monitor")[0]!)![0]
      return conversation.has("beat 3") && !conversation.called("monitor_stop")
        ? call("monitor_stop", { id })
        : "I watch it."
    }, "stop")
    expect(stdout.split("\n").filter((line) => line.startsWith("✗"))).toEqual([])
    expect(stdout).toMatch(/event {3}beat 1/u)
    expect(stdout).toMatch(/tool {4}monitor_stop mon_/u)
    expect(stdout).toContain("All of it happened.")
    expect(code).toBe(0)
  }, 30_000)

  test("finds a model out that did nothing, with each thing that did not happen", async () => {
    const { code, stdout } = await on(() => "Done, all of it.", "queue", "stop")
    expect(stdout).toContain("✗ a monitor was started in queue mode")
    expect(stdout).toContain("✗ it was read then")
    expect(stdout).toContain("✗ every line was delivered")
    expect(stdout).toContain("✗ the agent stopped it")
    expect(stdout).toContain("Not all of it happened: queue, stop.")
    expect(code).toBe(1)
  }, 30_000)

  test("says why a model could not be asked", async () => {
    const { code, stdout } = await live({ LIVE_MODEL: "anthropic/some-model" }, "stop")
    expect(stdout).toMatch(/^failed: .*ANTHROPIC_API_KEY/mu)
    expect(code).toBe(1)
  }, 30_000)

  test("asks for a model, and knows its parts by their names", async () => {
    expect(await live({})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("LIVE_MODEL names no model")
    })
    expect(await live({ LIVE_MODEL: "a/b" }, "strory")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("[story] [queue] [stop]")
    })
  })
})
