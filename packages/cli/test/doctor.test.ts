/** `vigil config`, `vigil doctor` and `vigil completions`: what holds, what is wrong, what can be typed. */
import { Shell } from "@vigil/core/shell"
import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { nodeVersion, watchdog } from "../src/doctor/machine.ts"
import { room } from "../src/doctor/state.ts"
import { type Ended, makeWorld } from "./lib/cli.ts"
import { executed } from "./lib/screen.ts"

const world = makeWorld()
afterAll(() => world[Symbol.asyncDispose]())

const file = join(world.project, "vigil.json")
const userFile = join(world.home, ".config", "vigil", "vigil.json")
beforeEach(() => {
  rmSync(world.stateDir, { recursive: true, force: true })
  rmSync(file, { force: true })
})

interface Report {
  readonly healthy: boolean
  readonly checks: ReadonlyArray<{ readonly name: string; readonly status: string; readonly mend?: string }>
}
const report = ({ stdout }: Ended) => JSON.parse(stdout) as Report
const check = (ended: Ended, name: string) => report(ended).checks.find((check) => check.name === name)

describe("vigil config", () => {
  test("shows what holds and whose word it is, and what of the project's file does not count", async () => {
    writeFileSync(file, JSON.stringify({ model: "evil/model", monitor: { maxActive: 2, batchMs: 0 } }))
    const { code, stdout } = await world.vigil(["config"])
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^model +anthropic/scripted +${userFile}$`, "mu"))
    expect(stdout).toMatch(new RegExp(`^monitor.maxActive +2 +${file}$`, "mu"))
    expect(stdout).toMatch(/^monitor.batchMs +200 +default$/mu)
    expect(stdout).toContain(`Of ${file} this does not count:\n  model `)
    expect(stdout).toContain("vigil trust")
  })

  test("as JSON has the settings, their origins and what is ignored, and no key", async () => {
    const config = join(world.home, "keyed")
    await Bun.write(
      join(config, "vigil", "vigil.json"),
      JSON.stringify({ providers: { openai: { apiKey: "sk-0123456789-abcdef" } } })
    )
    writeFileSync(file, JSON.stringify({ model: "evil/model" }))
    const { stdout } = await world.vigil(["config", "--json"], { env: { XDG_CONFIG_HOME: config } })
    expect(JSON.parse(stdout)).toMatchObject({
      directory: world.project,
      projectFile: file,
      trusted: false,
      settings: { providers: { openai: { apiKey: "…cdef" } }, monitor: { maxActive: 4 } },
      origins: { "providers.openai": join(config, "vigil", "vigil.json") },
      ignored: [{ file, key: "model" }]
    })
    expect(stdout).not.toContain("0123456789")
  })
})

describe("vigil doctor", () => {
  test("finds all well where it is, makes nothing, and looks at everything", async () => {
    const { code, stdout, stderr } = await world.vigil(["doctor"])
    expect(stdout).not.toMatch(/^wrong/mu)
    for (const name of [
      "vigil",
      "bun",
      "node",
      "shell",
      "parser",
      "watchdog",
      "state",
      "database",
      "disk",
      "config",
      "keys",
      "model",
      "anthropic"
    ]) {
      expect(stdout).toMatch(new RegExp(`^(ok|warning) +${name} `, "mu"))
    }
    expect(stdout).toMatch(/^ok +watchdog /mu)
    expect({ code, wrong: stderr.includes("Nothing wrong") || stderr.includes("All is well") }).toEqual({
      code: 0,
      wrong: true
    })
    expect(existsSync(world.stateDir)).toBe(false)
    expect(world.requests()).toBe(0)
  })

  test("says that a project's file waits for trust, and then that it counts", async () => {
    writeFileSync(file, JSON.stringify({ model: "anthropic/other", monitor: { maxActive: 50 } }))
    const before = await world.vigil(["doctor"])
    expect(before.code).toBe(0)
    expect(before.stdout).toMatch(
      /^warning +project +2 settings of .* do not count: model, monitor.maxActive\n +→ .*vigil trust$/mu
    )
    await world.vigil(["trust", "--yes"])
    expect((await world.vigil(["doctor"])).stdout).toMatch(new RegExp(`^ok +project +${file}$`, "mu"))
  })

  test("is wrong, with exit code 1, about a missing key", async () => {
    const ended = await world.vigil(["doctor", "--json"], { env: { ANTHROPIC_API_KEY: undefined } })
    expect(ended.code).toBe(1)
    expect(report(ended).healthy).toBe(false)
    expect(check(ended, "model")).toMatchObject({
      status: "wrong",
      mend: expect.stringContaining("vigil auth login anthropic")
    })
  })

  test("is wrong about files that can't be read, and names the line", async () => {
    const config = join(world.home, "broken")
    await Bun.write(join(config, "vigil", "vigil.json"), '{\n "modle": 1 }')
    const mine = await world.vigil(["doctor"], { env: { XDG_CONFIG_HOME: config } })
    expect(mine.code).toBe(1)
    expect(mine.stdout).toMatch(/^wrong +config +.*vigil\.json:2:2: modle/mu)
    writeFileSync(file, "{ nonsense")
    const theirs = await world.vigil(["doctor"])
    expect(theirs.code).toBe(1)
    expect(theirs.stdout).toMatch(/^wrong +project +.*vigil\.json:1:/mu)
  })

  test("is wrong about a state directory that others may read, and a database that is none", async () => {
    mkdirSync(world.stateDir, { recursive: true })
    chmodSync(world.stateDir, 0o755)
    writeFileSync(join(world.stateDir, "vigil.db"), "this is no database".repeat(100))
    const ended = await world.vigil(["doctor", "--json"])
    expect(ended.code).toBe(1)
    expect(check(ended, "state")).toMatchObject({ status: "wrong", mend: `chmod 700 '${world.stateDir}'` })
    expect(check(ended, "database")?.status).toBe("wrong")
    // What does not stand in it is looked at all the same.
    expect(check(ended, "model")?.status).toBe("ok")
  })

  test("is wrong about a state directory that is a file", async () => {
    const place = join(world.home, "a-file")
    writeFileSync(place, "")
    const ended = await world.vigil(["doctor", "--json", "--state-dir", place])
    expect(check(ended, "state")?.status).toBe("wrong")
    expect(ended.code).toBe(1)
  })

  test("tries the plugins that the user's file names, and never a project's", async () => {
    const config = join(world.home, "plugged")
    const folder = join(config, "vigil")
    await Bun.write(
      join(folder, "vigil.json"),
      JSON.stringify({ model: "anthropic/scripted", plugins: ["./good.ts", "./bad.ts"] })
    )
    await Bun.write(join(folder, "good.ts"), `export default { name: "good", setup() {} }`)
    await Bun.write(
      join(folder, "bad.ts"),
      `export default { name: "bad", setup() { throw new Error("no luck") } }`
    )
    const touched = join(world.home, "touched")
    await Bun.write(join(world.project, "evil.ts"), `await Bun.write(${JSON.stringify(touched)}, "")`)
    writeFileSync(file, JSON.stringify({ plugins: ["./evil.ts"] }))
    const ended = await world.vigil(["doctor", "--json"], { env: { XDG_CONFIG_HOME: config } })
    const found = report(ended).checks.filter(({ name }) => name === "plugin")
    expect(found).toMatchObject([
      { status: "ok", text: expect.stringContaining("good") },
      { status: "wrong", text: expect.stringContaining("no luck") }
    ])
    expect(check(ended, "project")).toMatchObject({
      status: "warning",
      text: expect.stringContaining("plugins")
    })
    expect(existsSync(touched)).toBe(false)
    expect(ended.code).toBe(1)
  })

  test("warns where a key goes over the network unencrypted, or lies open in a file", async () => {
    const config = join(world.home, "open")
    const path = join(config, "vigil", "vigil.json")
    await Bun.write(
      path,
      JSON.stringify({ providers: { far: { baseUrl: "http://192.0.2.1", apiKey: "k" } } })
    )
    chmodSync(path, 0o644)
    const ended = await world.vigil(["doctor", "--json"], { env: { XDG_CONFIG_HOME: config } })
    expect(check(ended, "far")?.status).toBe("warning")
    expect(check(ended, "config")).toMatchObject({
      status: "warning",
      mend: expect.stringContaining(`chmod 600 '${path}'`)
    })
  })

  test("is wrong where no watchdog confirms what it should watch", async () => {
    const stateDir = join(world.home, "no-watchdog")
    const found = await watchdog.pipe(
      Effect.provide(Shell.layer({ stateDir, sh: "/bin/false" })),
      Effect.runPromise
    )
    expect(found).toMatchObject({ name: "watchdog", status: "wrong" })
  })

  test("knows little room from enough, and an old node from none", () => {
    const MiB = 1024 * 1024
    expect([10, 100, 10_000].map((free) => room(free * MiB, "/").status)).toEqual(["wrong", "warning", "ok"])
    expect([undefined, "v18.1.0", "v20.0.0"].map((found) => nodeVersion(found).status)).toEqual([
      "warning",
      "warning",
      "ok"
    ])
  })
})

describe("vigil completions", () => {
  const script = executed("completions", "bash")
  /** What bash would offer for the last of these words. */
  const offered = async (...words: ReadonlyArray<string>) => {
    const { stdout } = await script
    const source = join(world.home, "completions.sh")
    writeFileSync(source, stdout)
    const asked = `
      source "$0" || exit 9
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
      COMP_POINT=\${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
      read -r -a spec <<<"$(complete -p vigil)"
      "\${spec[2]}" vigil "\${*: -1}" "\${*: -2:1}" && printf '%s\\n' "\${COMPREPLY[@]}"
    `
    const shell = Bun.spawn(["bash", "--norc", "-c", asked, source, ...words], {
      stdout: "pipe",
      stderr: "pipe"
    })
    const [out, err, code] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
      shell.exited
    ])
    expect({ err, code }).toEqual({ err: "", code: 0 })
    return out.trim().split("\n")
  }

  test("let bash complete commands, subcommands, flags and values", async () => {
    expect(await offered("vigil", "tr")).toEqual(["trust"])
    expect(await offered("vigil", "auth", "log")).toEqual(["login", "logout"])
    expect(await offered("vigil", "run", "--al")).toEqual(["--allow"])
    expect(await offered("vigil", "doctor", "--on")).toContain("--online")
    expect(await offered("vigil", "completions", "z")).toEqual(["zsh"])
    expect(await offered("vigil", "")).toContain("completions")
  })

  test("are there for zsh and fish", async () => {
    expect((await executed("completions", "zsh")).stdout).toStartWith("#compdef vigil\n")
    expect((await executed("completions", "fish")).stdout).toContain("complete -c vigil")
  })
})
