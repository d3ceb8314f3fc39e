/** The whole layer graph on one screen. What stands above uses what stands below. */
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { Auth } from "./auth.ts"
import { BackgroundShells } from "./background.ts"
import { Bus } from "./bus.ts"
import { Settings, type SettingsOptions } from "./config.ts"
import { Coordinator, Drain } from "./coordinator.ts"
import { Database, type DatabaseOptions } from "./database.ts"
import { ownStateDirectory } from "./database/owner.ts"
import { Environments } from "./environment.ts"
import { Hooks } from "./hook.ts"
import { Inbox } from "./inbox.ts"
import { Jobs } from "./job.ts"
import { Kv } from "./kv.ts"
import { Monitors } from "./monitor.ts"
import { Permissions } from "./permission.ts"
import { Plugins } from "./plugin.ts"
import { Provider } from "./provider.ts"
import * as Reconcile from "./reconcile.ts"
import * as Runner from "./runner.ts"
import { Steps } from "./runner/step.ts"
import { Sessions } from "./session.ts"
import { Shell } from "./shell.ts"
import { StateDirectory } from "./state.ts"
import { Statuses } from "./status.ts"
import { Tools } from "./tool.ts"
import { Trust } from "./trust.ts"
import { Turns } from "./turn.ts"
import * as BuiltIn from "./tools/built-in.ts"
import { Readings } from "./tools/reading.ts"
import { Window } from "./window.ts"

export interface LiveOptions<Heard = never> extends SettingsOptions {
  /** Where everything is kept. Made if need be, for its user alone. */
  readonly stateDir: string
  /** Whether sessions that an earlier server left owed a turn are woken, which is so unless told otherwise. */
  readonly wakeOwed?: boolean
  /** What listens to the bus: it stands on it, and ends after all that publishes. */
  readonly audience?: Layer.Layer<Heard, never, Bus>
  /** Asked before each statement that writes. For tests. */
  readonly before?: DatabaseOptions["before"]
}

/** Everything that a server is made of. When it stands, what an earlier one left has been brought to its end. */
export const live = <Heard = never>({
  stateDir,
  wakeOwed = true,
  audience = Layer.empty as Layer.Layer<Heard>,
  before,
  ...settings
}: LiveOptions<Heard>) =>
  Reconcile.layer({ wakeOwed }).pipe(
    // What it wakes finds the plugins' tools.
    Layer.provideMerge(Plugins.layer),
    Layer.provideMerge(Runner.layer),
    Layer.provideMerge(Layer.mergeAll(Steps.layer, Window.layer, BuiltIn.layer)),
    Layer.provideMerge(Layer.mergeAll(Statuses.layer, Tools.layer, Hooks.layer, Readings.layer)),
    Layer.provideMerge(Layer.mergeAll(Monitors.layer, BackgroundShells.layer)),
    Layer.provideMerge(Coordinator.layer),
    Layer.provideMerge(Drain.layer),
    // The server ends from above: turns, then jobs, each of which tells its end, then what kills whoever is left.
    Layer.provideMerge(Jobs.layer),
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Environments.layer)),
    Layer.provideMerge(Layer.mergeAll(Sessions.layer, Turns.layer)),
    Layer.provideMerge(provider(settings)),
    Layer.provideMerge(Shell.layer({ stateDir })),
    Layer.provideMerge(Permissions.layer),
    Layer.provideMerge(Layer.provideMerge(audience, Bus.layer)),
    Layer.provideMerge(Settings.layerTrusting(settings)),
    Layer.provideMerge(Layer.mergeAll(Trust.layer, Auth.layer(stateDir))),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layer({ path: join(stateDir, "vigil.db"), ...(before && { before }) })),
    Layer.provideMerge(Layer.effectDiscard(ownStateDirectory(stateDir))),
    Layer.provideMerge(StateDirectory.layer(stateDir))
  )

const provider = ({ env = process.env }: SettingsOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Settings
      const auth = yield* Auth
      const atStart = (yield* settings.user).providers
      // A file that was broken meanwhile changes nothing here; a request says what is wrong with it.
      const providers = (directory: string | undefined) =>
        Effect.orElseSucceed(
          Effect.map(
            directory === undefined ? settings.user : settings.for(directory),
            (config) => config.providers
          ),
          () => atStart
        )
      return Provider.layerWith({ providers, env, stored: auth.keys })
    })
  )
