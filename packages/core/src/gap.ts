/**
 * Places of the log that were left out. Pure.
 *
 * A power cut takes the newest commits, and whoever puts an older copy of the database back takes more. What is gone
 * was told to clients under its places. So each life of a server begins far behind the last place that is known:
 *
 *   1 … 812   (gap)   52,011,306 … 52,012,004   (gap)   98,300,411 …
 *
 * A client that stands in a gap has heard what the database no longer knows.
 */

/** Of the last place before it, and of the last that was left out. */
export type Gap = readonly [from: number, to: number]

/** More than anything that may be lost, in events; and so many that lives of two copies hardly ever meet. */
export const [leastLeap, mostLeap] = [1_000_000, 100_000_000]
/** Older ones are forgotten: who stands there is believed. */
export const maxGaps = 1_000

/** With one more from `last` on; in which nothing was told since the newest gap, that one grows. */
export const withGap = (gaps: ReadonlyArray<Gap>, last: number, leap: number): ReadonlyArray<Gap> => {
  const newest = gaps.at(-1)
  return newest?.[1] === last
    ? [...gaps.slice(0, -1), [newest[0], last + leap]]
    : [...gaps, [last, last + leap] as const].slice(-maxGaps)
}

export const isInGap = (gaps: ReadonlyArray<Gap>, place: number): boolean =>
  gaps.some(([from, to]) => place > from && place < to)

/** Behind which the newest `count` places up to `last` are; below 1 where there are no more than that. */
export const placeBefore = (gaps: ReadonlyArray<Gap>, last: number, count: number): number => {
  let [place, left] = [last, count]
  for (const [from, to] of gaps.toReversed()) {
    if (place - to >= left) break
    left -= place - to
    place = from
  }
  return place - left
}
