/** How many tests passed and failed, read from what turbo printed, ran or replayed. */

const summary = /^(\S+test): +(\d+) (pass|fail)$/

/** The sums of Bun's summaries; of each task the last one counts. */
export const countTests = (output: string): { readonly passed: number; readonly failed: number } => {
  const passed = new Map<string, number>()
  const failed = new Map<string, number>()
  for (const line of output.split("\n")) {
    const [, task, count, outcome] = summary.exec(line.trimEnd()) ?? []
    if (task !== undefined) (outcome === "pass" ? passed : failed).set(task, Number(count))
  }
  const sum = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((total, count) => total + count, 0)
  return { passed: sum(passed), failed: sum(failed) }
}
