/** The terminal UI before it opens: where it can't, and a server that is not what it should be. */
import { version } from "@vigil/server/version"
import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isHere, serverUrl } from "../src/tui/attached.ts"
import { makeWorld } from "./lib/cli.ts"
import { startServing } from "./lib/serving.ts"
import { atTerminal } from "./lib/terminal.ts"

const world = makeWorld()
afterAll(() => world[Symbol.asyncDispose]())

/** Something that answers every request so. */
const answering = (answer: () => Response) => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer })
  return {
    url: server.url.href.replace(/\/$/u, ""),
    [Symbol.asyncDispose]: () => server.stop(true)
  }
}

const attaching = async (url: string, env: Readonly<Record<string, string>> = { VIGIL_TOKEN: "secret" }) =>
  atTerminal(world, ["attach", url], env).ended

describe("the terminal UI", () => {
  test.each([[[]], [["attach", "http://127.0.0.1:1"]], [["--session", "ses_nope"]]])(
    "by %j without a terminal says what to use instead, and starts nothing",
    async (args: ReadonlyArray<string>) => {
      const { code, stdout, stderr } = await world.vigil(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain("needs a terminal")
      expect(stderr).toContain("vigil run")
      expect(await Bun.file(join(world.stateDir, "server.json")).exists()).toBe(false)
    }
  )

  test("takes a session or a directory, not both", async () => {
    const { code, stderr } = await world.vigil(["--session", "ses_1", "--dir", "."])
    expect(code).toBe(2)
    expect(stderr).toContain("--dir can't be used with --session")
  })

  test("names a directory that is not there", async () => {
    const { code, screen } = await atTerminal(world, ["--dir", "/nowhere/at/all"]).ended
    expect(code).toBe(1)
    expect(screen).toContain("There is no directory /nowhere/at/all")
  })
})

describe("vigil attach", () => {
  test("needs a token, and says where it comes from", async () => {
    const { code, screen } = await attaching("http://127.0.0.1:1", {})
    expect(code).toBe(2)
    expect(screen).toContain("VIGIL_TOKEN is not set")
  })

  test("says that nobody answers", async () => {
    const { code, screen } = await attaching("http://127.0.0.1:1")
    expect(code).toBe(1)
    expect(screen).toContain("No server answers at http://127.0.0.1:1 (")
  })

  test("tells a server that is not a Vigil", async () => {
    await using page = answering(() => new Response("<html>"))
    await using other = answering(() => Response.json({ version: 1 }))
    for (const { url } of [page, other]) {
      const { code, screen } = await attaching(url)
      expect(code).toBe(1)
      expect(screen).toContain(`What answers at ${url} is not a Vigil server.`)
    }
  })

  test("does not speak to another major version, and sends it no token", async () => {
    await using old = answering(() => Response.json({ version: "99.0.0", startedAt: 1, storeID: "store_1" }))
    const { code, screen } = await attaching(old.url)
    expect(code).toBe(1)
    expect(screen).toContain(`has version 99.0.0, and this one ${version}`)
  })

  test("tells a wrong token by the variable that it came from, and a session that is not there", async () => {
    await using own = makeWorld()
    const serving = await startServing(own)
    const wrong = await attaching(serving.url)
    expect(wrong.code).toBe(1)
    expect(wrong.screen).toContain("has another token than VIGIL_TOKEN")
    const args = ["attach", serving.url, "--token-env", "BOX", "--session", "ses_nope"]
    const absent = await atTerminal(world, args, { BOX: serving.token }).ended
    expect(absent.code).toBe(1)
    expect(absent.screen).toContain("There is no session ses_nope")
  })

  test("takes the address of a server, and nothing that would carry more", () => {
    expect(serverUrl("http://127.0.0.1:4096/")).toBe("http://127.0.0.1:4096")
    expect(serverUrl("https://box.example.org/vigil/")).toBe("https://box.example.org/vigil")
    for (const text of [
      "127.0.0.1:4096",
      "ftp://a",
      "http://u:p@a",
      "http://a/?token=1",
      "http://a/#x",
      ""
    ]) {
      expect(serverUrl(text)).toBeUndefined()
    }
  })

  test("gives a session this terminal's environment only on this machine", () => {
    expect(["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"].map(isHere)).toEqual([
      true,
      true,
      true
    ])
    expect(["https://box.example.org", "http://10.0.0.2:1"].map(isHere)).toEqual([false, false])
  })
})

describe("keys and theme in vigil.json", () => {
  const own = async (content: object, args: ReadonlyArray<string>) => {
    const config = join(world.home, `config-${args.join("-")}`)
    mkdirSync(join(config, "vigil"), { recursive: true })
    writeFileSync(join(config, "vigil", "vigil.json"), JSON.stringify(content))
    return world.vigil(args, { env: { XDG_CONFIG_HOME: config } })
  }
  const content = { theme: "light", keys: { "tasks.open": "ctrl+g", "tasks.opne": "x", leave: "hyper+q" } }

  test("are shown by config, with what does not count", async () => {
    const { code, stdout } = await own(content, ["config"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^theme +light/mu)
    expect(stdout).toMatch(/^keys\.tasks\.open +ctrl\+g/mu)
    expect(stdout).toContain("keys: there is no command tasks.opne")
    expect(stdout).toContain("keys: leave: hyper+q is no key")
  })

  test("are looked at by doctor", async () => {
    const { stdout } = await own(content, ["doctor", "--json"])
    const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<{ status: string; text: string }> }
    expect(checks.filter(({ text }) => text.startsWith("keys:")).map(({ status }) => status)).toEqual([
      "warning",
      "warning"
    ])
  })
})
