/**
 * A plugin's trial: its module is loaded and its setup run in a process of its own, with a host that does nothing.
 *
 * JavaScript that loops without waiting can't be stopped from within its own process. So what does not come to an
 * end there, in time, is killed there and never gets into the server. What it does later, in a handler or a tool,
 * no trial can foresee: a loop in that holds the server up.
 */
import { Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Shell } from "../shell.ts"

export interface TrialOptions {
  /** A path or a package. */
  readonly source: string
  /** Where paths begin and packages are looked for. */
  readonly from: string
  readonly setupMs: number
}

export interface Tried {
  readonly name: string
  /** Absolute. */
  readonly file: string
}

/** It is not run in the server. */
export class PluginFailed extends Schema.TaggedError<PluginFailed>()("PluginFailed", {
  message: Schema.String
}) {}

export const tryPlugin = Effect.fn("tryPlugin")(function* ({ source, from, setupMs }: TrialOptions) {
  const shell = yield* Shell
  const mark = randomUUID()
  const [stdout, stderr] = [newest(maxOutput), newest(maxOutput)]
  const process = yield* shell
    .spawn({
      command: commandOf({ source, from, mark }),
      cwd: from,
      env: environment(),
      onStdout: stdout.push,
      onStderr: stderr.push
    })
    .pipe(Effect.mapError(({ message }) => new PluginFailed({ message })))
  yield* process.open
  const ended = yield* Effect.timeoutOption(process.ended, setupMs)
  if (Option.isNone(ended)) {
    yield* process.stop(0)
    const message = `setup was not through after ${setupMs / 1_000} s on trial: it hangs or loops`
    return yield* new PluginFailed({ message })
  }
  const said = stdout.text().split(mark)[1]
  const verdict = said === undefined ? Option.none() : decodeVerdict(said)
  if (Option.isSome(verdict)) {
    if ("failed" in verdict.value) return yield* new PluginFailed({ message: verdict.value.failed })
    return verdict.value satisfies Tried
  }
  const { exitCode, signal } = ended.value
  const how = signal === undefined ? `exit code ${exitCode ?? "unknown"}` : signal
  const last = stderr.text().trim().slice(-maxQuote)
  const message = `its process ended before setup was through (${how})${last === "" ? "" : `: ${last}`}`
  return yield* new PluginFailed({ message })
}, Effect.scoped)

const maxOutput = 65_536
const maxQuote = 1_000

const Verdict = Schema.Union([
  Schema.Struct({ name: Schema.String, file: Schema.String }),
  Schema.Struct({ failed: Schema.String })
])
const decodeVerdict = Schema.decodeUnknownOption(Schema.fromJsonString(Verdict))

/** What the server sees a plugin sees, on trial too. In an executable of our own, it is told to be Bun. */
const environment = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  ),
  BUN_BE_BUN: "1"
})

/** Nothing is ever downloaded: a package has to be there. */
const commandOf = (task: Task) =>
  ["exec", process.execPath, "--no-install", "-e", `await (${perform.toString()})(${JSON.stringify(task)})`]
    .map((word, index) => (index === 0 ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ")

interface Task {
  readonly source: string
  readonly from: string
  readonly mark: string
}

/** Its text is run in the other process: it uses nothing from around it. */
const perform = async ({ source, from, mark }: Task) => {
  const { writeSync } = await import("node:fs")
  const tell = (verdict: object): never => {
    writeSync(1, `${mark}${JSON.stringify(verdict)}${mark}`)
    process.exit(0)
  }
  try {
    const file = Bun.resolveSync(source, from)
    const plugin = ((await import(file)) as { default?: unknown }).default as any
    if (typeof plugin?.setup !== "function" || typeof plugin.name !== "string")
      throw new Error("its module has no plugin as default export: definePlugin({ name, setup })")
    if (!/^[A-Za-z0-9_-]{1,64}$/u.test(plugin.name))
      throw new Error("its name is not 1 to 64 letters, digits, - and _")
    const nothing = () => {}
    await plugin.setup({
      trial: true,
      tools: {
        transform: (edit: (tools: object) => void) => {
          edit({ add: nothing, remove: nothing, wrap: nothing })
          return nothing
        }
      },
      session: { synthetic: async () => {} },
      on: () => nothing,
      signal: new AbortController().signal,
      log: nothing
    })
    tell({ name: plugin.name, file })
  } catch (error) {
    let failed = "something was thrown that has no text"
    try {
      failed = String((error as Error | undefined)?.message ?? error).slice(0, 2_000)
    } catch {}
    tell({ failed })
  }
}

/** The newest output, as text. */
const newest = (maxBytes: number) => {
  let kept = Buffer.alloc(0)
  return {
    push: (bytes: Uint8Array) => {
      const all = Buffer.concat([kept, bytes])
      kept = Buffer.from(all.subarray(Math.max(0, all.length - maxBytes)))
    },
    text: () => kept.toString("utf8")
  }
}
