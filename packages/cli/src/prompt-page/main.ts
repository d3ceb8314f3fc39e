/**
 * `node scripts/bun.mjs scripts/prompt.ts`: the whole request of a sample session, to be read.
 *
 *   node scripts/bun.mjs scripts/prompt.ts [--format anthropic|openai]    prints it
 *   node scripts/bun.mjs scripts/prompt.ts --write                        writes docs/prompt.md
 *   node scripts/bun.mjs scripts/prompt.ts --check                        fails where docs/prompt.md is another
 */
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Format, promptPage } from "./page.ts"
import { sampleRequest } from "./request.ts"

const file = join(import.meta.dir, "../../../../docs/prompt.md")

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      format: { type: "string", default: "anthropic" },
      write: { type: "boolean", default: false },
      check: { type: "boolean", default: false }
    }
  })
  const { format, write, check } = values
  if (format !== "anthropic" && format !== "openai") throw new Error(`There is no format ${format}`)
  const stored = write || check
  if (stored && format !== "anthropic") throw new Error("docs/prompt.md holds the anthropic format")
  const page = await pageOf(format)
  if (write) writeFileSync(file, page)
  else if (!check) process.stdout.write(page)
  else if (read(file) !== page) {
    console.error(
      "docs/prompt.md is not what a model is sent now: read the change that `node scripts/bun.mjs scripts/prompt.ts --write` makes, and commit it"
    )
    return 1
  }
  return 0
}

const pageOf = async (format: Format) => promptPage(await Effect.runPromise(sampleRequest(format)), format)

const read = (path: string) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(`prompt: ${(error as Error).message}`)
  console.error(
    "Usage: node scripts/bun.mjs scripts/prompt.ts [--format anthropic|openai] [--write | --check]"
  )
  process.exitCode = 2
}
