import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expected } from "./lib/scenario.ts"
import { makeWorld, token, type World } from "./lib/world.ts"

let world: World
const folder = mkdtempSync(join(tmpdir(), "vigil-runtimes-"))
const program = join(folder, "program.mjs")

beforeAll(async () => {
  world = makeWorld(() => "It is said.")
  const [built] = await Promise.all([
    Bun.build({
      entrypoints: [join(import.meta.dir, "fixture/scenario-program.ts")],
      target: "browser",
      format: "esm"
    }),
    world.start()
  ])
  writeFileSync(program, await built.outputs[0]!.text())
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

test.each([
  ["Bun", process.execPath],
  ["Node", "node"]
])("the client, its events and its store work in %s", async (_, runtime) => {
  const scene = { baseUrl: world.url(), token, directory: world.project }
  const child = Bun.spawn([runtime, program, JSON.stringify(scene)], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const seen = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  expect(JSON.parse(seen)).toEqual(expected)
})
