/** What many runs come to. */

export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1
    ? sorted[Math.floor(middle)]!
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

export const p99 = (values: ReadonlyArray<number>): number => quantile(values, 0.99)

/** Of this process, in ms. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** One after the other, so that what disturbs one disturbs the other too: `runs` results of each. */
export const alternating = async <const Names extends string>(
  runs: number,
  sides: Readonly<Record<Names, (run: number) => Promise<number> | number>>
): Promise<Record<Names, ReadonlyArray<number>>> => {
  const entries = Object.entries(sides) as Array<[Names, (run: number) => Promise<number> | number]>
  const results = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<
    Names,
    number[]
  >
  for (let run = 0; run < runs; run++) {
    for (const [name, side] of entries) results[name].push(await side(run))
  }
  return results
}
