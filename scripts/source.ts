/** The files that the checks read. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** `path` is relative to the root, with `/`. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const folders = /^(packages\/[^/]+\/(src|test|bench)|scripts)\//
const passedOver = /(^|\/)(node_modules|gen|dist|\.turbo)\//

/** TypeScript and JavaScript of `packages/` and `scripts/`, in the order of their paths. */
export const sourceFiles = (root: string): ReadonlyArray<SourceFile> =>
  [...new Bun.Glob("{packages/*/{src,test,bench},scripts}/**/*.{ts,tsx,mjs}").scanSync({ cwd: root })]
    .filter((path) => folders.test(path) && !passedOver.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/** The names of the folders under `packages/`. */
export const packageNames = (root: string): ReadonlyArray<string> =>
  readdirSync(join(root, "packages")).toSorted()
