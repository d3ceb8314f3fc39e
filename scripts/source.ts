/** The files that the checks read. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** `path` is relative to the root, with `/`. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const places = ["packages/*/{src,test,test-machine,bench}/**/*.{ts,tsx,mjs}", "{scripts,bench}/**/*.{ts,mjs}"]
const passedOver = /\/(node_modules|gen)\//

/** TypeScript and JavaScript of `packages/`, `scripts/` and `bench/`, in the order of their paths. */
export const sourceFiles = (root: string): ReadonlyArray<SourceFile> =>
  places
    .flatMap((place) => [...new Bun.Glob(place).scanSync({ cwd: root })])
    .filter((path) => !passedOver.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
