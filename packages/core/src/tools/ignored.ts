/** What `.gitignore` files leave out, as git reads them: the nearest file decides, and in it the last rule. */
import { lstat, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import ignore, { type Ignore } from "ignore"

/** The rules of one directory, on top of those above it. */
export interface Rules {
  readonly directory: string
  readonly own: Ignore
  readonly above: Rules | undefined
}

const maxFileBytes = 256 * 1024
const maxRules = 2_000

/** `.git` is never looked into, whether it is a directory or a work tree's file. */
export const isGit = (name: string): boolean => name === ".git"

/** Whether the rules leave out an entry below their directory; no directory above it may be left out. */
export const isIgnored = (rules: Rules | undefined, path: string, isDirectory: boolean): boolean => {
  for (let level = rules; level; level = level.above) {
    const name = path.slice(level.directory === "/" ? 1 : level.directory.length + 1)
    const { ignored, unignored } = level.own.test(isDirectory ? `${name}/` : name)
    if (ignored || unignored) return ignored
  }
  return false
}

/** The rules that hold in `directory`, given those above. */
export const rulesIn = async (directory: string, above: Rules | undefined): Promise<Rules | undefined> =>
  withRules(directory, await rulesOf(join(directory, ".gitignore")), above)

/**
 * The rules that the repository around `directory` has for it, from its top down. A directory that is
 * itself left out is searched all the same when it is named: then those rules do not hold.
 */
export const rulesAbove = async (directory: string): Promise<Rules | undefined> => {
  const path = await repositoryPath(directory)
  const top = path[0]
  if (top === undefined) return undefined
  let rules = withRules(top, await rulesOf(join(top, ".git", "info", "exclude")), undefined)
  for (const [index, at] of path.entries()) {
    if (index > 0 && isIgnored(rules, at, true)) rules = undefined
    if (at !== directory) rules = await rulesIn(at, rules)
  }
  return rules
}

/** The directories from a repository's top to `directory`; none outside of repositories. */
const repositoryPath = async (directory: string): Promise<ReadonlyArray<string>> => {
  const path = [directory]
  for (let at = directory; ; at = dirname(at)) {
    if (await exists(join(at, ".git"))) return path
    if (dirname(at) === at) return []
    path.unshift(dirname(at))
  }
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false
  )

const rulesOf = async (file: string): Promise<ReadonlyArray<string>> => {
  const stat = await lstat(file).catch(() => undefined)
  if (!stat?.isFile() || stat.size > maxFileBytes) return []
  // Unreadable rules leave nothing out.
  const text = await readFile(file, "utf8").catch(() => "")
  return text
    .replace(/^\ufeff/u, "")
    .split(/\r?\n/u)
    .filter((rule) => rule !== "" && !rule.startsWith("#") && isCheap(rule))
    .slice(0, maxRules)
}

const maxAnyDepth = 2

/**
 * Rules become regular expressions, and a repository may hold hostile ones: each `**` multiplies the ways to try by
 * the depth of the path, so that with six of them one path takes hours. Such a rule leaves nothing out.
 */
const isCheap = (rule: string): boolean =>
  rule.split("/").filter((part) => /^\*{2,}$/u.test(part)).length <= maxAnyDepth

const withRules = (
  directory: string,
  rules: ReadonlyArray<string>,
  above: Rules | undefined
): Rules | undefined =>
  rules.length === 0
    ? above
    : { directory, own: ignore({ allowRelativePaths: true, ignorecase: false }).add(rules), above }
