/** The files below a directory, in order of their paths, without what git leaves out. */
import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Stream } from "effect"
import { ToolFailed } from "../tool.ts"
import { errorCode, refusal } from "./file-error.ts"
import { isGit, isIgnored, type Rules, rulesAbove, rulesIn } from "./ignored.ts"

export interface Walked {
  /** Absolute. */
  readonly path: string
  /** Seen from where the walk began. */
  readonly name: string
  /** Not followed: what it leads to may lie anywhere. */
  readonly isLink: boolean
}

const batchSize = 128
/** Deeper than people nest, and shallow enough for every rule to be cheap. */
const maxDepth = 64

/** Batches of files. Links are not followed; directories that may not be read are passed over. */
export const walk = (root: string, shown: string): Stream.Stream<ReadonlyArray<Walked>, ToolFailed> =>
  Stream.fromAsyncIterable(batches(root), (error) => refusal(error, shown))

async function* batches(root: string): AsyncGenerator<ReadonlyArray<Walked>> {
  let batch: Array<Walked> = []
  const open: Array<{ path: string; name: string; depth: number; rules: Rules | undefined }> = [
    { path: root, name: "", depth: 0, rules: await rulesAbove(root) }
  ]
  for (let directory = open.pop(); directory; directory = open.pop()) {
    const entries = await entriesOf(directory.path, directory.depth === 0)
    const rules = entries.some((entry) => entry.name === ".gitignore")
      ? await rulesIn(directory.path, directory.rules)
      : directory.rules
    const below: typeof open = []
    for (const entry of entries.toSorted(byName)) {
      const path = join(directory.path, entry.name)
      const isDirectory = entry.isDirectory()
      if (isGit(entry.name) || isIgnored(rules, path, isDirectory)) continue
      const name = directory.name === "" ? entry.name : `${directory.name}/${entry.name}`
      const depth = directory.depth + 1
      if (isDirectory && depth <= maxDepth) below.push({ path, name, depth, rules })
      if (entry.isFile() || entry.isSymbolicLink()) batch.push({ path, name, isLink: entry.isSymbolicLink() })
      if (batch.length === batchSize) {
        yield batch
        batch = []
      }
    }
    open.push(...below.toReversed())
  }
  if (batch.length > 0) yield batch
}

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1)

const passable = new Set(["EACCES", "EPERM", "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"])

const entriesOf = async (path: string, isRoot: boolean): Promise<Array<Dirent>> => {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    if (isRoot || !passable.has(errorCode(error) ?? "")) throw error
    return []
  }
}
