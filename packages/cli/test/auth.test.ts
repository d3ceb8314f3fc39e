/** `vigil auth` and `vigil models`: keys that are kept, used and never shown. */
import { call } from "@vigil/simulation/script"
import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeWorld } from "./lib/cli.ts"
import { atTerminal } from "./lib/terminal.ts"

/** What the agent tries, once. */
let asked: ReadonlyArray<ReturnType<typeof call>> | undefined
const world = makeWorld((conversation) => (asked && !conversation.called("read") ? asked : "Done."))
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => rmSync(world.stateDir, { recursive: true, force: true }))

const file = join(world.stateDir, "vigil-auth.json")
const noKey = { ANTHROPIC_API_KEY: undefined }
const secret = "sk-0123456789-abcdef"

describe("vigil auth", () => {
  test("keeps a key from stdin, with which a run asks its model", async () => {
    expect((await world.vigil(["run", "Hi"], { env: noKey })).code).toBe(1)
    const login = await world.vigil(["auth", "login", "anthropic"], { env: noKey, stdin: "test-key\n" })
    expect(login).toEqual({ code: 0, stdout: "", stderr: `The key of anthropic is kept in ${file}.\n` })
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600")
    expect((statSync(world.stateDir).mode & 0o777).toString(8)).toBe("700")
    expect(await world.vigil(["run", "Hi"], { env: noKey })).toMatchObject({ code: 0, stdout: "Done.\n" })
    // A shell's variable comes first.
    const other = await world.vigil(["run", "Hi"], { env: { ANTHROPIC_API_KEY: "another" } })
    expect(other.stderr).toContain("Check ANTHROPIC_API_KEY")
  }, 30_000)

  test("asks at a terminal without showing what is typed", async () => {
    const asked = atTerminal(world, ["auth", "login", "openai"])
    await asked.seen("Key of openai")
    asked.type(`${secret}\r`)
    const { code, screen } = await asked.ended
    expect(code).toBe(0)
    for (const part of [secret, secret.slice(0, 6), secret.slice(-6)]) expect(screen).not.toContain(part)
    expect(readFileSync(file, "utf8")).toContain(secret)
  })

  test("lists keys masked, and says which are not used", async () => {
    await world.vigil(["auth", "login", "openai"], { stdin: secret })
    const login = await world.vigil(["auth", "login", "anthropic"], { stdin: secret })
    expect(login.stderr).toContain("! It is not used while there is ANTHROPIC_API_KEY.")
    const { stdout } = await world.vigil(["auth", "list"])
    expect(stdout).toMatch(/^openai +…cdef +just now +used$/mu)
    expect(stdout).toMatch(/^anthropic +…cdef +just now +It is not used while/mu)
    const json = await world.vigil(["auth", "list", "--json"])
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).toMatchObject([
      { provider: "openai", key: "…cdef", used: true },
      { provider: "anthropic", key: "…cdef", used: false }
    ])
    for (const command of [["config"], ["config", "--json"], ["models", "--json"], ["doctor", "--json"]]) {
      expect(`${stdout}${json.stdout}${(await world.vigil(command)).stdout}`).not.toContain(secret)
    }
  }, 30_000)

  test("keeps them from an agent that works in the home directory", async () => {
    await world.vigil(["auth", "login", "anthropic"], { stdin: "test-key" })
    asked = [
      call("read", { path: ".local/state/vigil/vigil-auth.json" }),
      call("grep", { pattern: "test-key", path: "." })
    ]
    const { code, stdout } = await world.vigil(["run", "Read it", "--json", "-C", world.home])
    expect(code).toBe(0)
    expect(stdout).toContain("nobody is there to be asked")
    // Once, in what the agent asked for, and never in what it got.
    expect(stdout).not.toContain('"key": "test-key"')
    expect(stdout).not.toContain('\\"key\\": \\"test-key\\"')
    asked = undefined
  }, 30_000)

  test("forgets a key, once", async () => {
    await world.vigil(["auth", "login", "openai"], { stdin: secret })
    expect((await world.vigil(["auth", "logout", "openai"])).code).toBe(0)
    expect(readFileSync(file, "utf8")).not.toContain(secret)
    const again = await world.vigil(["auth", "logout", "openai"])
    expect(again).toMatchObject({
      code: 1,
      stderr: "vigil: No key of openai is kept. `vigil auth list` shows whose are.\n"
    })
  })

  test("does not use a file that others may read, and says what mends it", async () => {
    await world.vigil(["auth", "login", "anthropic"], { stdin: "test-key" })
    chmodSync(file, 0o644)
    for (const args of [
      ["auth", "list"],
      ["auth", "login", "openai"],
      ["run", "Hi"]
    ]) {
      const { code, stderr } = await world.vigil(args, { env: noKey, stdin: "x" })
      expect(code).toBe(1)
      expect(stderr).toContain(`chmod 600 '${file}'`)
    }
    const doctor = await world.vigil(["doctor"], { env: noKey })
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/^wrong +keys .*chmod 600/mu)
  }, 30_000)

  test("refuses what is no key, without repeating it", async () => {
    for (const stdin of ["", "  \n", "two words", `${secret}\r\nX-Injected: 1`]) {
      const { code, stderr } = await world.vigil(["auth", "login", "openai"], { stdin })
      expect(code).toBe(1)
      expect(stderr).not.toContain("two words")
      expect(stderr).not.toContain(secret)
    }
  }, 30_000)
})

describe("vigil models", () => {
  const lines = async (...args: ReadonlyArray<string>) =>
    (await world.vigil(["models", ...args])).stdout.trimEnd().split("\n")

  test("tells who can be asked, what the others lack, and the default", async () => {
    const before = world.requests()
    const [head, anthropic, openai, google, , last, ...rest] = await lines()
    expect(head).toStartWith("PROVIDER")
    expect(anthropic).toBe(`anthropic  ANTHROPIC_API_KEY  ${world.modelUrl}/v1`)
    expect(openai).toContain("vigil auth login openai")
    expect(google).toContain("vigil auth login google")
    expect(last).toBe(`Default: anthropic/scripted (${join(world.home, ".config/vigil/vigil.json")})`)
    expect(rest).toEqual([])
    expect(world.requests()).toBe(before)
  })

  test("with --remote lists what providers have, marks the default, and tells who does not answer", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) =>
        new URL(request.url).pathname === "/v1/models"
          ? Response.json({ data: [{ id: "one" }, { id: "two" }] })
          : new Response("no", { status: 404 })
    })
    const config = join(world.home, "remote")
    await Bun.write(
      join(config, "vigil", "vigil.json"),
      JSON.stringify({
        model: "local/two",
        providers: {
          local: { baseUrl: `http://127.0.0.1:${server.port}` },
          broken: { baseUrl: `http://127.0.0.1:${server.port}/elsewhere/v1` }
        }
      })
    )
    const env = { XDG_CONFIG_HOME: config, ...noKey }
    const { code, stdout, stderr } = await world.vigil(["models", "--remote"], { env })
    expect(stdout.trimEnd().split("\n").slice(-2)).toEqual(["local/one", "local/two (default)"])
    expect(stderr).toStartWith("vigil: broken: ")
    expect(stderr).toContain("404")
    expect(code).toBe(1)
    const json = JSON.parse((await world.vigil(["models", "--remote", "--json"], { env })).stdout) as {
      providers: ReadonlyArray<{ provider: string; models?: ReadonlyArray<string> }>
    }
    expect(json).toMatchObject({ default: "local/two" })
    expect(json.providers.find(({ provider }) => provider === "local")?.models).toEqual(["one", "two"])
    const online = await world.vigil(["doctor", "--online"], { env })
    expect(online.stdout).toMatch(/^ok +local +answers, and has 2 models$/mu)
    expect(online.stdout).toMatch(/^wrong +broken .*404/mu)
    await server.stop(true)
  }, 30_000)

  test("shows no password that stands in an address", async () => {
    const file = join(world.project, "vigil.json")
    const baseUrl = "http://me:hunter2@127.0.0.1:9"
    writeFileSync(file, JSON.stringify({ providers: { hidden: { baseUrl } } }))
    await world.vigil(["trust", "--yes"])
    for (const args of [["models"], ["models", "--json"], ["doctor"], ["doctor", "--json"]]) {
      const { stdout, stderr } = await world.vigil(args)
      expect(stdout).toContain("http://…@127.0.0.1:9")
      expect(stdout + stderr).not.toContain("hunter2")
    }
    rmSync(file)
  })

  test("counts a project's providers once they are trusted", async () => {
    const file = join(world.project, "vigil.json")
    writeFileSync(file, JSON.stringify({ providers: { theirs: { baseUrl: "http://127.0.0.1:9" } } }))
    expect((await lines()).join("\n")).not.toContain("theirs")
    await world.vigil(["trust", "--yes"])
    expect((await lines()).join("\n")).toMatch(/^theirs +none +http:\/\/127\.0\.0\.1:9\/v1$/mu)
    rmSync(file)
  })
})
