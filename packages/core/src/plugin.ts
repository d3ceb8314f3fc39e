/**
 * Plugins: each is tried, loaded, and given a host; what it has brought goes with its scope.
 *
 *   named ── trial passed ──▶ setup in the server ── through ──▶ loaded ── unload ──▶ gone
 *                │                    │ throws, or takes too long   │
 *                ▼                    ▼                             ▼ a later one has its name
 *             failed ◀────────────────┴─────────────────────────────┘
 *
 * The server starts whatever becomes of them.
 */
import type { Plugin } from "@vigil/plugin/plugin"
import type { ConfigInvalid } from "@vigil/schema/config"
import { PluginNotFound, type PluginStatus } from "@vigil/schema/plugin"
import { Context, Effect, Exit, Layer, Result, Scope, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import { dirname } from "node:path"
import { Settings } from "./config.ts"
import { foreignWithin } from "./hook/foreign.ts"
import { admitGuest, Problems } from "./plugin/guest.ts"
import { hosting } from "./plugin/host.ts"
import { tellStrays } from "./plugin/stray.ts"
import { PluginFailed, type Tried, tryPlugin } from "./plugin/trial.ts"
import { Shell } from "./shell.ts"

/** Trials at once: each is a process that may use all of a core. */
const maxTrials = 2

export class Plugins extends Context.Service<
  Plugins,
  {
    /** All that the user's configuration named when the server started, in its order. */
    readonly list: Effect.Effect<ReadonlyArray<PluginStatus>>
    /** By its name, or as the configuration names it. When it returns, nothing of it is left. */
    unload(name: string): Effect.Effect<void, PluginNotFound>
    /** Loads it anew, from what its module says now. Modules that this imports are as they were. */
    reload(name: string): Effect.Effect<PluginStatus, PluginNotFound | ConfigInvalid>
  }
>()("core/Plugins") {
  static readonly layer = Layer.effect(
    Plugins,
    Effect.gen(function* () {
      const settings = yield* Settings
      const shell = yield* Shell
      const hostFor = yield* hosting
      const house = yield* Effect.scope
      const oneAtATime = yield* Semaphore.make(1)
      const entries = new Map<string, Entry>()
      // Also of those that have left: what they started by themselves may have stayed.
      const suspects = new Map<string, (message: string) => void>()

      const trial = Effect.fnUntraced(function* (source: string) {
        const { setupMs } = (yield* settings.user).plugin
        return yield* Effect.result(
          tryPlugin({ source, from: dirname(settings.userFile), setupMs }).pipe(
            Effect.provideService(Shell, shell)
          )
        )
      })

      /** After its trial. */
      const enter = Effect.fnUntraced(function* (entry: Entry, tried: Result.Result<Tried, PluginFailed>) {
        if (Result.isFailure(tried)) return yield* fail(entry, tried.failure.message)
        entry.name = tried.success.name
        entry.file = tried.success.file
        const scope = yield* Scope.fork(house)
        const begun = yield* begin(entry, tried.success).pipe(Scope.provide(scope), Effect.exit)
        if (Exit.isFailure(begun)) {
          yield* Scope.close(scope, begun)
          const failure = Exit.findErrorOption(begun)
          return yield* fail(entry, failure._tag === "Some" ? failure.value.message : "it was interrupted")
        }
        entry.scope = scope
        entry.reason = undefined
        for (const other of entries.values()) {
          if (other === entry || other.scope === undefined || other.name !== entry.name) continue
          yield* leave(other)
          yield* fail(other, `another plugin of its name was loaded after it: ${entry.source}`)
        }
      })

      const begin = Effect.fnUntraced(function* ({ problems, again }: Entry, { name, file }: Tried) {
        const limits = (yield* settings.user).plugin
        const guest = yield* admitGuest(name, limits, problems)
        suspects.set(file, guest.problem)
        // What was loaded under a name is there as long as the process.
        const module = again ? `${file}?reloaded=${randomUUID()}` : file
        const plugin = yield* foreignWithin(limits.setupMs, async () => pluginIn(await import(module)))
        const host = yield* hostFor(guest)
        yield* foreignWithin(limits.setupMs, () => plugin.setup(host))
      })

      const fail = (entry: Entry, reason: string) =>
        Effect.andThen(
          Effect.sync(() => void (entry.reason = reason)),
          Effect.logError(`The plugin ${entry.source} is not loaded: ${reason}`)
        )

      const leave = (entry: Entry) =>
        Effect.suspend(() => {
          const { scope } = entry
          entry.scope = undefined
          return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
        })

      const find = (name: string) =>
        Effect.suspend(() => {
          const all = [...entries.values()]
          const found =
            all.find((entry) => entry.name === name && entry.scope !== undefined) ??
            all.find((entry) => entry.name === name || entry.source === name)
          return found ? Effect.succeed(found) : Effect.fail(new PluginNotFound({ name }))
        })

      const unload = Effect.fn("Plugins.unload")(
        function* (name: string) {
          const entry = yield* find(name)
          entries.delete(entry.source)
          yield* leave(entry)
        },
        (effect) => oneAtATime.withPermit(effect)
      )

      const reload = Effect.fn("Plugins.reload")(
        function* (name: string) {
          const entry = yield* find(name)
          yield* leave(entry)
          entry.problems = new Problems()
          entry.again = true
          yield* enter(entry, yield* trial(entry.source))
          return statusOf(entry)
        },
        (effect) => oneAtATime.withPermit(effect)
      )

      const { plugins } = yield* settings.user
      for (const source of plugins) entries.set(source, { source, problems: new Problems(), again: false })
      const named = [...entries.values()]
      if (named.length > 0) yield* tellStrays(suspects)
      const tried = yield* Effect.forEach(named, ({ source }) => trial(source), { concurrency: maxTrials })
      for (const [index, entry] of named.entries()) yield* enter(entry, tried[index]!)

      return Plugins.of({ list: Effect.sync(() => [...entries.values()].map(statusOf)), unload, reload })
    })
  )
}

/** A plugin that was named. It is loaded while it has a scope. */
interface Entry {
  readonly source: string
  problems: Problems
  /** Its module may be another one than when it was first loaded. */
  again: boolean
  name?: string
  file?: string
  scope?: Scope.Closeable | undefined
  reason?: string | undefined
}

const statusOf = ({ source, name, file, scope, reason, problems }: Entry): PluginStatus => ({
  source,
  ...(name !== undefined && { name }),
  ...(file !== undefined && { file }),
  ...(scope === undefined
    ? { status: "failed", reason: reason ?? "it is being loaded" }
    : { status: "loaded" }),
  problems: problems.list
})

const pluginIn = (module: { readonly default?: unknown }): Plugin => {
  const plugin = module.default as Partial<Plugin> | undefined
  if (typeof plugin?.setup !== "function") throw new Error("its module has no plugin")
  return plugin as Plugin
}
