/** What a session's client sent for its commands: they have it, and nobody else sees it. */
import type { Session } from "@vigil/schema/session"
import { expect } from "bun:test"
import { Effect, Option } from "effect"
import { BackgroundShells } from "../src/background.ts"
import { Settings } from "../src/config.ts"
import { Database } from "../src/database.ts"
import { Environments } from "../src/environment.ts"
import { Kv } from "../src/kv.ts"
import { Sessions } from "../src/session.ts"
import { core, told } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import { logs } from "./lib/stored.ts"
import { newSession, start } from "./lib/watching.ts"

const it = testEffect(
  core({
    providers: { mine: { apiKeyEnv: "MINE_KEY", format: "openai-compatible", baseUrl: "http://127.0.0.1" } }
  })
)

const sent = {
  PATH: "/client/bin",
  TEA: "green",
  ANTHROPIC_API_KEY: "secret-1",
  MINE_KEY: "secret-2",
  VIGIL_TOKEN: "secret-3"
}
const without = { PATH: "/client/bin", TEA: "green" }

const kept = Effect.gen(function* () {
  const session = yield* newSession()
  yield* (yield* Environments).keep(session, sent)
  return session
})
const stored = (session: Session) => Kv.use((kv) => kv.get(`environment/${session.id}`))
const of = (session: Session) =>
  Effect.gen(function* () {
    const config = yield* (yield* Settings).for(session.directory)
    return yield* (yield* Environments).of(session, config)
  })

it.effect(
  "a monitor and a shell run with it, and with nothing of the server's",
  Effect.gen(function* () {
    const shell = yield* FakeShell
    const session = yield* kept
    const monitor = yield* start(session)
    expect((yield* shell.next).env).toEqual({
      ...without,
      VIGIL_SESSION_ID: session.id,
      VIGIL_MONITOR_ID: monitor.id
    })
    yield* (yield* BackgroundShells).start(session.id, { command: "make", background: true })
    expect((yield* shell.next).env).toEqual({ ...without, VIGIL_SESSION_ID: session.id })
  })
)

it.effect(
  "it is kept without what providers read and Vigil's own",
  Effect.gen(function* () {
    const session = yield* kept
    expect(yield* stored(session)).toEqual(Option.some(without))
  })
)

it.effect(
  "what became a secret since is not handed on either",
  Effect.gen(function* () {
    const session = yield* newSession()
    yield* (yield* Kv).set(`environment/${session.id}`, sent)
    expect(yield* of(session)).toEqual({ ...without, VIGIL_SESSION_ID: session.id })
  })
)

it.effect(
  "a session that sent none has the server's, without its secrets",
  Effect.gen(function* () {
    const env = yield* of(yield* newSession())
    expect(env["PATH"]).toBe(process.env["PATH"])
    expect(Object.keys(env).filter((name) => name.startsWith("VIGIL_"))).toEqual(["VIGIL_SESSION_ID"])
  })
)

it.effect(
  "one that can't be read counts as none, and that is told",
  Effect.gen(function* () {
    const session = yield* newSession()
    yield* (yield* Kv).set(`environment/${session.id}`, { PATH: 7 })
    const { lines, layer } = logs()
    const env = yield* Effect.provide(of(session), layer)
    expect(env["PATH"]).toBe(process.env["PATH"])
    expect(lines.join("\n")).toContain(`The environment of ${session.id} can't be read`)
  })
)

it.effect(
  "it is in no event, no session and no log, and goes with its session",
  Effect.gen(function* () {
    const { lines, layer } = logs()
    const session = yield* Effect.provide(kept, layer)
    yield* Effect.provide(start(session), layer)
    const sessions = yield* Sessions
    const seen = JSON.stringify([yield* told(), yield* sessions.list, lines])
    expect(seen).toContain(session.id)
    for (const secret of ["green", "/client/bin", "secret"]) expect(seen).not.toContain(secret)
    yield* sessions.remove(session.id)
    expect(yield* stored(session)).toEqual(Option.none())
  })
)

it.effect(
  "where its session is not created after all, it is not kept",
  Effect.gen(function* () {
    const { transaction } = yield* Database
    const environments = yield* Environments
    const made = yield* newSession()
    yield* Effect.flip(transaction(Effect.andThen(environments.keep(made, sent), Effect.fail("no"))))
    expect(yield* stored(made)).toEqual(Option.none())
  })
)
