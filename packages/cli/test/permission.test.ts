/** `vigil permission`: what was answered with "always" is seen, and taken back. */
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
import { makeWorld } from "./lib/cli.ts"

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
  expect((await world.vigil(["permission", "list"])).stderr).toContain("Nothing is saved")
  await allowed([
    { action: "shell", value: "git push", pattern: "git push *" },
    { action: "shell", value: "edit:x", pattern: "edit:x" },
    { action: "edit", value: "src/a.ts", pattern: "src/*" }
  ])
  const listed = async (...args: ReadonlyArray<string>) =>
    (await world.vigil(["permission", "list", ...args])).stdout.split("\n").slice(0, -1)
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
