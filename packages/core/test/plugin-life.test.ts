/** The example plugins, installed as packages, in a whole server with real processes and a scripted model. */
import { call, say, type Script } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { Plugins } from "../src/plugin.ts"
import { idle, prompt, transcript } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { install, module, readmeExample, writeModules } from "./lib/plugins.ts"
import { spawnServer } from "./lib/server.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"

const it = testEffect(Layer.empty)

describe("the example plugins", () => {
  it.live(
    "one wraps the shell tool, adds a tool and posts an event",
    Effect.gen(function* () {
      const script: Script = (conversation) =>
        conversation.called("command_count")
          ? say("Counted")
          : conversation.called("shell")
            ? call("command_count")
            : call("shell", { command: "echo hello" })
      const { home, directory, model, server } = yield* makeWorld(script, {
        config: { plugins: ["vigil-announced-shell"] }
      })
      install(join(home, ".config/vigil"), "announced-shell")
      yield* local(
        Effect.gen(function* () {
          expect(yield* (yield* Plugins).list).toMatchObject([
            { source: "vigil-announced-shell", name: "announced-shell", status: "loaded", problems: [] }
          ])
          const session = yield* newSession(directory)
          yield* prompt(session, "Go")
          yield* idle(session)
          expect(yield* transcript(session)).toEqual([
            "user: Go",
            "completed: shell=completed:hello\n[exit code 0]\n[command 1 of this session]",
            "completed: command_count=completed:1 so far",
            "completed: Counted",
            "event: The first command of this session was: echo hello",
            "completed: Counted"
          ])
          expect(model.requests.every(({ status }) => status === 200)).toBe(true)
        }),
        server()
      )
    }),
    30_000
  )

  it.live(
    "one refuses monitors by a policy of its own, and nothing else",
    Effect.gen(function* () {
      const poll = "while sleep 5; do curl -s http://127.0.0.1:9/; done"
      const script: Script = (conversation) =>
        conversation.called("monitor")
          ? say("I see")
          : [
              call("monitor", { command: poll, description: "poll" }),
              call("monitor", { command: "echo once", description: "once" }),
              call("shell", { command: "true; # curl; sleep 1" })
            ]
      const { home, directory, server } = yield* makeWorld(script, {
        config: { plugins: ["vigil-polite-monitors"] }
      })
      install(join(home, ".config/vigil"), "polite-monitors")
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(directory)
          yield* prompt(session, "Go")
          yield* idle(session)
          const [, called] = yield* transcript(session)
          expect(called).toContain(
            "monitor=failed:Refused by the plugin polite-monitors: Poll a server every 30 seconds at most, not every 5."
          )
          expect(called).toContain("monitor=completed:Monitor started")
          expect(called).toContain("shell=completed:")
        }),
        server()
      )
    }),
    30_000
  )
})

describe("the README's example", () => {
  it.live(
    "loads as it stands, and does what it says",
    Effect.gen(function* () {
      const script: Script = (conversation) =>
        conversation.called("release_notes")
          ? say("Told")
          : [call("release_notes", { version: "1.2" }), call("shell", { command: "git push --force" })]
      const { home, directory, server } = yield* makeWorld(script, { config: { plugins: ["./deploy.ts"] } })
      const configDir = join(home, ".config/vigil")
      install(configDir)
      writeModules(configDir, { "deploy.ts": readmeExample() })
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(directory)
          yield* prompt(session, "Go")
          yield* idle(session)
          const [, called] = yield* transcript(session)
          expect(called).toContain("release_notes=completed:Notes of 1.2: nothing broke.")
          expect(called).toContain("shell=failed:Refused by the plugin deploy: Nothing is forced here.")
        }),
        server()
      )
    }),
    30_000
  )
})

describe("a server with plugins that fail", () => {
  it.live(
    "starts, says of each why, and keeps the one that works",
    Effect.gen(function* () {
      const { home, directory, server } = yield* makeWorld(() => say("Fine"), {
        config: {
          plugins: [
            "./throws.ts",
            "./throws-oddly.ts",
            "./hangs.ts",
            "./loops.ts",
            "./loops-in-transform.ts",
            "./exits.ts",
            "./broken.ts",
            "./empty.ts",
            "./missing.ts",
            "no-such-package",
            "./plugins/works"
          ],
          plugin: { setupMs: 3_000 }
        }
      })
      const configDir = join(home, ".config/vigil")
      writeModules(configDir, {
        "throws.ts": module("throws", `throw new Error("no luck")`),
        "throws-oddly.ts": module("odd", `throw Object.create(null)`),
        "hangs.ts": module("hangs", `setInterval(() => {}, 1000); await new Promise(() => {})`),
        "loops.ts": module("loops", `for (;;) {}`),
        "loops-in-transform.ts": module("loops2", `host.tools.transform(() => { for (;;) {} })`),
        "exits.ts": module("exits", `process.exit(0)`),
        "broken.ts": "export default {",
        "empty.ts": "export const plugin = 1",
        "plugins/works/package.json": `{ "name": "works", "main": "main.ts" }`,
        "plugins/works/main.ts": module("works", `host.tools.transform((tools) => tools.remove("grep"))`)
      })
      yield* local(
        Effect.gen(function* () {
          const list = yield* (yield* Plugins).list
          const told = Object.fromEntries(
            list.map(({ source, status, reason }) => [source, reason ?? status])
          )
          expect(told).toEqual({
            "./throws.ts": "no luck",
            "./throws-oddly.ts": "something was thrown that has no text",
            "./hangs.ts": expect.stringContaining("not through after 3 s"),
            "./loops.ts": expect.stringContaining("not through after 3 s"),
            "./loops-in-transform.ts": expect.stringContaining("not through after 3 s"),
            "./exits.ts": expect.stringContaining("ended before setup was through (exit code 0)"),
            "./broken.ts": expect.any(String),
            "./empty.ts": expect.stringContaining("no plugin as default export"),
            "./missing.ts": expect.stringContaining("./missing.ts"),
            "no-such-package": expect.stringContaining("no-such-package"),
            "./plugins/works": "loaded"
          })
          const session = yield* newSession(directory)
          yield* prompt(session, "Are you there?")
          yield* idle(session)
          expect(yield* transcript(session)).toEqual(["user: Are you there?", "completed: Fine"])
        }),
        server()
      )
    }),
    60_000
  )

  it.live(
    "outlives what a plugin throws where nobody waits for it, and tells of it",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Still here"), {
        config: { plugins: ["./careless.ts", "./neighbour.ts"] }
      })
      writeModules(join(world.home, ".config/vigil"), {
        "careless.ts": module(
          "careless",
          `if (host.trial) return
          void Promise.reject(new Error("from a promise"))
          await new Promise((thrown) => setTimeout(() => { thrown(); throw new Error("from a timer") }, 1))`
        ),
        "neighbour.ts": module("neighbour", "")
      })
      const server = yield* spawnServer(world)
      expect(yield* Effect.promise(() => server.ready)).toBeUndefined()
      const session = yield* Effect.promise(() => server.tell("create", { directory: world.directory }))
      const told = { sessionID: session.id, inputID: "inp_1", text: "Are you there?" }
      yield* Effect.promise(() => server.tell("prompt", told))
      yield* Effect.promise(() => server.tell("idle", told))
      expect(yield* Effect.promise(() => server.tell("plugins"))).toMatchObject([
        {
          name: "careless",
          status: "loaded",
          problems: [
            { message: "It threw where nobody waits for it: from a promise" },
            { message: "It threw where nobody waits for it: from a timer" }
          ]
        },
        { name: "neighbour", status: "loaded", problems: [] }
      ])
    }),
    30_000
  )

  it.live(
    "ends as ever by what is thrown elsewhere",
    Effect.gen(function* () {
      const stray = join(import.meta.dir, "../src/plugin/stray.ts")
      const program = `
        import { Effect } from "effect"
        import { tellStrays } from ${JSON.stringify(stray)}
        void Effect.runPromise(Effect.scoped(Effect.andThen(tellStrays(new Map([["/a/plugin.ts", () => {}]])), Effect.never)))
        setTimeout(() => { throw new Error("ours") }, 1)`
      const child = Bun.spawn([process.execPath, "-e", program], {
        cwd: import.meta.dir,
        stdio: ["ignore", "ignore", "pipe"]
      })
      expect(yield* Effect.promise(() => new Response(child.stderr).text())).toContain("ours")
      expect(yield* Effect.promise(() => child.exited)).not.toBe(0)
    }),
    20_000
  )
})
