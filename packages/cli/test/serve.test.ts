/** `vigil serve`, the real executable. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { makeWorld, type World } from "./lib/cli.ts"
import { startServing } from "./lib/serving.ts"

// Whole servers start, end and start again.
setDefaultTimeout(60_000)

const announced = ({ stateDir }: World) => JSON.parse(readFileSync(join(stateDir, "server.json"), "utf8"))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe("vigil serve", () => {
  test("prints one line of JSON once it is ready, and answers whoever has the token", async () => {
    await using world = makeWorld()
    const { url, token, pid, vigil, get } = await startServing(world)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u)
    expect(pid).toBe(vigil.pid)
    expect((await get("/session")).status).toBe(200)
    expect((await fetch(`${url}/api/health`)).status).toBe(200)
    expect((await fetch(`${url}/api/session`)).status).toBe(401)
    vigil.kill("SIGTERM")
    const { code, stdout, stderr } = await vigil.ended
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ url, token, pid })}\n`,
      stderr: ""
    })
  })

  test("says in words where it listens, and not the token", async () => {
    await using world = makeWorld()
    const vigil = world.start(["serve"])
    await vigil.printed("Ctrl-C")
    const { url, pid } = announced(world)
    vigil.kill("SIGINT")
    const { code, stdout } = await vigil.ended
    expect(code).toBe(0)
    expect(stdout).toContain(`listens on ${url} (pid ${pid})`)
    expect(stdout).toContain(join(world.stateDir, "token"))
    expect(stdout).not.toContain(readFileSync(join(world.stateDir, "token"), "utf8").trim())
  })

  test("announces itself in server.json, for its user alone, until its end", async () => {
    await using world = makeWorld()
    const { url, pid, vigil } = await startServing(world)
    const health = (await (await fetch(`${url}/api/health`)).json()) as { version: string; startedAt: number }
    expect(announced(world)).toMatchObject({ url, pid, version: health.version, startedAt: health.startedAt })
    const modes = ["", "token", "server.json", "vigil.db", "owner.db"].map((file) =>
      modeOf(join(world.stateDir, file))
    )
    expect(modes).toEqual(["700", "600", "600", "600", "600"])
    vigil.kill("SIGTERM")
    await vigil.ended
    expect(existsSync(join(world.stateDir, "server.json"))).toBe(false)
  })

  test("keeps its token from one start to the next", async () => {
    await using world = makeWorld()
    const first = await startServing(world)
    first.vigil.kill("SIGTERM")
    await first.vigil.ended
    const second = await startServing(world)
    expect(second.token).toBe(first.token)
  })

  test("a second one names the first, and leaves it alone", async () => {
    await using world = makeWorld()
    const { url, pid, get } = await startServing(world)
    const { code, stdout, stderr } = await world.vigil(["serve", "--json"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(url)
    expect(stderr).toContain(`pid ${pid}`)
    expect(stderr).toContain("--state-dir")
    expect((await get("/session")).status).toBe(200)
  })

  test("of two that start at once one serves, and the other names it", async () => {
    await using world = makeWorld()
    const both = [world.start(["serve", "--json"]), world.start(["serve", "--json"])]
    const loser = await Promise.race(both.map(async (vigil) => ({ vigil, ended: await vigil.ended })))
    expect(loser.ended.code).toBe(1)
    const winner = both.find((vigil) => vigil !== loser.vigil)!
    const { url } = JSON.parse(await winner.printed("\n"))
    expect(loser.ended.stderr).toContain(`${url}, pid ${winner.pid}`)
  })

  test("takes over at once from one that was killed", async () => {
    await using world = makeWorld()
    const first = await startServing(world)
    first.vigil.kill("SIGKILL")
    await first.vigil.ended
    expect(announced(world).pid).toBe(first.pid)
    const second = await startServing(world)
    expect(announced(world)).toMatchObject({ url: second.url, pid: second.pid })
    expect((await second.get("/session")).status).toBe(200)
  })

  test("a port that somebody listens on is told as such", async () => {
    await using world = makeWorld()
    const port = new URL(world.modelUrl).port
    const { code, stdout, stderr } = await world.vigil(["serve", "--port", port])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(port)
    expect(stderr).toContain("taken")
  })

  test("takes the port that it is told", async () => {
    await using world = makeWorld()
    await using other = makeWorld()
    const first = await startServing(world)
    const { port } = new URL(first.url)
    first.vigil.kill("SIGTERM")
    await first.vigil.ended
    expect((await startServing(other, ["--port", port])).url).toBe(first.url)
  })

  test("refuses what other machines can reach without a token of the user's own", async () => {
    await using world = makeWorld()
    const { code, stderr } = await world.vigil(["serve", "--hostname", "0.0.0.0"])
    expect(code).toBe(1)
    expect(stderr).toContain("VIGIL_TOKEN")
    expect(existsSync(join(world.stateDir, "server.json"))).toBe(false)
  })

  test("with the user's own token lets nobody else in, and writes it nowhere", async () => {
    await using world = makeWorld()
    const token = "a-token-of-the-users-own"
    const { url, get, vigil, ...ready } = await startServing(world, ["--hostname", "0.0.0.0"], {
      env: { VIGIL_TOKEN: token }
    })
    expect(ready.token).toBe(token)
    expect(url).toStartWith("http://127.0.0.1:")
    expect((await get("/session")).status).toBe(200)
    expect(existsSync(join(world.stateDir, "token"))).toBe(false)
    vigil.kill("SIGTERM")
    await vigil.ended
    const files = readdirSync(world.stateDir, { recursive: true, withFileTypes: true })
    const holding = files
      .filter((file) => file.isFile())
      .filter((file) => readFileSync(join(file.parentPath, file.name)).includes(token))
    expect(holding.map(({ name }) => name)).toEqual([])
  })

  test("a token that can't be sent is refused", async () => {
    await using world = makeWorld()
    const { code, stderr } = await world.vigil(["serve"], { env: { VIGIL_TOKEN: "two words" } })
    expect(code).toBe(1)
    expect(stderr).toContain("VIGIL_TOKEN must be")
    expect(stderr).not.toContain("two words")
  })

  test("answers to the names and pages that it was told of, and to no others", async () => {
    await using world = makeWorld()
    const { url } = await startServing(world, [
      "--allow-host",
      "box.example.org",
      "--allow-origin",
      "https://page.example.org/"
    ])
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${url}/api/health`, { headers })).status
    expect(await status({ host: "box.example.org" })).toBe(200)
    expect(await status({ host: "other.example.org" })).toBe(403)
    expect(await status({ origin: "https://page.example.org" })).toBe(200)
    expect(await status({ origin: "https://other.example.org" })).toBe(403)
  })

  for (const [flag, value] of [
    ["--port", "70000"],
    ["--port", "-1"],
    ["--hostname", "a b"],
    ["--allow-host", "http://x"],
    ["--allow-origin", "example.org"]
  ] as const) {
    test(`${flag} ${value} is a mistake that is told`, async () => {
      await using world = makeWorld()
      const { code, stderr } = await world.vigil(["serve", `${flag}=${value}`])
      expect(code).toBe(2)
      expect(stderr).toContain(flag.slice(2))
      expect(existsSync(world.stateDir)).toBe(false)
    })
  }

  test("a state directory that can't be used is told", async () => {
    await using world = makeWorld()
    mkdirSync(join(world.home, ".local", "state"), { recursive: true })
    await Bun.write(world.stateDir, "a file")
    const { code, stderr } = await world.vigil(["serve"])
    expect(code).toBe(1)
    expect(stderr).toContain("--state-dir")
  })
})
