import { describe, expect, test } from "bun:test"
import { type Gap, isInGap, maxGaps, placeBefore, withGap } from "../src/gap.ts"

describe("gaps", () => {
  const gaps: ReadonlyArray<Gap> = [
    [10, 1_000],
    [1_020, 5_000]
  ]

  test("hold no place that was handed out", () => {
    const lost = [11, 999, 1_021, 4_999]
    const kept = [0, 1, 10, 1_001, 1_020, 5_001, 6_000]
    expect(lost.filter((place) => isInGap(gaps, place))).toEqual(lost)
    expect(kept.filter((place) => isInGap(gaps, place))).toEqual([])
  })

  test("are made one by one, and grow where nothing was told since the newest", () => {
    expect(withGap(gaps, 5_030, 100)).toEqual([...gaps, [5_030, 5_130]])
    expect(withGap(gaps, 5_000, 100)).toEqual([
      [10, 1_000],
      [1_020, 5_100]
    ])
    const many = Array.from({ length: maxGaps + 5 }).reduce<ReadonlyArray<Gap>>(
      (before) => withGap(before, (before.at(-1)?.[1] ?? 0) + 1, 10),
      []
    )
    expect([many.length, many[0]]).toEqual([maxGaps, [56, 66]])
  })

  test("are not counted among the places that are kept", () => {
    // Ten, twenty and thirty of them, from the oldest.
    expect(placeBefore(gaps, 5_030, 29)).toBe(5_001)
    expect(placeBefore(gaps, 5_030, 30)).toBe(5_000)
    expect(placeBefore(gaps, 5_030, 31)).toBe(1_019)
    expect(placeBefore(gaps, 5_030, 55)).toBe(5)
    expect(placeBefore(gaps, 5_030, 60)).toBe(0)
    expect(placeBefore(gaps, 5_030, 100)).toBeLessThan(1)
    expect(placeBefore([], 2_048, 1_000)).toBe(1_048)
  })
})
