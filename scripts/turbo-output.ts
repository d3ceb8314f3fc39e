/** What turbo's plain output says of the tasks it ran or replayed: one line each, behind the task's name. */

interface TestCount {
  readonly passed: number
  readonly failed: number
  /** Tasks that ended before their tests did: they gave no summary. */
  readonly silent: ReadonlyArray<string>
}

const taskLine = /^(\S+):(\S+): (.*)$/
const summary = /^ *(\d+) (pass|fail)$/
const failedTasks = /^ ?Failed: +(.+)$/m

interface TaskLine {
  readonly line: string
  /** As in `@vigil/core#test`; none for turbo's own lines. */
  readonly task: string | undefined
  readonly text: string
}

const read = (line: string): TaskLine => {
  const [, owner, name, text] = taskLine.exec(line) ?? []
  // A root task is announced as //:scripts:test, and called //#scripts:test.
  const task = owner?.startsWith("//:") ? `//#${owner.slice(3)}:${name}` : `${owner}#${name}`
  return owner === undefined ? { line, task: undefined, text: line } : { line, task, text: text ?? "" }
}

/** The sums of the summaries that `bun test` prints. The last one of a task counts: a test may print anything before. */
export const countTests = (output: string): TestCount => {
  const passed = new Map<string, number>()
  const failed = new Map<string, number>()
  const silent = new Set<string>()
  for (const { task, text } of output.split("\n").map(read)) {
    if (task === undefined || !task.endsWith("test")) continue
    const [, count, outcome] = summary.exec(text.trimEnd()) ?? []
    if (count !== undefined) (outcome === "pass" ? passed : failed).set(task, Number(count))
    if (text.startsWith("cache ")) silent.add(task)
    if (count !== undefined || text.startsWith("No tests found!")) silent.delete(task)
  }
  const sum = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((total, count) => total + count, 0)
  return { passed: sum(passed), failed: sum(failed), silent: [...silent] }
}

/** The lines of the tasks that failed and what turbo says itself, or everything when turbo names no task. */
export const onlyFailures = (output: string): string => {
  const names = failedTasks.exec(output)?.[1]?.split(", ")
  if (names === undefined) return output
  const lines = output.split("\n").map(read)
  return lines
    .filter(({ task }) => task === undefined || names.includes(task))
    .map(({ line }) => line)
    .join("\n")
}
