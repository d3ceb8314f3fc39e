/** The terminal UI in a real terminal: tmux types, a real server works, a scripted model answers. */
import { demoScript } from "@vigil/simulation/demo"
import type { Script } from "@vigil/simulation/script"
import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { openTerminal, type Terminal } from "@vigil/simulation/terminal"
import { gone, makeWorld, type World } from "../test/lib/cli.ts"
import { endingOwner, ownerPid } from "../test/lib/detached.ts"
import { startServing } from "../test/lib/serving.ts"

const main = join(dirname(import.meta.dir), "src", "main.ts")
const minutes = 60_000

/** `vigil` is there by its name. */
const terminalOf = async (
  world: World,
  env: Readonly<Record<string, string>> = {},
  [columns, rows]: readonly [number, number] = [100, 32]
): Promise<Terminal> => {
  const bin = join(world.home, "bin")
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, "vigil"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  chmodSync(join(bin, "vigil"), 0o755)
  return openTerminal({
    columns,
    rows,
    cwd: world.project,
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: world.home,
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: world.modelUrl,
      ...env
    }
  })
}

const ready = "What shall be done, or watched?"

/** A CI run whose shards end when the test says so. */
const ciOf = ({ project }: World) => {
  const folder = join(project, "ci")
  const begin = () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
  }
  begin()
  return {
    begin,
    passes: (...shards: ReadonlyArray<number>) => {
      for (const shard of shards) writeFileSync(join(folder, `shard-${shard}.result`), "success")
    }
  }
}

/** From an open UI to a monitor that runs. */
const beginWatch = async (terminal: Terminal, prompt: string) => {
  await terminal.type(prompt)
  await terminal.press("Enter")
  await terminal.shows("May write do this?", "Write ci-watch.sh")
  await terminal.press("Enter")
  await terminal.shows("May monitor do this?", "sh ci-watch.sh")
  await terminal.press("Enter")
  await terminal.shows("I watch the run now", "1 monitor · ↓ to manage")
}

const pidOf = (world: World): number => {
  const pid = ownerPid(world)
  if (pid === undefined) throw new Error("Nobody owns the world")
  return pid
}

/** Esc, until what it leaves is gone: what is typed right after an Esc would be one key with it. */
const back = async (terminal: Terminal, from: string) => {
  await terminal.press("Escape")
  await terminal.lacks(from)
}

const leave = async (terminal: Terminal) => {
  await terminal.press("C-d")
  await terminal.shows("session ses_")
}

test(
  "a run is watched from its prompt to its stop, while a draft is kept",
  async () => {
    await using world = makeWorld(demoScript)
    await using _ = endingOwner(world)
    const ci = ciOf(world)
    await using terminal = await terminalOf(world)
    await terminal.type("vigil")
    await terminal.press("Enter")
    await terminal.shows(ready)
    await beginWatch(terminal, "Watch CI run 42")

    await terminal.press("Down")
    await terminal.shows("Background tasks", "1 running · 0 ended", "❯ ● CI run 42", "left")
    await back(terminal, "Background tasks")
    await terminal.type("and then tell me")
    await terminal.shows("❯ and then tell me")
    ci.passes(1)
    await terminal.shows("◆ CI run 42", "│ shard-1: success", "shard-1 passed.", "❯ and then tell me")

    await terminal.press("C-t", "Enter")
    await terminal.shows("shard-1: success", "Following")
    const bytes = (lines: number) => "shard-10: success\n".length * lines - [1, 9].slice(0, lines - 39).length
    ci.passes(...Array.from({ length: 39 }, (__, index) => index + 10))
    // They come in the order of their names, and more of them than there are rows.
    await terminal.shows("shard-48: success", "Following")
    await terminal.press("Home")
    await terminal.shows("shard-1: success", `Held · ${bytes(40)} B`)
    ci.passes(9)
    const more = await terminal.shows("shard-1: success", `Held · ${bytes(41)} B`)
    expect(more).not.toContain("shard-9:")
    await terminal.press("End")
    await terminal.shows("shard-9: success", "Following")

    await terminal.press("x")
    await terminal.shows("Stop CI run 42?", "y yes · n no")
    await terminal.press("y")
    await terminal.shows("stopped", /^ End\b/mu)
    await terminal.press("Escape")
    await terminal.shows("Background tasks", "0 running · 1 ended", "■ CI run 42")
    await back(terminal, "Background tasks")
    await terminal.shows("❯ and then tell me")
    await terminal.lacks("1 monitor")

    await terminal.press("C-c")
    await leave(terminal)
  },
  4 * minutes
)

test(
  "a server that is killed and started anew is found again, without a touch",
  async () => {
    await using world = makeWorld(demoScript)
    await using _ = endingOwner(world)
    ciOf(world)
    await using terminal = await terminalOf(world)
    await terminal.type("vigil")
    await terminal.press("Enter")
    await terminal.shows(ready)
    await beginWatch(terminal, "Watch CI run 42")
    await terminal.type("not sent yet")
    await terminal.press("C-t")
    await terminal.shows("1 running · 0 ended")

    const pid = pidOf(world)
    process.kill(pid, "SIGKILL")
    await gone(pid)
    await terminal.shows("connection lost, trying again")
    const serving = await startServing(world)
    await terminal.shows("0 running · 1 ended", "■ CI run 42", "ended by a restart of the server")
    await terminal.lacks("connection lost")
    await back(terminal, "Background tasks")
    await terminal.shows("❯ not sent yet")
    serving.vigil.kill("SIGTERM")
    await serving.vigil.ended

    // Ended on purpose it stays away, until something is asked of it.
    await terminal.shows("connection lost, trying again")
    await terminal.press("Enter")
    await terminal.shows("❯ not sent yet", "I watch the run now")
    await terminal.lacks("connection lost")
    expect(ownerPid(world)).toBeGreaterThan(0)
    await leave(terminal)
  },
  4 * minutes
)

const answers: Script = () => "It is 42."

test(
  "leaving gives the screen back, with the session and its last answer; so does a suspension, and a signal",
  async () => {
    await using world = makeWorld(answers)
    await using _ = endingOwner(world)
    await using terminal = await terminalOf(world)
    await terminal.type("echo before; vigil")
    await terminal.press("Enter")
    await terminal.shows(ready)
    expect(await terminal.fact("alternate_on")).toBe("1")
    await terminal.type("How much is it?")
    await terminal.press("Enter")
    await terminal.shows("It is 42.")
    await terminal.type("a draft")
    await terminal.shows("❯ a draft")

    await terminal.press("C-z")
    await terminal.shows(/^before$/mu, /Stopped|Suspended/u)
    expect(await terminal.fact("alternate_on")).toBe("0")
    expect(await terminal.fact("cursor_flag")).toBe("1")
    await terminal.type("fg")
    await terminal.press("Enter")
    await terminal.shows("It is 42.", "❯ a draft")
    await terminal.type(" more")
    await terminal.shows("❯ a draft more")

    await terminal.resize(48, 20)
    const narrow = await terminal.shows("❯ a draft more", "It is 42.")
    await terminal.shows(/^ ─{46}$/mu)
    expect(Math.max(...narrow.split("\n").map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(48)
    await terminal.resize(100, 32)
    await terminal.shows("❯ a draft more", "It is 42.", /^ ─{98}$/mu)

    await terminal.press("C-c")
    await terminal.shows("Reply, or ask")
    await terminal.paste(Array.from({ length: 10_000 }, (__, line) => `line ${line}`).join("\n"))
    await terminal.shows("[10,000 lines pasted]")
    await terminal.press("Enter")
    await terminal.shows("line 9999", "It is 42.", "Reply, or ask")
    await terminal.press("C-d")
    const after = await terminal.shows("It is 42.", /^session ses_/mu, /^before$/mu)
    expect(after).not.toContain("Reply, or ask")
    expect(await terminal.fact("alternate_on")).toBe("0")
    expect(await terminal.fact("cursor_flag")).toBe("1")

    const [, id = ""] = /^session (ses_\w+)$/mu.exec(after) ?? []
    await terminal.type(`clear; sh -c 'echo $$ > pid; exec vigil --session ${id}'; echo "code $?"`)
    await terminal.press("Enter")
    await terminal.shows("It is 42.", "Reply, or ask")
    process.kill(Number(readFileSync(join(world.project, "pid"), "utf8")), "SIGTERM")
    await terminal.shows("code 143")
    expect(await terminal.fact("alternate_on")).toBe("0")
    expect(await terminal.fact("cursor_flag")).toBe("1")
  },
  4 * minutes
)

test(
  "without a model it says what it looks for, and everything can be tried, of which nothing is left",
  async () => {
    await using world = makeWorld(answers)
    await using _ = endingOwner(world)
    const temporary = join(world.home, "tmp")
    mkdirSync(temporary)
    const none = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", TMPDIR: temporary }
    await using terminal = await terminalOf(world, none)
    await terminal.type("vigil")
    await terminal.press("Enter")
    await terminal.shows("No model can be asked yet.", "ANTHROPIC_API_KEY", "Try the demo model")
    await terminal.press("C-p")
    await terminal.shows("Commands")
    await terminal.type("demo")
    await terminal.shows("❯ Try the demo model, without a key")
    await terminal.press("Enter")
    await terminal.shows("Ask, for example: Watch CI run 42")
    await beginWatch(terminal, "Watch CI run 42, and tell me what fails")
    await terminal.shows("│ shard-2: failure, log: ci/shard-2.log")
    await terminal.shows("CI run 42 is over, with exit code 1.")
    expect(world.requests()).toBe(0)
    await leave(terminal)
    await terminal.shows("CI run 42 is over, with exit code 1.", /^session ses_/mu, /\n\$ *\n*$/u)
    expect(
      existsSync(temporary) && [
        ...new Bun.Glob("vigil-demo-*").scanSync({ cwd: temporary, onlyFiles: false })
      ]
    ).toEqual([])
  },
  4 * minutes
)

test(
  "another server's session is opened by its address and token",
  async () => {
    await using world = makeWorld(answers)
    const serving = await startServing(world)
    await using terminal = await terminalOf(world, {
      BOX: serving.token,
      VIGIL_STATE_DIR: join(world.home, "other")
    })
    await terminal.type(`vigil attach ${serving.url} --token-env BOX`)
    await terminal.press("Enter")
    await terminal.shows(ready)
    await terminal.type("How much is it?")
    await terminal.press("Enter")
    await terminal.shows("It is 42.")
    const { items } = (await (await serving.get("/session")).json()) as { items: ReadonlyArray<unknown> }
    expect(items).toHaveLength(1)
    await leave(terminal)
  },
  4 * minutes
)
