/** Everything but the operating system and the model: real SQLite, bus, inbox, coordinator and runner, under virtual time. */
import type { Event, EventType } from "@vigil/schema/event-manifest"
import type { Synthetic } from "@vigil/schema/input"
import type { Session, SessionDraft } from "@vigil/schema/session"
import type { Turn } from "@vigil/schema/turn"
import { Effect, Layer, Option, Stream } from "effect"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BackgroundShells } from "../../src/background.ts"
import { Bus } from "../../src/bus.ts"
import { type ConfigOverrides, Settings } from "../../src/config.ts"
import { Coordinator, Drain } from "../../src/coordinator.ts"
import { Database } from "../../src/database.ts"
import { Hooks } from "../../src/hook.ts"
import { Environments } from "../../src/environment.ts"
import { Inbox } from "../../src/inbox.ts"
import { Jobs } from "../../src/job.ts"
import { Kv } from "../../src/kv.ts"
import { Monitors } from "../../src/monitor.ts"
import { Permissions } from "../../src/permission.ts"
import { Provider } from "../../src/provider.ts"
import * as Runner from "../../src/runner.ts"
import { Steps } from "../../src/runner/step.ts"
import { Sessions } from "../../src/session.ts"
import { StateDirectory } from "../../src/state.ts"
import { Statuses } from "../../src/status.ts"
import { Tools } from "../../src/tool.ts"
import { Window } from "../../src/window.ts"
import { Turns } from "../../src/turn.ts"
import { FakeShell } from "./fake-shell.ts"
import { Model } from "./model.ts"

/** The database, and what stands on nothing else. */
export const storage = (config: ConfigOverrides = {}) =>
  Sessions.layer.pipe(
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layerTest),
    Layer.provideMerge(Settings.layerTest(config)),
    Layer.provideMerge(stateDirectory)
  )

/** Up to the coordinator; what a wake does is for the test to provide. */
export const coordination = (config: ConfigOverrides = {}) =>
  Coordinator.layer.pipe(
    Layer.provideMerge(Drain.layer),
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Environments.layer, Turns.layer)),
    Layer.provideMerge(storage(config))
  )

/** With the runner and a model that the test drives. Commands run on a fake operating system. */
export const core = (config: ConfigOverrides = {}) => coreWith(Settings.layerTest(withModel(config)))

export const withModel = (config: ConfigOverrides): ConfigOverrides => ({ model: "test/model", ...config })

export const coreWith = <E>(settings: Layer.Layer<Settings, E>) => coreOn(Model.layer, settings)

/** The same on another model than the one that a test drives by hand. */
export const coreOn = <A, E>(model: Layer.Layer<A | Provider>, settings: Layer.Layer<Settings, E>) =>
  Runner.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Steps.layer, Window.layer)),
    Layer.provideMerge(Layer.mergeAll(Statuses.layer, Tools.layer, Hooks.layer)),
    Layer.provideMerge(Layer.mergeAll(Monitors.layer, BackgroundShells.layer)),
    Layer.provideMerge(Coordinator.layer),
    Layer.provideMerge(Drain.layer),
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Environments.layer, Turns.layer)),
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(model),
    Layer.provideMerge(FakeShell.layer),
    Layer.provideMerge(Permissions.layer),
    Layer.provideMerge(Jobs.layer),
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(Database.layerTest),
    Layer.provideMerge(settings),
    Layer.provideMerge(stateDirectory)
  )

const stateDirectory = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-state-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    ),
    (path) => StateDirectory.layer(path)
  )
)

export const directory = realpathSync(tmpdir())

export const newSession = (draft: Partial<SessionDraft> = {}) =>
  Sessions.use((sessions) => Effect.orDie(sessions.create({ directory, ...draft })))

/** All that was told so far, of one kind or of every kind. */
export const told = <Type extends EventType = EventType>(...types: ReadonlyArray<Type>) =>
  Bus.use((bus) =>
    Effect.gen(function* () {
      const head = yield* bus.head
      if (head === 0) return []
      const events = yield* bus.follow(0).pipe(
        Stream.takeUntil(({ seq }) => seq >= head),
        Stream.runCollect,
        Effect.orDie
      )
      return events.filter(
        (event): event is Extract<Event, { type: Type }> =>
          types.length === 0 || types.includes(event.type as Type)
      )
    })
  )

/** The first event of a kind behind that place, once it comes. */
export const next = <Type extends EventType>(
  type: Type,
  after = 0,
  matches: (event: Extract<Event, { type: Type }>) => boolean = () => true
) =>
  Bus.use((bus) =>
    bus.follow(after).pipe(
      Stream.filter((event): event is Extract<Event, { type: Type }> => event.type === type),
      Stream.filter(matches),
      Stream.runHead,
      Effect.orDie,
      Effect.map(Option.getOrThrow)
    )
  )

export const turnsEnded = Effect.map(told("turn.ended"), (events) =>
  events.map(({ data }): Turn => data.turn)
)

export const lines = (id: string, ...said: ReadonlyArray<string>): Synthetic => ({
  type: "lines",
  source: { id, description: id },
  lines: said
})

export const notice = (id: string, text = "exited with code 0"): Synthetic => ({
  type: "notice",
  source: { id, description: id },
  text
})

/** Tells a session of a monitor's event and wakes it, as a monitor does. */
export const tell = (session: Session, payload: Synthetic, delivery: "steer" | "queue" = "steer") =>
  Coordinator.use((coordinator) =>
    Effect.orDie(coordinator.synthetic(session.id, { origin: "monitor", payload, delivery }))
  )

export const prompt = (session: Session, text: string, delivery: "steer" | "queue" = "steer") =>
  Coordinator.use((coordinator) => Effect.orDie(coordinator.prompt(session.id, { text, delivery })))

export const idle = (session: Session) => Coordinator.use((coordinator) => coordinator.awaitIdle(session.id))

/** Roles and what they said, the parts of an answer joined. */
export const transcript = (session: Session) =>
  Sessions.use((sessions) =>
    Effect.map(sessions.messages(session.id), (messages) =>
      messages.map(({ message, parts }) => {
        if (message.role === "user") return `user: ${message.payload.text}`
        if (message.role === "event") {
          const { payload } = message
          return `event: ${payload.type === "lines" ? payload.lines.join(",") : "text" in payload ? payload.text : payload.type}`
        }
        if (message.role === "summary") return `summary: ${message.text}`
        const said = parts.map((part) =>
          part.type === "tool" ? `${part.name}=${part.status}:${part.output}` : part.text
        )
        return `${message.status}: ${said.join(" ")}`
      })
    )
  )
