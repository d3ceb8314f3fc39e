import { isOwned } from "@vigil/core/database/owner"
import { delay, say } from "@vigil/simulation/script"
import type { Script } from "@vigil/simulation/script"
import { startSimulation } from "@vigil/simulation/server"
import { expect } from "bun:test"
import { Effect, Fiber, Logger, Option } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { announcementFile, readAnnouncement } from "../src/owner/announcement.ts"
import { readToken, tokenFile } from "../src/owner/token.ts"
import { type Served, serve, type ServeOptions } from "../src/serve.ts"
import { testEffect } from "./lib/effect.ts"
import { temporaryFolder } from "./lib/folder.ts"

const it = testEffect(Logger.layer([]))

/** A home with a project and a model, and servers of its state directory. */
const makeWorld = (script: Script = () => "Done.") =>
  Effect.gen(function* () {
    const home = yield* temporaryFolder
    const [project, stateDir, configDir] = [
      join(home, "project"),
      join(home, "state"),
      join(home, ".config", "vigil")
    ]
    for (const folder of [project, configDir]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(configDir, "vigil.json"), JSON.stringify({ model: "anthropic/scripted" }))
    const model = yield* Effect.acquireRelease(
      Effect.sync(() => startSimulation({ script, key: "test-key" })),
      (model) => Effect.promise(() => Promise.resolve(model.stop()))
    )
    const env = {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: model.url
    }
    const start = (options: Partial<ServeOptions> = {}) => serve({ stateDir, home, env, ...options })
    return { project, stateDir, start }
  })

/** A request of this process, as JSON. */
const ask = <A>({ edge, url, token }: Served, path: string, body?: object) =>
  Effect.promise(async () => {
    const request = new Request(`${url}/api${path}`, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) })
    })
    return (await (await edge.fetch(request)).json()) as A
  })

const newSession = (served: Served, directory: string) =>
  ask<{ id: string }>(served, "/session", {
    directory,
    rules: [{ action: "*", pattern: "*", effect: "allow" }]
  })

it.live(
  "a server is announced once it answers, and leaves nothing behind but its state",
  Effect.gen(function* () {
    const { stateDir, start } = yield* makeWorld()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { url, token, edge } = yield* start()
        const { startedAt } = edge
        expect(Option.getOrThrow(yield* readAnnouncement(stateDir))).toMatchObject({
          url,
          pid: process.pid,
          startedAt,
          token: "file"
        })
        expect(yield* readToken(stateDir)).toBe(token)
        expect(yield* isOwned(stateDir)).toBe(true)
        const { status } = yield* Effect.promise(() => fetch(`${url}/api/health`))
        expect(status).toBe(200)
      })
    )
    expect(existsSync(announcementFile(stateDir))).toBe(false)
    expect(yield* isOwned(stateDir)).toBe(false)
  })
)

it.live(
  "a second one changes nothing of the first",
  Effect.gen(function* () {
    const { stateDir, start } = yield* makeWorld()
    const first = yield* start()
    expect(yield* Effect.flip(Effect.scoped(start()))).toMatchObject({ _tag: "StateDirectoryOwned" })
    expect(Option.getOrThrow(yield* readAnnouncement(stateDir)).url).toBe(first.url)
    expect(yield* ask<{ items: ReadonlyArray<unknown> }>(first, "/session")).toMatchObject({ items: [] })
  })
)

it.live(
  "one that can't listen gives back what it took, while its scope goes on",
  Effect.gen(function* () {
    const { stateDir, start } = yield* makeWorld()
    const taken = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() })),
      (server) => Effect.promise(() => server.stop(true))
    )
    expect(yield* Effect.flip(start({ port: taken.port! }))).toMatchObject({ _tag: "PortTaken" })
    expect(yield* isOwned(stateDir)).toBe(false)
    yield* start()
  })
)

it.live(
  "an address that others can reach is refused before anything is made",
  Effect.gen(function* () {
    const { stateDir, start } = yield* makeWorld()
    expect(yield* Effect.flip(start({ hostname: "0.0.0.0" }))).toMatchObject({ _tag: "BindRefused" })
    expect(existsSync(stateDir)).toBe(false)
  })
)

it.live(
  "a token that the user set is not written down",
  Effect.gen(function* () {
    const { stateDir, start } = yield* makeWorld()
    const { token } = yield* start({ token: "of-the-user" })
    expect(token).toBe("of-the-user")
    expect(existsSync(tokenFile(stateDir))).toBe(false)
    expect(Option.getOrThrow(yield* readAnnouncement(stateDir)).token).toBe("user")
  })
)

it.live(
  "an owner is needed as long as a monitor runs, though nobody is there",
  Effect.gen(function* () {
    const { project, start } = yield* makeWorld()
    const served = yield* start()
    const session = yield* newSession(served, project)
    const path = `/session/${session.id}/monitor`
    const { id } = yield* ask<{ id: string }>(served, path, {
      command: "while [ ! -e go ]; do sleep 0.05; done",
      description: "waits"
    })
    const statusAtEnd = yield* served
      .unneeded(0)
      .pipe(
        Effect.andThen(ask<{ status: string }>(served, `${path}/${id}`)),
        Effect.forkChild({ startImmediately: true })
      )
    yield* ask(served, "/health")
    writeFileSync(join(project, "go"), "")
    expect(yield* Fiber.join(statusAtEnd)).toMatchObject({ status: "ended" })
  })
)

it.live(
  "an owner is needed as long as a turn runs, though nobody is there",
  Effect.gen(function* () {
    const { project, start } = yield* makeWorld(() => [say("One moment"), delay(300)])
    const served = yield* start()
    const session = yield* newSession(served, project)
    yield* ask(served, `/session/${session.id}/prompt`, { text: "Go" })
    yield* served.unneeded(0)
    const { turn } = yield* ask<{ turn?: object }>(served, `/session/${session.id}`)
    expect(turn).toMatchObject({ outcome: "completed" })
  })
)

it.live(
  "a process that was its own only client does not wait for others",
  Effect.gen(function* () {
    const { start } = yield* makeWorld()
    const served = yield* start()
    yield* ask(served, "/session")
    yield* served.unneededByOthers
  })
)

it.live(
  "a process waits for a client that has joined it",
  Effect.gen(function* () {
    const { start } = yield* makeWorld()
    const served = yield* start()
    const { url, token } = served
    const feed = yield* Effect.promise(() =>
      fetch(`${url}/api/event`, { headers: { authorization: `Bearer ${token}` } })
    )
    let left = false
    const waiting = yield* served.unneededByOthers.pipe(
      Effect.tap(() => Effect.sync(() => expect(left).toBe(true))),
      Effect.forkChild({ startImmediately: true })
    )
    yield* ask(served, "/health")
    left = true
    yield* Effect.promise(() => feed.body!.cancel())
    yield* Fiber.join(waiting)
  })
)
