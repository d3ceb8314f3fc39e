/** The files that are made from the contract, and whether those that are committed are these. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dir)
export const openapiFile = "packages/protocol/openapi.json"
export const clientFolder = "packages/sdk/src/gen"

/** Text by path, relative to the root. */
export type Files = ReadonlyMap<string, string>

/** Makes them in a place of their own: the document from the contract, then the client from this document. */
export const regenerate = async (): Promise<Files> => {
  const place = mkdtempSync(join(tmpdir(), "vigil-generated-"))
  try {
    await write(join(place, openapiFile), join(place, clientFolder))
    return filesIn(place)
  } finally {
    rmSync(place, { recursive: true })
  }
}

/** Writes them where they are committed. */
export const writeGenerated = () => write(join(root, openapiFile), join(root, clientFolder))

/** What stands below `base` that regenerating would change, a line each. */
export const generatedProblems = (fresh: Files, base = root): ReadonlyArray<string> => {
  const committed = filesIn(base)
  return [...new Set([...fresh.keys(), ...committed.keys()])].toSorted().flatMap((path) => {
    const [was, is] = [committed.get(path), fresh.get(path)]
    if (was === is) return []
    if (was === undefined) return [`${path} is missing`]
    if (is === undefined) return [`${path} is not generated any more`]
    return [`${path}:${firstChange(was, is)} is not what the contract gives`]
  })
}

const write = async (document: string, client: string): Promise<void> => {
  await run("packages/protocol/src/generate.ts", document)
  await run("packages/sdk/codegen/generate.ts", document, client)
}

const run = async (script: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const child = Bun.spawn([process.execPath, join(root, script), ...args], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  if (code !== 0) throw new Error(`${script} failed:\n${output}${errors}`)
}

const filesIn = (base: string): Files => {
  const client = join(base, clientFolder)
  const paths = existsSync(client)
    ? readdirSync(client, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(base.length + 1))
    : []
  return new Map(
    [openapiFile, ...paths]
      .filter((path) => existsSync(join(base, path)))
      .map((path) => [path, readFileSync(join(base, path), "utf8")])
  )
}

/** The line where two texts part, from 1. */
const firstChange = (a: string, b: string): number => {
  const [left, right] = [a.split("\n"), b.split("\n")]
  return left.findIndex((line, index) => line !== right[index]) + 1 || left.length
}
