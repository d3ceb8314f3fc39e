/** Several commands in one state directory: the first is the owner, the others its clients. */
import type { Conversation } from "@vigil/simulation/conversation"
import { createClient } from "@vigil/sdk/client"
import { call, hold, say } from "@vigil/simulation/script"
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { gone, makeWorld, type World } from "./lib/cli.ts"
import { ownerPid } from "./lib/detached.ts"
import { startServing } from "./lib/serving.ts"

/** Waits for the file that the newest prompt names, then says so. */
const waits = (conversation: Conversation) => {
  const file = [...JSON.stringify(conversation.turns).matchAll(/wait for (\w+)/gu)].at(-1)?.[1] ?? "nothing"
  const command = `touch ${file}.begun; until [ -e ${file} ]; do sleep 0.02; done`
  return JSON.stringify(conversation.calls("shell")).includes(command)
    ? say(`${file} came.`)
    : call("shell", { command })
}
const go = ({ project }: World, file: string) => Bun.write(join(project, file), "")

const waiting = async (world: World, file: string) => {
  const run = world.start(["run", `wait for ${file}`, "--allow", "*"])
  await run.told("session ses_")
  while (!(await Bun.file(join(world.project, `${file}.begun`)).exists())) await Bun.sleep(10)
  return run
}

describe("two runs", () => {
  test("in one state directory both give their answers; the first stays for the second", async () => {
    await using world = makeWorld(waits)
    const first = await waiting(world, "one")
    const second = await waiting(world, "two")
    expect(ownerPid(world)).toBe(first.pid)
    await go(world, "one")
    expect(await first.printed("one came.\n")).toBe("one came.\n")
    await first.told("vigil: this is done, and stays for")
    await go(world, "two")
    expect(await second.ended).toMatchObject({ code: 0, stdout: "two came.\n" })
    expect(await first.ended).toMatchObject({ code: 0, stdout: "one came.\n" })
    expect(ownerPid(world)).toBeUndefined()
  }, 40_000)

  test("Ctrl-C ends the first while it stays, and the second says how to go on", async () => {
    await using world = makeWorld(waits)
    const first = await waiting(world, "one")
    const second = await waiting(world, "two")
    await go(world, "one")
    await first.told("vigil: this is done, and stays for")
    first.kill("SIGINT")
    expect((await first.ended).code).toBe(130)
    const { code, stdout, stderr } = await second.ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    const [, session] = /--session (ses_\w+)\n$/u.exec(stderr) ?? []
    expect(stderr).toContain("vigil: The vigil that this run had joined has gone, and with it what ran.")
    await go(world, "two")
    const on = await world.vigil(["run", "wait for two", "--session", session!, "--allow", "*"])
    expect(on).toMatchObject({ code: 0, stdout: "two came.\n" })
  }, 40_000)

  test("the second goes on with a session where the first was killed, under a new owner", async () => {
    await using world = makeWorld(waits)
    const first = await waiting(world, "one")
    const second = await waiting(world, "two")
    first.kill("SIGKILL")
    expect((await second.ended).code).toBe(1)
    await go(world, "three")
    expect(await world.vigil(["run", "wait for three", "--allow", "*"])).toMatchObject({
      code: 0,
      stdout: "three came.\n"
    })
    const { stdout } = await world.vigil(["session", "list"])
    expect(stdout.match(/server stopped/gu)).toHaveLength(2)
  }, 40_000)
})

describe("beside a run", () => {
  test("its session is seen at work, its monitor is listed, followed and stopped", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("monitor")
        ? say(conversation.has("stopped by the user") ? "It was stopped." : "Watching.")
        : call("monitor", { command: "echo $$ > pid; echo begun; sleep 600", description: "the build" })
    )
    const run = world.start(["run", "Watch it", "--allow", "*", "--wait"])
    await run.told("◆ the build: begun")
    const sessions = await world.vigil(["session", "list"])
    expect(sessions.stdout).toMatch(/1 running/u)
    const { stdout } = await world.vigil(["monitor", "list", "--json"])
    const { id, status } = JSON.parse(stdout) as { id: string; status: string }
    expect(status).toBe("running")
    const follows = world.start(["monitor", "output", id, "-f"])
    await follows.printed("begun\n")
    const stopped = await world.vigil(["monitor", "stop", id])
    expect(stopped.stderr).toMatch(/^■ 'the build' stopped after /u)
    expect(await follows.ended).toMatchObject({ code: 0, stdout: "begun\n", stderr: stopped.stderr })
    expect((await run.ended).code).toBe(0)
    await gone(Number(await Bun.file(join(world.project, "pid")).text()))
  }, 40_000)

  test("trust is given and taken back through it", async () => {
    await using world = makeWorld(waits)
    const first = await waiting(world, "one")
    await Bun.write(join(world.project, "vigil.json"), JSON.stringify({ model: "anthropic/other" }))
    const trusts = async () =>
      JSON.parse((await world.vigil(["config", "--json"])).stdout) as { trusted: boolean }
    expect((await world.vigil(["trust", "--yes"])).code).toBe(0)
    expect(await trusts()).toMatchObject({ trusted: true })
    expect((await world.vigil(["trust", "--list"])).stdout).toContain(world.project)
    expect((await world.vigil(["trust", "--revoke"])).stderr).toContain("not trusted any more")
    expect(await trusts()).toMatchObject({ trusted: false })
    await go(world, "one")
    expect((await first.ended).code).toBe(0)
  }, 40_000)

  test("a session is deleted, and the run of it fails", async () => {
    await using world = makeWorld(waits)
    const run = await waiting(world, "never")
    const { stdout } = await world.vigil(["session", "list", "--json"])
    const { id } = JSON.parse(stdout) as { id: string }
    const unasked = await world.vigil(["session", "delete", id])
    expect(unasked.stderr).toBe(
      `vigil: Nobody is there to be asked. Delete it with: vigil session delete ${id} --yes\n`
    )
    expect(await world.vigil(["session", "delete", id, "--yes"])).toMatchObject({
      code: 0,
      stderr: "Deleted: wait for never\n"
    })
    const { code, stderr } = await run.ended
    expect(code).toBe(1)
    expect(stderr).toContain(`vigil: The session ${id} was deleted`)
    expect((await world.vigil(["session", "show", id])).code).toBe(1)
  }, 40_000)
})

describe("through a server", () => {
  const serving = async (world: World) => {
    const { url, token } = await startServing(world)
    return createClient({ baseUrl: url, token })
  }

  test("a run that is cut short leaves nothing that would wake its session", async () => {
    await using world = makeWorld((conversation) =>
      conversation.called("monitor")
        ? hold(new Promise(() => {}))
        : call("monitor", {
            command: "until [ -e go ]; do sleep 0.02; done; echo begun; sleep 600",
            description: "the build"
          })
    )
    const client = await serving(world)
    const run = world.start(["run", "Watch it", "--allow", "*", "--wait"])
    // The model is busy when the line comes: it waits to be read.
    while (world.requests() < 2) await Bun.sleep(10)
    await go(world, "go")
    await run.told("◆ the build: begun")
    run.kill("SIGINT")
    const { code, stderr } = await run.ended
    expect(code).toBe(130)
    expect(stderr).toContain("vigil: stopped monitor 'the build'")
    const [, sessionID = ""] = /^session (ses_\w+)/u.exec(stderr) ?? []
    const { data } = await client.inbox.list({ path: { sessionID } })
    expect(data?.items.map(({ payload, wakes }) => [payload.type, wakes])).toEqual([["notice", false]])
    const waited = await client.session.wait({ path: { sessionID }, query: { until: "quiet", timeoutMs: 0 } })
    expect(waited.data).toEqual({ reached: true })
  }, 40_000)

  test("a session that somebody attends is attended again after a run in it, and keeps what it allowed", async () => {
    await using world = makeWorld(waits)
    const client = await serving(world)
    const { data: session } = await client.session.create({ body: { directory: world.project } })
    const path = { sessionID: session!.id }
    await go(world, "one")
    const run = ["run", "wait for one", "--session", path.sessionID, "--allow", "*"]
    expect(await world.vigil(run)).toMatchObject({ code: 0, stdout: "one came.\n" })
    expect((await client.session.get({ path })).data).toMatchObject({
      unattended: false,
      rules: [{ action: "shell", pattern: "*", effect: "allow" }]
    })
  }, 40_000)
})

test("a session is deleted where nobody owns the state directory, too", async () => {
  await using world = makeWorld(() => say("Done."))
  await world.vigil(["run", "x"])
  const { id } = JSON.parse((await world.vigil(["session", "list", "--json"])).stdout) as { id: string }
  expect(await world.vigil(["session", "delete", id, "-y"])).toMatchObject({
    code: 0,
    stderr: "Deleted: x\n"
  })
  expect((await world.vigil(["session", "list"])).stdout).toBe("")
  expect((await world.vigil(["session", "delete", id, "-y"])).stderr).toContain(`There is no session ${id}.`)
}, 40_000)
