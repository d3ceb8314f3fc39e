/** `vigil permission`: what waits is answered; what was answered with "always" is seen, and taken back. */
import { Bus } from "@vigil/core/bus"
import { Settings } from "@vigil/core/config"
import { Database } from "@vigil/core/database"
import { Kv } from "@vigil/core/kv"
import { Permissions } from "@vigil/core/permission"
import { SessionId, type Session } from "@vigil/schema/session"
import type { Subject } from "@vigil/schema/permission"
import { afterAll, expect, test } from "bun:test"
import { Effect, Fiber, Layer, Stream } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { call, say } from "@vigil/simulation/script"
import { createClient } from "@vigil/sdk/client"
import { makeWorld } from "./lib/cli.ts"
import { startServing } from "./lib/serving.ts"

const world = makeWorld()
afterAll(() => world[Symbol.asyncDispose]())

/** Has a person answer "always" to all of this. */
const allowed = (subjects: ReadonlyArray<Subject>) => {
  mkdirSync(world.stateDir, { recursive: true, mode: 0o700 })
  const layer = Permissions.layer.pipe(
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Settings.layerTest()),
    Layer.provideMerge(Database.layer({ path: join(world.stateDir, "vigil.db") }))
  )
  const session: Session = {
    id: SessionId.make("ses_test"),
    directory: world.project,
    rules: [],
    unattended: false,
    createdAt: 0,
    updatedAt: 0
  }
  return Effect.gen(function* () {
    const permissions = yield* Permissions
    const asks = yield* Effect.forkChild(
      permissions.require({ session, tool: "shell", title: "all of it", subjects })
    )
    const [asked] = yield* (yield* Bus).follow(0).pipe(
      Stream.filter(({ type }) => type === "permission.asked"),
      Stream.take(1),
      Stream.runCollect
    )
    if (asked?.type === "permission.asked") yield* permissions.reply(asked.data.ask.id, { reply: "always" })
    yield* Fiber.join(asks)
  }).pipe(Effect.provide(layer), Effect.runPromise)
}

test("what is allowed for good is listed as it would be typed, and forgotten by that", async () => {
  expect((await world.vigil(["permission", "saved"])).stderr).toContain("Nothing is saved")
  await allowed([
    { action: "shell", value: "git push", pattern: "git push *" },
    { action: "shell", value: "edit:x", pattern: "edit:x" },
    { action: "edit", value: "src/a.ts", pattern: "src/*" }
  ])
  const listed = async (...args: ReadonlyArray<string>) =>
    (await world.vigil(["permission", "saved", ...args])).stdout.split("\n").slice(0, -1)
  expect(await listed()).toEqual(["git push *", "shell:edit:x", "edit:src/*"])
  expect(await listed("-C", world.home)).toEqual([])
  expect((await listed("--json")).map((line) => JSON.parse(line) as unknown)[2]).toEqual({
    action: "edit",
    pattern: "src/*"
  })

  const unknown = await world.vigil(["permission", "forget", "git pull *"])
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain("git pull * is not saved")
  expect((await world.vigil(["permission", "forget", "edit:src/*"])).code).toBe(0)
  expect((await world.vigil(["permission", "forget", "shell:edit:x"])).code).toBe(0)
  expect(await listed()).toEqual(["git push *"])
  expect((await world.vigil(["permission", "forget", "--all"])).code).toBe(0)
  expect(await listed()).toEqual([])
}, 60_000)

test("what an agent asks is listed, and answered once", async () => {
  await using world = makeWorld((conversation) =>
    conversation.called("shell")
      ? say(conversation.results("shell").at(-1) ?? "")
      : call("shell", { command: "echo hello" })
  )
  const nobody = await world.vigil(["permission", "reply", "ask_1", "once"])
  expect(nobody).toMatchObject({
    code: 1,
    stderr: "vigil: No vigil runs here, so nothing waits for an answer.\n"
  })
  expect((await world.vigil(["permission", "list"])).stderr).toBe("Nothing waits for an answer.\n")

  const { url, token } = await startServing(world)
  const client = createClient({ baseUrl: url, token })
  const { data: session } = await client.session.create({ body: { directory: world.project } })
  const sessionID = session!.id
  const asks = async () => {
    await client.session.prompt({ path: { sessionID }, body: { text: "Greet" } })
    for (;;) {
      const { stdout } = await world.vigil(["permission", "list", "--json"])
      if (stdout !== "") return JSON.parse(stdout) as { id: string }
    }
  }
  const { id } = await asks()
  expect((await world.vigil(["permission", "list"])).stdout).toMatch(
    new RegExp(`^ID .*\n${id} +shell +echo hello +just now +${sessionID}\n$`, "u")
  )
  expect((await world.vigil(["session", "list"])).stdout).toContain("asks you")
  expect(await world.vigil(["permission", "reply", id, "always"])).toMatchObject({
    code: 0,
    stderr: "Allowed for good.\n"
  })
  await client.session.wait({ path: { sessionID }, query: { until: "idle" } })
  expect((await world.vigil(["session", "show", sessionID])).stdout).toContain("hello")
  // The same answer again is none too many; another one comes too late.
  expect((await world.vigil(["permission", "reply", id, "always"])).code).toBe(0)
  const late = await world.vigil(["permission", "reply", id, "reject"])
  expect(late).toMatchObject({ code: 1, stderr: `vigil: ${id} was answered already: always\n` })
  const unknown = await world.vigil(["permission", "reply", "ask_nope", "once"])
  expect(unknown.stderr).toContain("There is no ask ask_nope that waits.")

  expect((await world.vigil(["permission", "saved"])).stdout).toBe("echo *\n")
  expect((await world.vigil(["permission", "forget", "echo *"])).code).toBe(0)
  expect((await world.vigil(["permission", "saved"])).stdout).toBe("")
}, 60_000)
