/** Plugins as a user installs them: packages and files beside the configuration. */
import type { ToolPart } from "@vigil/schema/message"
import type { Rule } from "@vigil/schema/permission"
import type { Session } from "@vigil/schema/session"
import { Effect, Layer } from "effect"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import type { ConfigOverrides } from "../../src/config.ts"
import { Plugins } from "../../src/plugin.ts"
import { Sessions } from "../../src/session.ts"
import { Tools } from "../../src/tool.ts"
import { monitor } from "../../src/tools/monitor.ts"
import { shell } from "../../src/tools/shell.ts"
import { core, idle, newSession, prompt } from "./core.ts"
import { type FakeProcess, FakeShell } from "./fake-shell.ts"
import { Model } from "./model.ts"
import { allowAll } from "./rules.ts"
import { HeldTools } from "./test-tools.ts"

const packageDir = resolve(import.meta.dir, "../../../plugin")

/** What a package manager would have done: `@vigil/plugin` is there, and so are these of its examples. */
export const install = (configDir: string, ...examples: ReadonlyArray<string>) => {
  const modules = join(configDir, "node_modules")
  mkdirSync(join(modules, "@vigil"), { recursive: true })
  symlinkSync(packageDir, join(modules, "@vigil/plugin"))
  for (const example of examples)
    cpSync(join(packageDir, "examples", example), join(modules, `vigil-${example}`), { recursive: true })
}

/** The module that the package's README shows. */
export const readmeExample = () =>
  /```ts\n(.*?)```/su.exec(readFileSync(join(packageDir, "README.md"), "utf8"))![1]!

/** Modules by their paths. */
export const writeModules = (configDir: string, modules: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(modules)) {
    mkdirSync(dirname(join(configDir, path)), { recursive: true })
    writeFileSync(join(configDir, path), text)
  }
}

/** A module whose plugin does this in its setup. */
export const module = (name: string, setup: string) =>
  `export default { name: ${JSON.stringify(name)}, async setup(host) { ${setup} } }\n`

/** Lets the fake operating system pass every trial, by the name of the file. */
export const passTrials = (process: FakeProcess) => {
  const task = /\((\{"source":.*\})\)'$/s.exec(process.command)?.[1]
  if (task === undefined) return
  const { source, from, mark } = JSON.parse(task) as Record<"source" | "from" | "mark", string>
  const verdict = { name: basename(source, ".ts"), file: resolve(from, source) }
  process.print(`${mark}${JSON.stringify(verdict)}${mark}`)
  process.exit({ code: 0 })
}

/**
 * A core whose plugins are these modules, by their names and what their setup does, in this order. Database, bus,
 * inbox, runner and the plugins are real; the model is the test's, and so is time.
 */
export const withPlugins = <A, E, R>(
  setups: Readonly<Record<string, string>>,
  body: Effect.Effect<A, E, R | Plugins | Layer.Success<ReturnType<typeof core>> | HeldTools>,
  config: ConfigOverrides = {}
) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "vigil-plugins-")))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const names = Object.keys(setups)
    for (const name of names) writeModules(folder, { [`${name}.ts`]: module(name, setups[name]!) })
    const plugins = names.map((name) => join(folder, `${name}.ts`))
    const obedient = Layer.effectDiscard(
      FakeShell.use(({ behaviour }) => Effect.sync(() => void (behaviour.onOpen = passTrials)))
    )
    const commands = Layer.effectDiscard(
      Effect.gen(function* () {
        const tools = [yield* shell, yield* monitor]
        yield* (yield* Tools).transform((editor) => tools.forEach(editor.add))
      })
    )
    const layer = Plugins.layer.pipe(
      Layer.provideMerge(obedient),
      Layer.provideMerge(Layer.mergeAll(HeldTools.layer, commands)),
      Layer.provideMerge(core({ plugins, ...config }))
    )
    return yield* Effect.provide(body, layer, { local: true })
  })

export const toolParts = (session: Session) =>
  Sessions.use((sessions) =>
    Effect.map(sessions.messages(session.id), (messages) =>
      messages.flatMap(({ parts }) => parts.filter((part): part is ToolPart => part.type === "tool"))
    )
  )

/** A step that calls these tools. */
export const called = Effect.fnUntraced(function* (
  calls: ReadonlyArray<readonly [string, unknown?]>,
  rules: ReadonlyArray<Rule> = allowAll
) {
  const session = yield* newSession({ rules })
  yield* prompt(session, "Go")
  yield* (yield* (yield* Model).asked).call(...calls)
  return session
})

/** What the model reads of each call, once it does. */
export const results = Effect.fnUntraced(function* (session: Session) {
  yield* (yield* (yield* Model).asked).say("I see")
  yield* idle(session)
  return (yield* toolParts(session)).map(({ status, output }) => `${status}: ${output}`)
})

/** What the plugins' statuses say of them. */
export const problems = Effect.map(
  Plugins.use(({ list }) => list),
  (list) => list.flatMap(({ name, problems }) => problems.map(({ message }) => `${name}: ${message}`))
)
