import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeWorld, token, type World } from "./lib/world.ts"

const readme = readFileSync(join(import.meta.dir, "../README.md"), "utf8")
/** Each program, under the heading that it stands below, and what it prints. */
const examples = [...readme.matchAll(/```ts\n(.*?)```\n\n```\n(.*?)```/gsu)].map(
  ({ 1: program = "", 2: printed = "", index }) => {
    const heading =
      readme
        .slice(0, index)
        .match(/^## .*$/gmu)
        ?.at(-1) ?? ""
    return [heading.slice(3), program, printed] as const
  }
)

let world: World
const folder = mkdtempSync(join(tmpdir(), "vigil-readme-"))

beforeAll(async () => {
  world = makeWorld(() => "A watchman.")
  await world.start()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

test("every program of the README is an example", () => {
  expect(examples).toHaveLength(readme.split("```ts\n").length - 1)
})

test.each(examples)("the README's example does what it says: %s", async (_, program, printed) => {
  const file = join(folder, "example.ts")
  const source = (_: string, name: string) => `"${join(import.meta.dir, "../src", `${name}.ts`)}"`
  writeFileSync(file, program.replaceAll(/"@vigil\/sdk\/(\w+)"/gu, source))
  const child = Bun.spawn([process.execPath, file], {
    cwd: world.project,
    env: { ...process.env, VIGIL_URL: world.url(), VIGIL_TOKEN: token, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  expect(await new Response(child.stdout).text()).toBe(printed)
  expect(await child.exited).toBe(0)
})
