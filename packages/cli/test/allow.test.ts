import { expect, test } from "bun:test"
import { makeWorld } from "./lib/cli.ts"

test("a pattern that allows nothing is a mistake in the arguments", async () => {
  await using world = makeWorld()
  for (const pattern of ["", " ", "edit:"]) {
    const { code, stderr } = await world.vigil(["run", "Hello", "--allow", pattern])
    expect({ pattern, code }).toEqual({ pattern, code: 2 })
    expect(stderr).toContain("--allow")
  }
  expect(world.requests()).toBe(0)
})

test("an empty directory is a mistake too: an unset variable must not mean here", async () => {
  await using world = makeWorld()
  const { code, stderr } = await world.vigil(["run", "Hello", "--dir", ""])
  expect(code).toBe(2)
  expect(stderr).toContain("--dir")
  expect(world.requests()).toBe(0)
})
