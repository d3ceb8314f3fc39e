/**
 * The one check: format, lint, imports, rules, spec map, generated files, types and tests.
 *
 *   npm test                      all of it
 *   npm test -- --only lint       one step
 *   npm run test:machine          tests that need tmux, Chromium and curl, which are not run otherwise
 *
 * A line for each step and the whole output of one that fails. The last line stands alone and counts the
 * tests of every package, also those whose result turbo had kept: `N passed, N failed`. The exit code is 1
 * when any step failed.
 */
import { readFileSync } from "node:fs"
import { release } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { importProblems } from "./imports.ts"
import { ruleProblems } from "./rules.ts"
import { sourceFiles, type SourceFile } from "./source.ts"
import { specMapProblems } from "./spec-map.ts"
import { countTests, onlyFailures } from "./turbo-output.ts"

interface Outcome {
  readonly ok: boolean
  readonly output: string
}

interface Step {
  readonly name: string
  readonly run: () => Outcome | Promise<Outcome>
  /** Run only where it is named. */
  readonly asked?: boolean
}

const root = dirname(import.meta.dir)
const running = new Set<Bun.Subprocess>()

/** What tests of real processes depend on besides the sources: turbo keeps their results for each apart. */
const checkedBy = [process.getuid?.(), release(), process.env["PATH"]].join(" ")

/** A script run by this Bun, so that Node's age does not matter. */
const bun =
  (...args: ReadonlyArray<string>) =>
  async (): Promise<Outcome> => {
    // Turbo shapes its output for GitHub when it finds itself there; the counting reads the plain form.
    const { GITHUB_ACTIONS: _, ...env } = process.env
    const child = Bun.spawn([process.execPath, ...args], {
      cwd: root,
      env: {
        ...env,
        CHECKED_BY: checkedBy,
        NO_COLOR: "1",
        TURBO_TELEMETRY_DISABLED: "1",
        DO_NOT_TRACK: "1"
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    running.add(child)
    const [output, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    running.delete(child)
    return { ok: code === 0, output: output + errors }
  }

/** A program of node_modules/.bin. */
const program = (name: string, ...args: ReadonlyArray<string>) =>
  bun("--bun", join(root, "node_modules/.bin", name), ...args)

const turbo = (concurrency: number, ...tasks: ReadonlyArray<string>) =>
  program(
    "turbo",
    "run",
    ...tasks,
    `--concurrency=${concurrency}`,
    "--continue=always",
    "--ui=stream",
    "--log-order=grouped",
    "--log-prefix=task",
    "--no-update-notifier"
  )

const types = async (): Promise<Outcome> => {
  const { ok, output } = await turbo(2, "types", "//#scripts:types")()
  return { ok, output: onlyFailures(output) }
}

let counted = { passed: 0, failed: 0 }

const tests =
  (...tasks: ReadonlyArray<string>) =>
  async (): Promise<Outcome> => {
    const { ok, output } = await turbo(1, ...tasks)()
    const { silent, ...count } = countTests(output)
    counted = { passed: counted.passed + count.passed, failed: counted.failed + count.failed }
    const unfinished = silent.map((task) => `${task} ended before its tests did`)
    return { ok: ok && silent.length === 0, output: [onlyFailures(output), ...unfinished].join("\n") }
  }

let sources: ReadonlyArray<SourceFile> | undefined

const problems = (find: (files: ReadonlyArray<SourceFile>) => ReadonlyArray<string>) => (): Outcome => {
  sources ??= sourceFiles(root)
  const found = find(sources)
  return { ok: found.length === 0, output: found.join("\n") }
}

/** Steps of one row run at once. Types and tests each use every core, so they have a row of their own. */
const steps: ReadonlyArray<ReadonlyArray<Step>> = [
  [
    { name: "format", run: program("oxfmt", "--check") },
    { name: "lint", run: program("oxlint", "--type-aware", "--deny-warnings") },
    { name: "imports", run: problems(importProblems) },
    { name: "rules", run: problems(ruleProblems) },
    {
      name: "spec-map",
      run: problems((files) => specMapProblems(readFileSync(join(root, "docs/spec-map.md"), "utf8"), files))
    },
    { name: "generated", run: bun(join(root, "scripts/generate.ts"), "--check") }
  ],
  [{ name: "types", run: types }],
  [{ name: "tests", run: tests("test", "//#scripts:test") }],
  [{ name: "machine", run: tests("machine-test"), asked: true }]
]

const announce = (step: Step) => {
  if (process.stdout.isTTY) process.stdout.write(`      ${step.name} …`)
}

const tell = (step: Step, outcome: Outcome, started: number) => {
  const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`
  if (process.stdout.isTTY) process.stdout.write("\r\x1b[2K")
  console.log(`${outcome.ok ? "ok  " : "FAIL"}  ${step.name.padEnd(9)} ${seconds.padStart(7)}`)
  if (!outcome.ok) console.log(`\n${outcome.output.trimEnd()}\n`)
}

/** Runs the steps of a row and says which of them failed, in the row's order. */
const runRow = async (row: ReadonlyArray<Step>): Promise<ReadonlyArray<string>> => {
  const [first] = row
  if (first) announce(first)
  const failed: Array<string> = []
  const started = performance.now()
  await Promise.all(
    row.map(async (step) => {
      const outcome = await step.run()
      tell(step, outcome, started)
      if (!outcome.ok) failed.push(step.name)
    })
  )
  return failed
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } })
  const names = steps.flat().map(({ name }) => name)
  const unknown = values.only?.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    console.error(`no step "${unknown}"; there are ${names.join(", ")}`)
    return 2
  }

  const failed: Array<string> = []
  for (const row of steps) {
    const wanted = row.filter(({ name, asked = false }) => values.only?.includes(name) ?? !asked)
    failed.push(...(await runRow(wanted)))
  }
  if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`)
  console.log(`${counted.passed} passed, ${counted.failed} failed`)
  return failed.length > 0 || counted.failed > 0 ? 1 : 0
}

process.on("SIGTERM", () => {
  for (const child of running) child.kill("SIGTERM")
  process.exit(143)
})

process.exitCode = await main()
