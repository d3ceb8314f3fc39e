/**
 * The generated files: the OpenAPI document, the SDK's client, and the page of what a model is sent.
 *
 *   npm run generate                                       writes them
 *   node scripts/bun.mjs scripts/generate.ts --check       fails where they are not what writing them gives
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import { generatedProblems, regenerate, writeGenerated } from "./generated.ts"

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } })

/** It prints what is to be done by itself. */
const promptPage = (option: "--check" | "--write") =>
  Bun.spawn([process.execPath, join(import.meta.dir, "prompt.ts"), option], {
    stdio: ["ignore", "inherit", "inherit"]
  }).exited

const check = async (): Promise<number> => {
  const [fresh, page] = await Promise.all([regenerate(), promptPage("--check")])
  const problems = generatedProblems(fresh)
  if (problems.length > 0) {
    console.error([...problems, "Never edit these by hand: npm run generate writes them"].join("\n"))
  }
  return problems.length > 0 ? 1 : page
}

const write = async (): Promise<number> => {
  await writeGenerated()
  return promptPage("--write")
}

process.exitCode = await (values.check ? check() : write())
