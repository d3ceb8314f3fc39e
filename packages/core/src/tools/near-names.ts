/** Which existing name was probably meant. */
import { readdir } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { visiblePath } from "../prompt/path.ts"

const maxEntries = 5_000
const maxNames = 3

/**
 * Up to three entries like the missing one, seen from `root`, nearest first. Looks where the path leaves what exists,
 * so for `srx/main.ts` it finds `src`.
 */
export const nearNames = async (real: string, root: string): Promise<ReadonlyArray<string>> => {
  let wanted = real
  while (dirname(wanted) !== wanted) {
    const parent = dirname(wanted)
    const names = await readdir(parent).catch(() => undefined)
    if (names) {
      const outside = relative(root, parent).startsWith("..")
      return nearest(basename(wanted), names.slice(0, maxEntries)).map((name) =>
        visiblePath(outside ? join(parent, name) : relative(root, join(parent, name)))
      )
    }
    wanted = parent
  }
  return []
}

/** The names of `names` like `wanted`, nearest first. */
export const nearest = (wanted: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .map((name) => ({ name, distance: likeness(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 3))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, maxNames)
    .map(({ name }) => name)

/** Another ending is one step away; else the edits between the two. */
const likeness = (wanted: string, name: string): number => {
  if (wanted === name) return 0
  return stem(wanted) === stem(name) ? 1 : editDistance(wanted, name)
}

const stem = (name: string) => name.replace(/(?!^)\.[^.]*$/u, "")

/** Levenshtein's, over UTF-16 units. */
export const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      row.push(Math.min(change, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[b.length]!
}
