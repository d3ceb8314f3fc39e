/** Habits of the house that a pattern can see. */
import type { SourceFile } from "./source.ts"

interface Rule {
  readonly reason: string
  readonly applies: (path: string) => boolean
  readonly pattern: RegExp
}

/** A test is a list of cases, and grows with what it tests. */
const maxLines = (path: string) => (path.includes("/test/") ? 600 : 400)

const always = () => true
const isTest = (path: string) => path.endsWith(".test.ts") || path.endsWith(".test.tsx")

/** Code that lives on Effect's clock. shell/ kills in real time. */
const onEffectClock = (path: string) =>
  /^packages\/(schema|plugin|protocol|core|server)\/src\//.test(path) &&
  !path.startsWith("packages/core/src/shell/")

// In pieces, so that this file does not break its own rules.
const leftovers = ["TO", "DO", "|FIX", "ME", "|XX", "X", "|HA", "CK"].join("")

const rules: ReadonlyArray<Rule> = [
  {
    reason: "use Clock, not the machine's",
    applies: onEffectClock,
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/
  },
  { reason: "use Effect's time, not timers", applies: onEffectClock, pattern: /\bset(Timeout|Interval)\(/ },
  {
    reason: "a test is neither skipped nor alone",
    applies: isTest,
    pattern: /\b(it|test|describe)(\.\w+)*\.(only|skip|todo|failing)\b/
  },
  {
    reason: "unfinished work is an issue, not a comment",
    applies: always,
    pattern: new RegExp(`(//|/?\\*).*\\b(${leftovers})\\b`)
  },
  {
    reason: "name it by what it is",
    applies: always,
    pattern: /\b(class|const) [A-Z]\w*(Manager|Impl|Live|Helpers?|Utils?)\b/
  }
]

const vagueFile = /(^|\/)(helpers?|utils?|index|types|common|misc)\.tsx?$/

const isComment = (line: string) => /^\s*(\/\/|\*|\/\*)/.test(line)

/** What these files have against the house's habits, a line each. */
export const ruleProblems = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> =>
  files.flatMap(({ path, text }) => {
    const lines = text.split("\n")
    const problems: Array<string> = []
    if (vagueFile.test(path) && path !== "scripts/types.ts")
      problems.push(`${path}: name the file by what it holds`)
    const length = lines.length - 1
    if (length > maxLines(path)) problems.push(`${path}: ${length} lines, more than ${maxLines(path)}`)
    for (const { applies, pattern, reason } of rules.filter(({ applies }) => applies(path))) {
      lines.forEach((line, index) => {
        const prose = applies === onEffectClock && isComment(line)
        if (!prose && pattern.test(line)) problems.push(`${path}:${index + 1}: ${reason}: ${line.trim()}`)
      })
    }
    return problems
  })
