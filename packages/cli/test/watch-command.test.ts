/** `vigil monitor start`, and what follows and ends such a monitor: the command that started it is gone by then. */
import { say } from "@vigil/simulation/script"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { gone, makeWorld, type World } from "./lib/cli.ts"
import { endingOwner, ownerPid } from "./lib/detached.ts"

/** A command that waits for the file of this name. */
const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`
const go = ({ project }: World, file: string) => Bun.write(join(project, file), "")

const started = async (world: World, ...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await world.vigil(["monitor", "start", ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("vigil monitor stop mon_") })
  expect(stdout).toMatch(/^mon_\w+\n$/u)
  return stdout.trim()
}

test("a monitor outlives the command that started it, wakes its session, is followed to its end", async () => {
  await using world = makeWorld(() => say("Seen."))
  await using _ = endingOwner(world)
  const command = `echo one; ${until("go")}; echo two >&2; echo three; exit 3`
  const id = await started(world, "--new", "--description", "the build", "--", command)

  const listed = await world.vigil(["monitor", "list"])
  expect(listed.stdout).toMatch(new RegExp(`^${id} +the build +running `, "mu"))
  const follows = world.start(["monitor", "output", id, "--follow"])
  await follows.printed("one\n")
  await go(world, "go")
  const { code, stdout, stderr } = await follows.ended
  expect({ code, stdout }).toEqual({ code: 0, stdout: "one\n[stderr] two\nthree\n" })
  expect(stderr).toMatch(/^■ 'the build' exited with code 3 after .+, 2 lines in 2 events\n$/u)
  expect((await world.vigil(["monitor", "output", id])).stdout).toBe("one\n[stderr] two\nthree\n")
  expect((await world.vigil(["session", "list"])).stdout).toContain("Watch the build")
}, 40_000)

test("what goes to stderr is followed too, though no event tells of it", async () => {
  await using world = makeWorld(() => say("Seen."))
  await using _ = endingOwner(world)
  const steps = ["one", "two", "three"]
  const command = steps.map((step) => `${until(step)}; echo ${step} >&2`).join("; ")
  const id = await started(world, "--new", "--", `${command}; ${until("go")}`)
  const follows = world.start(["monitor", "output", id, "-f"])
  for (const step of steps) {
    await go(world, step)
    await follows.printed(`[stderr] ${step}\n`)
  }
  await go(world, "go")
  expect((await follows.ended).code).toBe(0)
}, 40_000)

test("several arguments are words, and run where they were typed, with the environment there", async () => {
  await using world = makeWorld()
  await using _ = endingOwner(world)
  const word = "a  b $HOME"
  const { stdout } = await world.vigil(
    ["monitor", "start", "--new", "--json", "--", "printenv", "PWD", word, "COLOUR"],
    { env: { COLOUR: "red" } }
  )
  const { id, source } = JSON.parse(stdout) as { id: string; source: { command: string } }
  expect(source.command).toBe(`printenv PWD '${word}' COLOUR`)
  const shown = await world.vigil(["monitor", "output", id, "-f"])
  expect(shown.stdout).toBe(`${world.project}\nred\n`)
}, 40_000)

test("a stop says how it ended, and says the same again, also without anybody there", async () => {
  await using world = makeWorld()
  await using _ = endingOwner(world)
  const id = await started(world, "--new", "--timeout", "10m", "--", "echo pid $$ | tee pid; sleep 600")
  const stopped = await world.vigil(["monitor", "stop", id])
  expect(stopped).toMatchObject({ code: 0, stdout: "" })
  expect(stopped.stderr).toMatch(/^■ 'echo pid .+' stopped after /u)
  const again = await world.vigil(["monitor", "stop", id, "--json"])
  expect(JSON.parse(again.stdout)).toMatchObject({ id, status: "ended", reason: "cancelled" })

  const owner = ownerPid(world)!
  process.kill(owner, "SIGTERM")
  await gone(owner)
  expect(await world.vigil(["monitor", "stop", id])).toEqual(stopped)
  const unknown = await world.vigil(["monitor", "stop", "mon_nope"])
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toBe(
    "vigil: There is no monitor mon_nope. `vigil monitor list` shows those there are.\n"
  )
}, 40_000)

test("Ctrl-C ends the looking with 130, and the watch goes on", async () => {
  await using world = makeWorld()
  await using _ = endingOwner(world)
  const id = await started(world, "--new", "--", `echo one; ${until("go")}`)
  const follows = world.start(["monitor", "output", id, "-f"])
  await follows.printed("one\n")
  follows.kill("SIGINT")
  expect((await follows.ended).code).toBe(130)
  const { stdout } = await world.vigil(["monitor", "list", "--json"])
  expect(JSON.parse(stdout)).toMatchObject({ id, status: "running" })
}, 40_000)

test("an owner that is killed takes its monitors along: who follows is told, and the next look says so", async () => {
  await using world = makeWorld()
  await using _ = endingOwner(world)
  const id = await started(world, "--new", "--", `echo one; ${until("go")}; echo two; sleep 600`)
  const follows = world.start(["monitor", "output", id, "-f"])
  await follows.printed("one\n")
  await go(world, "go")
  await follows.printed("two\n")
  process.kill(ownerPid(world)!, "SIGKILL")
  const { code, stderr } = await follows.ended
  expect(code).toBe(0)
  expect(stderr).toContain("ended with its server")
  const { stdout } = await world.vigil(["monitor", "list", "--json"])
  expect(JSON.parse(stdout)).toMatchObject({ id, status: "ended", reason: "server_restarted" })
  // And what is begun next finds a server again.
  const next = await started(world, "--new", "--", "echo three")
  expect((await world.vigil(["monitor", "output", next, "-f"])).stdout).toBe("three\n")
}, 60_000)

test("what can't be started says why", async () => {
  await using world = makeWorld()
  await using _ = endingOwner(world)
  const refused = async (why: string, ...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await world.vigil(["monitor", "start", ...args])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(why)
  }
  await refused("There is no session ses_nope.", "--session", "ses_nope", "--", "true")
  await refused("--timeout must be from 1.0 s to 30 m", "--new", "--timeout", "99h", "--", "true")
  // Of what was begun for it nothing is left.
  expect((await world.vigil(["session", "list", "--json"])).stdout).toBe("")
}, 40_000)

test("without a model a command is watched all the same, and it is said that nobody reads it", async () => {
  await using world = makeWorld()
  await using _ = endingOwner(world)
  const { code, stdout, stderr } = await world.vigil(
    ["monitor", "start", "--new", "--description", "x".repeat(200), "--", "echo one"],
    { env: { XDG_CONFIG_HOME: join(world.home, "empty") } }
  )
  expect(code).toBe(0)
  expect(stderr).toStartWith("vigil: no agent can read what is printed yet. No model is set.")
  expect((await world.vigil(["monitor", "output", stdout.trim(), "-f"])).stdout).toBe("one\n")
}, 40_000)
