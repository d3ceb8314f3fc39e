import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { sourceFiles } from "../source.ts"

const root = mkdtempSync(join(tmpdir(), "vigil-source-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test("finds sources, tests and scripts at any depth, and nothing installed or generated", () => {
  const found = [
    "bench/figure/feed.ts",
    "packages/core/src/shell.ts",
    "packages/core/src/shell/gate.ts",
    "packages/core/test/shell/gate.test.ts",
    "packages/tui/src/app.tsx",
    "scripts/bun.mjs",
    "scripts/test/bun.test.ts"
  ]
  const passedOver = [
    "packages/core/node_modules/effect/src/Effect.ts",
    "packages/core/src/node_modules/x/a.ts",
    "packages/sdk/src/gen/client.ts",
    "packages/core/README.md",
    "docs/example.ts"
  ]
  for (const path of [...found, ...passedOver]) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), `// ${path}`)
  }
  expect(sourceFiles(root)).toEqual(found.toSorted().map((path) => ({ path, text: `// ${path}` })))
})

test("reads this checkout", () => {
  const here = sourceFiles(dirname(dirname(import.meta.dir))).map(({ path }) => path)
  expect(here).toContain("scripts/test/source.test.ts")
  expect(here.some((path) => path.startsWith("packages/core/src/"))).toBe(true)
})
