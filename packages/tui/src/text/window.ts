/**
 * The rows that are seen of many blocks, without laying out those that are not. Pure.
 *
 * A place is the row at the top of the screen. Without one the end is followed.
 */
import type { Row } from "./row.ts"

export interface Place {
  readonly index: number
  readonly row: number
}

export interface Blocks {
  readonly length: number
  readonly rowsOf: (index: number) => ReadonlyArray<Row>
}

export interface Seen {
  readonly rows: ReadonlyArray<Row>
  readonly top: Place
  readonly atStart: boolean
  readonly atEnd: boolean
}

/** Where the top row is when the last row stands at the bottom. */
const endPlace = (blocks: Blocks, height: number): Place => {
  let missing = height
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const { length } = blocks.rowsOf(index)
    if (length >= missing) return { index, row: length - missing }
    missing -= length
  }
  return { index: 0, row: 0 }
}

const isBefore = (a: Place, b: Place) => a.index < b.index || (a.index === b.index && a.row < b.row)

/** A place that is there, and from which the screen can be filled. */
const settled = (blocks: Blocks, height: number, place: Place | undefined): Place => {
  const end = endPlace(blocks, height)
  if (place === undefined || blocks.length === 0) return end
  const index = Math.min(Math.max(0, place.index), blocks.length - 1)
  const row = Math.min(Math.max(0, place.row), Math.max(0, blocks.rowsOf(index).length - 1))
  return isBefore({ index, row }, end) ? { index, row } : end
}

export const seen = (blocks: Blocks, height: number, place: Place | undefined): Seen => {
  const top = settled(blocks, height, place)
  const rows: Array<Row> = []
  let { index } = top
  let skipped = top.row
  let rest = 0
  for (; index < blocks.length; index += 1) {
    const all = blocks.rowsOf(index)
    const taken = all.slice(skipped, skipped + height - rows.length)
    rows.push(...taken)
    rest = all.length - skipped - taken.length
    skipped = 0
    if (rows.length >= height) break
  }
  const atEnd = index >= blocks.length || (index === blocks.length - 1 && rest === 0)
  return { rows, top, atStart: top.index === 0 && top.row === 0, atEnd }
}

/** The place `by` rows further down, or up where it is negative; undefined where that is the end. */
export const moved = (
  blocks: Blocks,
  height: number,
  place: Place | undefined,
  by: number
): Place | undefined => {
  if (blocks.length === 0) return undefined
  let { index, row } = settled(blocks, height, place)
  let left = by
  while (left < 0) {
    if (row >= -left) return { index, row: row + left }
    left += row
    if (index === 0) return { index: 0, row: 0 }
    index -= 1
    row = blocks.rowsOf(index).length
  }
  while (left > 0) {
    const below = blocks.rowsOf(index).length - 1 - row
    if (below >= left) {
      row += left
      break
    }
    if (index === blocks.length - 1) return undefined
    left -= below + 1
    index += 1
    row = 0
  }
  const end = endPlace(blocks, height)
  return isBefore({ index, row }, end) ? { index, row } : undefined
}
