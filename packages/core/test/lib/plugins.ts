/** Plugins as a user installs them: packages and files beside the configuration. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

const packageDir = resolve(import.meta.dir, "../../../plugin")

/** What a package manager would have done: `@vigil/plugin` is there, and so are these of its examples. */
export const install = (configDir: string, ...examples: ReadonlyArray<string>) => {
  const modules = join(configDir, "node_modules")
  mkdirSync(join(modules, "@vigil"), { recursive: true })
  symlinkSync(packageDir, join(modules, "@vigil/plugin"))
  for (const example of examples)
    cpSync(join(packageDir, "examples", example), join(modules, `vigil-${example}`), { recursive: true })
}

/** Modules by their paths. Returns the folder they are in. */
export const writeModules = (configDir: string, modules: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(modules)) {
    mkdirSync(dirname(join(configDir, path)), { recursive: true })
    writeFileSync(join(configDir, path), text)
  }
}

/** A module whose plugin does this in its setup. */
export const module = (name: string, setup: string) =>
  `export default { name: ${JSON.stringify(name)}, async setup(host) { ${setup} } }\n`
