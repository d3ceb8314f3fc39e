/**
 * Monitors on a fake operating system, under virtual time; database, bus, inbox and coordinator are the real ones.
 *
 * Behind every test the books are checked: in every record and in every event that was told, each line is in
 * exactly one place.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Event } from "@vigil/schema/event-manifest"
import type { Input } from "@vigil/schema/input"
import type { Ledger, Monitor } from "@vigil/schema/monitor"
import type { Rule } from "@vigil/schema/permission"
import type { Session, SessionId } from "@vigil/schema/session"
import { TurnId } from "@vigil/schema/turn"
import { newId } from "@vigil/schema/id"
import { expect } from "bun:test"
import { Context, Effect, Exit, Layer, Logger, Option, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { BackgroundShells } from "../../src/background.ts"
import { Bus } from "../../src/bus.ts"
import { type ConfigOverrides, Settings } from "../../src/config.ts"
import { Coordinator, Drain } from "../../src/coordinator.ts"
import { Database, type DatabaseOptions } from "../../src/database.ts"
import { Environments } from "../../src/environment.ts"
import { Inbox } from "../../src/inbox.ts"
import { Jobs } from "../../src/job.ts"
import { Kv } from "../../src/kv.ts"
import { Monitors, type StartOptions } from "../../src/monitor.ts"
import { Permissions } from "../../src/permission.ts"
import { Sessions } from "../../src/session.ts"
import { Shell } from "../../src/shell.ts"
import { StateDirectory } from "../../src/state.ts"
import { Turns } from "../../src/turn.ts"
import { testEffect } from "./effect.ts"
import { FakeShell } from "./fake-shell.ts"

/** Sessions that were woken, in order. Nothing is read unless a test does it. */
export class Wakes extends Context.Service<
  Wakes,
  {
    readonly sessions: Array<SessionId>
    /** What a turn does. */
    turn: (sessionID: SessionId) => Effect.Effect<void>
  }
>()("test/Wakes") {
  static readonly layer = Layer.sync(Wakes, () => Wakes.of({ sessions: [], turn: () => Effect.void }))
}

/** Makes what is not written there fail, as a full disk would. */
export class Faults extends Context.Service<Faults, { failsOn: RegExp | undefined }>()("test/Faults") {
  static readonly layer = Layer.sync(Faults, () => Faults.of({ failsOn: undefined }))
}

const drain = Layer.effect(
  Drain,
  Effect.map(Wakes, (wakes) =>
    Drain.of({
      provide: () => Effect.void,
      run: ({ sessionID }) =>
        Effect.suspend(() => {
          wakes.sessions.push(sessionID)
          return Effect.as(wakes.turn(sessionID), {})
        })
    })
  )
)

const storage = Layer.unwrap(
  Effect.gen(function* () {
    const faults = yield* Faults
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-watching-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const before: DatabaseOptions["before"] = (sql) => {
      if (faults.failsOn?.test(sql)) throw new Error("disk I/O error")
    }
    return Layer.merge(
      StateDirectory.layer(folder),
      Database.layer({ path: join(folder, "vigil.db"), before })
    )
  })
)

/** What outlives a server. */
export const ground = (config: ConfigOverrides = {}) =>
  Kv.layer.pipe(
    Layer.provideMerge(storage),
    Layer.provideMerge(Layer.mergeAll(Settings.layerTest(config), Wakes.layer, Faults.layer))
  )

/** A server on whatever operating system there is. */
const onShell = Layer.mergeAll(Monitors.layer, BackgroundShells.layer).pipe(
  Layer.provideMerge(Coordinator.layer),
  Layer.provideMerge(drain),
  Layer.provideMerge(Jobs.layer),
  Layer.provideMerge(Layer.mergeAll(Inbox.layer, Environments.layer, Turns.layer)),
  Layer.provideMerge(Sessions.layer),
  Layer.provideMerge(Permissions.layer),
  Layer.provideMerge(Bus.layer)
)

export const server = Layer.provideMerge(onShell, FakeShell.layer)

/** On the real one. */
export const realServer = (config: ConfigOverrides = {}) =>
  onShell.pipe(
    Layer.provideMerge(
      Layer.unwrap(Effect.map(StateDirectory, ({ path }) => Shell.layer({ stateDir: path })))
    ),
    Layer.provideMerge(ground(config))
  )

const watchingLayer = (config: ConfigOverrides) => Layer.provideMerge(server, ground(config))

type World = Layer.Success<ReturnType<typeof watchingLayer>>

/** Tests of this configuration, and of what stands on it, with the books checked behind each. */
export const watching = <R = never>(config: ConfigOverrides = {}, more?: Layer.Layer<R, never, World>) => {
  const world = watchingLayer(config)
  const it = testEffect(Layer.provideMerge(more ?? (Layer.empty as Layer.Layer<R>), world))
  return {
    effect: <A, E>(name: string, body: Effect.Effect<A, E, R | World | Scope.Scope>) =>
      it.effect(
        name,
        Effect.suspend(() => {
          const logs: Array<unknown> = []
          const logger = Logger.make(({ message, cause }) => void logs.push(message, cause))
          return Effect.andThen(body, balanced).pipe(
            Effect.onError(() => Effect.sync(() => console.error(...logs))),
            Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
          )
        })
      )
  }
}

/** Everything that was told so far. */
export const told = Effect.gen(function* () {
  const { sql } = yield* Database
  const rows = yield* sql<{ type: string; data: string }>`SELECT type, data FROM event ORDER BY seq`
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }) as Event)
})

/** The kinds of what was told of monitors, without their prefix. */
export const story = Effect.map(told, (events) =>
  events.flatMap(({ type }) => (type.startsWith("monitor.") ? [type.slice("monitor.".length)] : []))
)

/** Each line that was ever told of is in exactly one place. */
export const balanced = Effect.gen(function* () {
  const kv = yield* Kv
  const ledgers: Array<Ledger> = []
  const look = (_: string, value: unknown) => {
    if (typeof value === "object" && value !== null && "linesRead" in value) ledgers.push(value as Ledger)
    return value
  }
  const { sql } = yield* Database
  for (const { data } of yield* sql<{ data: string }>`SELECT data FROM event`) JSON.parse(data, look)
  for (const { value } of yield* kv.scan("monitor/")) JSON.parse(JSON.stringify(value), look)
  for (const ledger of ledgers) {
    const { linesRead, linesDelivered, linesSuppressed, linesPending } = ledger
    expect(linesDelivered + linesSuppressed + linesPending).toBe(linesRead)
    for (const count of Object.values<number>({ ...ledger })) expect(count).toBeGreaterThanOrEqual(0)
  }
})

/** The next event of this type, or the first one that was told. */
export const until = <Type extends Event["type"]>(
  type: Type,
  matches: (event: Extract<Event, { type: Type }>) => boolean = () => true
) =>
  Effect.gen(function* () {
    const bus = yield* Bus
    const found = yield* bus.follow(0).pipe(
      Stream.filter((event): event is Extract<Event, { type: Type }> => event.type === type),
      Stream.filter(matches),
      Stream.runHead
    )
    return Option.getOrThrow(found)
  })

/** Lets everything run that does not wait for time. */
export const settle = Effect.gen(function* () {
  for (let turn = 0; turn < 5; turn++)
    yield* Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))
})

/** Lets time pass, and what is due then happen. */
export const pass = (ms: number) => settle.pipe(Effect.andThen(TestClock.adjust(ms)), Effect.andThen(settle))

export const allowed: ReadonlyArray<Rule> = [{ action: "*", pattern: "*", effect: "allow" }]

/** A session whose commands are all allowed, unless told otherwise. */
export const newSession = (rules: ReadonlyArray<Rule> = allowed, draft: Partial<Session> = {}) =>
  Sessions.use((sessions) => Effect.orDie(sessions.create({ directory: tmpdir(), rules, ...draft })))

export const draft: StartOptions = { command: "watch", description: "news", startedBy: "agent" }

export const start = (session: Session, options: Partial<StartOptions> = {}) =>
  Monitors.use((monitors) => monitors.start(session.id, { ...draft, ...options }))

/** A monitor of a new session, with its process. */
export const started = Effect.fnUntraced(function* (options: Partial<StartOptions> = {}) {
  const session = yield* newSession()
  const monitor = yield* start(session, options)
  const process = yield* (yield* FakeShell).next
  yield* settle
  return { session, monitor, process }
})

/** As it is now. */
export const current = ({ sessionID, id }: Pick<Monitor, "sessionID" | "id">) =>
  Monitors.use((monitors) => Effect.orDie(monitors.get(sessionID, id)))

export const unread = (session: Pick<Session, "id">) => Inbox.use((inbox) => inbox.pending(session.id))

/** What waits, as lines or as the text of a notice. */
export const waiting = (session: Pick<Session, "id">) =>
  Effect.map(unread(session), (rows) => rows.map(textOf))

const textOf = ({ payload }: Input): string =>
  payload.type === "lines"
    ? payload.lines.join("\n")
    : payload.type === "counts"
      ? `counts ${payload.suppressed.map(({ lines }) => lines).join(" ")}`
      : payload.text

/** Reads all that waits, as a turn does. */
export const readAll = Effect.fnUntraced(function* (session: Pick<Session, "id">) {
  const inbox = yield* Inbox
  return yield* inbox.promote(TurnId.make(newId("trn")), yield* inbox.pending(session.id))
})

/** How often sessions were woken. */
export const wakes = Effect.map(Wakes, ({ sessions }) => sessions.length)

/** The error's tag, or `none`. */
export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isSuccess(exit)
      ? "none"
      : Option.match(Exit.findErrorOption(exit), { onNone: () => "defect", onSome: ({ _tag }) => _tag })
  )
