/**
 * Measures what `figure/` knows how to, each in a process of its own.
 *
 *   npm run bench                           all of it
 *   npm run bench -- --only wake            one figure; name several by repeating it
 *   npm run bench -- --full                 whole lengths: ledgers of a minute and more
 *   npm run bench -- --save before.json     keeps the results
 *   npm run bench -- --compare before.json  tells how much each differs from them
 *
 * A line of JSON for each result as it comes, then a table. Every value stands against a reference that was measured
 * in the same run. The exit code says that all was measured, not that each target was met.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Measured } from "./figure.ts"
import { figures } from "./figures.ts"

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    full: { type: "boolean", default: false },
    save: { type: "string" },
    compare: { type: "string" }
  }
})

/** Its results, told as they come. */
const measure = async (name: string): Promise<ReadonlyArray<Measured>> => {
  const flags = options.full ? ["--full"] : []
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "run.ts"), name, ...flags], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const results: Array<Measured> = []
  let rest = ""
  const utf8 = new TextDecoder()
  for await (const bytes of child.stdout) {
    const lines = (rest + utf8.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      console.log(line)
      results.push(JSON.parse(line) as Measured)
    }
  }
  if ((await child.exited) !== 0) throw new Error(`${name} could not be measured`)
  return results
}

const table = (results: ReadonlyArray<Measured>, before: ReadonlyArray<Measured>): ReadonlyArray<string> => {
  const rows = results.map(({ name, value, unit, reference, ratio, target, met }) => {
    const old = before.find((other) => other.name === name)
    return [
      name,
      `${value} ${unit}`,
      `${reference} ${unit}`,
      `${ratio} ×`,
      target,
      met === undefined ? "" : met ? "met" : "missed",
      ...(before.length > 0 ? [old ? `${(value / old.value).toFixed(2)} × before` : "new"] : [])
    ]
  })
  const head = ["figure", "value", "reference", "ratio", "target", ""]
  const all = [before.length > 0 ? [...head, "compared"] : head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const names = Object.keys(figures)
const unknown = options.only?.find((name) => !names.includes(name))
if (unknown !== undefined) {
  console.error(`There is no figure ${unknown}; there are ${names.join(", ")}`)
  process.exit(2)
}
const before: ReadonlyArray<Measured> =
  options.compare === undefined ? [] : JSON.parse(readFileSync(options.compare, "utf8"))
const results: Array<Measured> = []
const failed: Array<string> = []
for (const name of options.only ?? names) {
  try {
    results.push(...(await measure(name)))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    failed.push(name)
  }
}
if (options.save !== undefined) writeFileSync(options.save, `${JSON.stringify(results, null, 2)}\n`)
console.log("")
for (const row of table(results, before)) console.log(row)
process.exit(failed.length === 0 ? 0 : 1)
