import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { frameText, painted, textOf } from "./lib/frame.tsx"
import { scenes } from "./lib/scenes.ts"
import { widthOf } from "../src/text/width.ts"

/** `VIGIL_FRAMES=write bun test test/frames.test.ts` writes them anew; look at what changed. */
const writes = process.env["VIGIL_FRAMES"] === "write"
const folder = join(import.meta.dir, "frames")

const sizes = [
  { columns: 100, rows: 30 },
  { columns: 48, rows: 24 }
]

describe("a frame looks as it was agreed", () => {
  for (const [name, scene] of Object.entries(scenes)) {
    for (const size of sizes) {
      test(`${name}, ${size.columns} columns`, () => {
        const state = scene(size)
        const path = join(folder, `${name.replace(/[ ,]+/gu, "-")}.${size.columns}.txt`)
        const found = frameText(state)
        if (writes) {
          mkdirSync(folder, { recursive: true })
          writeFileSync(path, found)
        }
        expect(found).toBe(readFileSync(path, "utf8"))
      })
    }
  }
})

describe("a frame fits its terminal", () => {
  for (const columns of [48, 60, 80, 100, 200]) {
    for (const rows of [10, 16, 24, 50]) {
      test(`at ${columns} columns and ${rows} rows`, () => {
        for (const scene of Object.values(scenes)) {
          const lines = textOf(painted(scene({ columns, rows }))).split("\n")
          expect(lines.length).toBe(rows)
          expect(lines.filter((line) => widthOf(line) > columns)).toEqual([])
        }
      })
    }
  }
})
