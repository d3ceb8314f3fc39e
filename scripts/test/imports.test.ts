import { describe, expect, test } from "bun:test"
import { importProblems, specifiers } from "../imports.ts"

const file = (path: string, ...specifiers: ReadonlyArray<string>) => ({
  path: `packages/${path}`,
  text: specifiers.map((specifier) => `import { x } from "${specifier}"`).join("\n")
})

describe("between packages", () => {
  test("lets the edge import what it stands on", () => {
    expect(
      importProblems([file("cli/src/main.ts", "@vigil/core/live", "@vigil/simulation/server", "effect")])
    ).toEqual([])
  })

  test("catches a package that imports what stands on it", () => {
    expect(importProblems([file("schema/src/id.ts", "@vigil/core/kv")])).toEqual([
      "packages/schema/src/id.ts: schema may not import core"
    ])
  })

  test("lets benchmarks measure a package, and no package import them", () => {
    const bench = (specifier: string) => ({
      path: "bench/figure/feed.ts",
      text: `import { x } from "${specifier}"`
    })
    expect(importProblems([bench("@vigil/server/feed"), bench("../figure.ts")])).toEqual([])
    expect(importProblems([bench("../../packages/server/src/feed.ts")])).toEqual([
      "bench/figure/feed.ts: reaches into another package by ../../packages/server/src/feed.ts; use @vigil/…"
    ])
    expect(importProblems([file("core/src/bus.ts", "@vigil/bench/figure")])).toEqual([
      "packages/core/src/bus.ts: core may not import bench"
    ])
  })

  test("lets tests talk to the scripted model, and sources not", () => {
    expect(importProblems([file("core/test/runner.test.ts", "@vigil/simulation/server")])).toEqual([])
    expect(importProblems([file("core/src/runner.ts", "@vigil/simulation/server")])).toEqual([
      "packages/core/src/runner.ts: core may not import simulation"
    ])
  })

  test("lets the SDK's tests start the server that it talks to, and its sources not", () => {
    expect(importProblems([file("sdk/test/sync.test.ts", "@vigil/server/app", "@vigil/core/live")])).toEqual(
      []
    )
    expect(importProblems([file("sdk/src/sync.ts", "@vigil/server/app")])).toEqual([
      "packages/sdk/src/sync.ts: sdk may not import server"
    ])
    expect(importProblems([file("server/test/feed.test.ts", "@vigil/sdk/client")])).toEqual([
      "packages/server/test/feed.test.ts: server may not import sdk"
    ])
  })

  test("catches a relative path into another package", () => {
    expect(importProblems([file("cli/src/main.ts", "../../core/src/kv.ts")])).toEqual([
      "packages/cli/src/main.ts: reaches into another package by ../../core/src/kv.ts; use @vigil/…"
    ])
  })

  test("catches a package imported whole, and one that nobody has placed", () => {
    expect(importProblems([file("cli/src/main.ts", "@vigil/core"), file("web/src/main.ts")])).toEqual([
      "packages/cli/src/main.ts: imports @vigil/core; name a subpath",
      "packages/web/src/main.ts: scripts/imports.ts does not say what web may import"
    ])
  })
})

describe("within core", () => {
  test("lets a noun import what is lower, and its own folder", () => {
    const files = [
      file("core/src/shell.ts", "./shell/log.ts", "./kv.ts"),
      file("core/src/shell/log.ts", "../config.ts"),
      file("core/src/tools/read.ts", "../monitor/lines.ts")
    ]
    expect(importProblems(files)).toEqual([])
  })

  test("catches an import of what is higher, from a folder too", () => {
    expect(
      importProblems([file("core/src/kv.ts", "./runner.ts"), file("core/src/shell/log.ts", "../inbox.ts")])
    ).toEqual([
      "packages/core/src/kv.ts: imports packages/core/src/runner.ts, and runner is above kv",
      "packages/core/src/shell/log.ts: imports packages/core/src/inbox.ts, and inbox is above shell"
    ])
  })

  test("keeps monitors from the runner though it is lower", () => {
    expect(importProblems([file("core/src/monitor/policy.ts", "../runner.ts")])).toHaveLength(1)
  })

  test("catches a file that has no place in the order", () => {
    expect(importProblems([file("core/src/extra.ts", "./kv.ts", "./bus.ts")])).toEqual([
      "packages/core/src/extra.ts: scripts/imports.ts does not say where extra stands in core"
    ])
  })

  test("tells a circle once", () => {
    const files = [
      file("core/src/monitor/policy.ts", "./notice.ts"),
      file("core/src/monitor/lines.ts", "./policy.ts"),
      file("core/src/monitor/notice.ts", "./lines.ts")
    ]
    const inFolder = "packages/core/src/monitor"
    expect(importProblems(files)).toEqual([
      `circle: ${["lines", "policy", "notice", "lines"].map((name) => `${inFolder}/${name}.ts`).join(" → ")}`
    ])
  })
})

test("sees imports over several lines, of types, for effect, re-exported and at run time", () => {
  const text = `
import {
  a,
  type B
} from "./one.ts"
import type { C } from "./two.ts"
import "./three.ts"
export * from "./four.ts"
export { d } from "./five.ts"
const six = await import("./six.ts")
const text = "not from here"
export const from = "./seven.ts"
`
  expect(specifiers(text)).toEqual([
    "./one.ts",
    "./two.ts",
    "./three.ts",
    "./four.ts",
    "./five.ts",
    "./six.ts"
  ])
})
