/** How `vigil serve` ends: what runs is brought to its end, and it is over in time, whatever hangs. */
import { hold, say } from "@vigil/simulation/script"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Ended, gone, makeWorld, type Running, type World } from "./lib/cli.ts"
import { made, requests, startServing } from "./lib/serving.ts"

// Whole servers start, end and start again.
setDefaultTimeout(60_000)

const allowAll = [{ action: "*", pattern: "*", effect: "allow" }]
const maxStopMs = 5_000

/** Fails where it takes longer than a server may. */
const endOf = (vigil: Running): Promise<Ended> =>
  Promise.race([
    vigil.ended,
    Bun.sleep(maxStopMs).then(() => Promise.reject(new Error("It did not end in time")))
  ])

/** A monitor that ignores TERM, in a session of the project; its pid stands in `pid`. */
const stubborn = async (world: World, { post }: ReturnType<typeof requests>) => {
  const session = await made(post("/session", { directory: world.project, rules: allowAll }))
  const command = `trap '' TERM; echo $$ > pid; echo on; while :; do sleep 1; done`
  const monitor = await made(post(`/session/${session}/monitor`, { command, description: "stays" }))
  return { session, monitor }
}

/** Reads a feed until the text has come; the rest goes on being read, and is what it resolves with later. */
const openFeed = async (url: string, token: string) => {
  const response = await fetch(`${url}/api/event`, { headers: { authorization: `Bearer ${token}` } })
  const decoder = new TextDecoder()
  let text = ""
  const waiting = new Set<() => void>()
  const whole = (async () => {
    for await (const part of response.body!) {
      text += decoder.decode(part, { stream: true })
      waiting.forEach((look) => look())
    }
    return text
  })()
  whole.catch(() => {})
  const has = (wanted: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!text.includes(wanted)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return { whole, has }
}

const pidIn = (world: World) => Number(readFileSync(join(world.project, "pid"), "utf8"))

describe("vigil serve that is told to stop", () => {
  test("in the middle of everything ends all of it, tells how, and exits with 0", async () => {
    await using world = makeWorld(() => [say("It begins"), hold(new Promise(() => {}))])
    const serving = await startServing(world)
    const { url, token, vigil, get, post } = serving
    const feed = await openFeed(url, token)
    const { session } = await stubborn(world, serving)
    await feed.has("monitor.event")
    await post(`/session/${session}/prompt`, { text: "Go" })
    await feed.has("It begins")
    const waiting = get(`/session/${session}/wait?until=quiet&timeoutMs=300000`)
    vigil.kill("SIGTERM")
    const { code, stderr } = await endOf(vigil)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const told = await feed.whole
    expect(told).toContain("monitor.ended")
    expect(told).toContain("turn.ended")
    expect(told).toContain("server_stopped")
    expect(told.trimEnd().split("\n").at(-1)).toStartWith("retry:")
    await waiting.then(
      ({ status }) => expect([200, 503]).toContain(status),
      () => {}
    )
    await gone(pidIn(world))
  })

  test("leaves an end for each of its monitors, which the next one tells", async () => {
    await using world = makeWorld()
    const first = await startServing(world)
    const { session, monitor } = await stubborn(world, first)
    first.vigil.kill("SIGTERM")
    expect((await endOf(first.vigil)).code).toBe(0)
    const { get } = await startServing(world)
    expect(await (await get(`/session/${session}/monitor/${monitor}`)).json()).toMatchObject({
      status: "ended",
      reason: "server_restarted"
    })
  })

  test("by any signal that asks for an end exits with 0", async () => {
    await using world = makeWorld()
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      const { vigil } = await startServing(world)
      vigil.kill(signal)
      expect((await endOf(vigil)).code).toBe(0)
    }
  })

  test("by a hangup goes on under nohup, as it was started", async () => {
    await using world = makeWorld()
    const { vigil } = await startServing(world, [], { under: "trap '' HUP" })
    vigil.kill("SIGHUP")
    vigil.kill("SIGTERM")
    // A second signal would have it leave with another code.
    expect((await endOf(vigil)).code).toBe(0)
  })

  test("is over in time though a command has longer to end, and nothing of that is left", async () => {
    await using world = makeWorld()
    writeFileSync(
      join(world.home, ".config", "vigil", "vigil.json"),
      JSON.stringify({ model: "anthropic/scripted", monitor: { killGraceMs: 30_000 } })
    )
    const serving = await startServing(world)
    const feed = await openFeed(serving.url, serving.token)
    await stubborn(world, serving)
    await feed.has("monitor.event")
    serving.vigil.kill("SIGTERM")
    expect((await endOf(serving.vigil)).code).toBe(0)
    await gone(pidIn(world))
  })

  test("a second time leaves at once, and nothing it ran is left", async () => {
    await using world = makeWorld()
    writeFileSync(
      join(world.home, ".config", "vigil", "vigil.json"),
      JSON.stringify({ model: "anthropic/scripted", monitor: { killGraceMs: 30_000 } })
    )
    const serving = await startServing(world)
    const feed = await openFeed(serving.url, serving.token)
    const { session } = await stubborn(world, serving)
    await feed.has("monitor.event")
    serving.vigil.kill("SIGTERM")
    // It refuses what comes now: the first signal was heard.
    while ((await serving.get(`/session/${session}`).catch(() => undefined))?.status === 200) {}
    serving.vigil.kill("SIGTERM")
    expect((await endOf(serving.vigil)).code).toBe(143)
    await gone(pidIn(world))
  })
})
