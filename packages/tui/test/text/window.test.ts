import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Row, rowText, span } from "../../src/text/row.ts"
import { type Blocks, moved, seen } from "../../src/text/window.ts"

const blocksOf = (heights: ReadonlyArray<number>): Blocks => ({
  length: heights.length,
  rowsOf: (index) => Array.from({ length: heights[index] ?? 0 }, (_, row): Row => [span(`${index}.${row}`)])
})

const all = (heights: ReadonlyArray<number>) =>
  heights.flatMap((height, index) => Array.from({ length: height }, (_, row) => `${index}.${row}`))

const texts = (rows: ReadonlyArray<Row>) => rows.map(rowText)

const heights = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 })
const height = fc.integer({ min: 1, max: 20 })

describe("a window over many blocks", () => {
  test("follows the end", () => {
    fc.assert(
      fc.property(heights, height, (heights, height) => {
        const { rows, atEnd } = seen(blocksOf(heights), height, undefined)
        expect(texts(rows)).toEqual(all(heights).slice(-height))
        expect(atEnd).toBe(true)
      })
    )
  })

  test("moves by exactly as many rows as asked, and no further than there are", () => {
    fc.assert(
      fc.property(
        heights,
        height,
        fc.array(fc.integer({ min: -30, max: 30 }), { maxLength: 12 }),
        (heights, height, steps) => {
          const blocks = blocksOf(heights)
          const rows = all(heights)
          const last = Math.max(0, rows.length - height)
          let place: Parameters<typeof seen>[2]
          let top = last
          for (const by of steps) {
            place = moved(blocks, height, place, by)
            top = Math.min(last, Math.max(0, top + by))
            expect(texts(seen(blocks, height, place).rows)).toEqual(rows.slice(top, top + height))
          }
        }
      )
    )
  })

  test("lays out what is seen and little more", () => {
    let asked = 0
    const blocks: Blocks = { length: 10_000, rowsOf: (index) => (asked++, [[span(`${index}`)]]) }
    seen(blocks, 40, undefined)
    seen(blocks, 40, { index: 5_000, row: 0 })
    moved(blocks, 40, undefined, -40)
    expect(asked).toBeLessThan(600)
  })

  test("a place that is gone is the nearest that is there", () => {
    const { rows, atEnd } = seen(blocksOf([2, 2]), 3, { index: 9, row: 9 })
    expect(texts(rows)).toEqual(["0.1", "1.0", "1.1"])
    expect(atEnd).toBe(true)
  })
})
