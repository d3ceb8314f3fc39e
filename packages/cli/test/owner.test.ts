/** How commands come to the owner of a state directory. */
import { ownStateDirectory } from "@vigil/core/database/owner"
import { type Announcement, announce } from "@vigil/server/owner/announcement"
import { chooseToken, keepToken } from "@vigil/server/owner/token"
import { version } from "@vigil/server/version"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Fiber, Logger, Option, type Scope } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findOwner, joinOrDetach, joinOrEmbed } from "../src/owner.ts"
import { maxServerLogBytes, openServerLog, serverLogPath } from "../src/owner/log.ts"
import type { Program } from "../src/owner/starter.ts"
import { sameMajor } from "../src/owner/version.ts"
import { gone, makeWorld, type World } from "./lib/cli.ts"
import { startServing } from "./lib/serving.ts"

// Whole servers start, end and start again.
setDefaultTimeout(60_000)

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(effect), Logger.layer([])))

/** Of the world, not of whoever runs the tests. */
const settings = ({ home }: World) => ({ home, env: { PATH: process.env["PATH"] } })

/** The executable as it runs in the world. */
const program = ({ home }: World): Program => ["env", `HOME=${home}`, process.execPath, main]

const main = join(import.meta.dir, "..", "src", "main.ts")

const makeState = ({ stateDir }: World) => mkdirSync(stateDir, { recursive: true, mode: 0o700 })

/** Something that answers as an owner would, and says so where owners do. */
const pretend = (world: World, change: Partial<Announcement> = {}, health: object = {}) =>
  Effect.gen(function* () {
    makeState(world)
    const startedAt = 1_700_000_000_000
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: () => Response.json({ version, startedAt, storeID: "sto_x", ...health })
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    const announcement: Announcement = {
      url: `http://127.0.0.1:${server.port}`,
      pid: process.pid,
      version,
      startedAt,
      token: "file",
      ...change
    }
    yield* announce(world.stateDir, announcement)
    return announcement
  })

describe("who looks for the owner", () => {
  test("finds none where there is no state directory, and makes none", async () => {
    await using world = makeWorld()
    expect(await run(findOwner(world.stateDir))).toEqual(Option.none())
    expect(existsSync(world.stateDir)).toBe(false)
  })

  test("finds one that serves, and can speak to it", async () => {
    await using world = makeWorld()
    const { url, pid } = await startServing(world)
    const owner = Option.getOrThrow(await run(findOwner(world.stateDir)))
    expect(owner).toMatchObject({ url, pid, version })
    expect((await owner.client.session.list()).data?.items).toEqual([])
  })

  test("finds none where it was killed, whatever it left behind", async () => {
    await using world = makeWorld()
    const { vigil } = await startServing(world)
    vigil.kill("SIGKILL")
    await vigil.ended
    expect(existsSync(join(world.stateDir, "server.json"))).toBe(true)
    expect(await run(findOwner(world.stateDir))).toEqual(Option.none())
  })

  test("does not take a stranger at the owner's old address for it", async () => {
    await using world = makeWorld()
    const found = await run(Effect.andThen(pretend(world, {}, { startedAt: 1 }), findOwner(world.stateDir)))
    expect(found).toEqual(Option.none())
  })

  test("waits for one that is starting", async () => {
    await using world = makeWorld()
    makeState(world)
    await run(
      Effect.gen(function* () {
        yield* ownStateDirectory(world.stateDir)
        yield* keepToken(world.stateDir, yield* chooseToken(world.stateDir))
        const looking = yield* Effect.forkChild(findOwner(world.stateDir), { startImmediately: true })
        const { url } = yield* pretend(world)
        expect(Option.getOrThrow(yield* Fiber.join(looking)).url).toBe(url)
      })
    )
  })

  test("waits for one that is ending, and finds none", async () => {
    await using world = makeWorld()
    makeState(world)
    await run(
      Effect.gen(function* () {
        const looking = yield* Effect.scoped(
          Effect.andThen(
            ownStateDirectory(world.stateDir),
            Effect.forkDetach(findOwner(world.stateDir), { startImmediately: true })
          )
        )
        expect(yield* Fiber.join(looking)).toEqual(Option.none())
      })
    )
  })

  test("of another major version is told to end it, or to use that version", async () => {
    await using world = makeWorld()
    const { message } = await run(
      Effect.andThen(pretend(world, { version: "77.0.0" }), Effect.flip(findOwner(world.stateDir)))
    )
    expect(message).toContain("77.0.0")
    expect(message).toContain(`kill ${process.pid}`)
    expect(message).toContain("--state-dir")
  })

  test("of one with a token of its user's own is told to set it", async () => {
    await using world = makeWorld()
    const { stderr, code } = await run(
      Effect.andThen(
        pretend(world, { token: "user" }),
        Effect.promise(() => world.vigil(["serve"]))
      )
    )
    expect(code).toBe(1)
    expect(stderr).toContain("VIGIL_TOKEN")
  })

  test("does not use a token that others may have read", async () => {
    await using world = makeWorld()
    makeState(world)
    const { message } = await run(
      Effect.gen(function* () {
        yield* keepToken(world.stateDir, yield* chooseToken(world.stateDir))
        chmodSync(join(world.stateDir, "token"), 0o644)
        yield* pretend(world)
        return yield* Effect.flip(findOwner(world.stateDir))
      })
    )
    expect(message).toContain("may be read by other users")
  })

  test("speaks to versions of its own major version only", () => {
    expect(sameMajor("1.2.3", "1.9.0-beta.1")).toBe(true)
    expect(sameMajor("0.1.0", "0.2.0")).toBe(true)
    expect(sameMajor("1.2.3", "2.0.0")).toBe(false)
    expect(sameMajor("1.2.3", "10.0.0")).toBe(false)
    expect(sameMajor("one", "one")).toBe(false)
  })
})

describe("who needs an owner", () => {
  test("is it itself where there is none, also for others, until its end", async () => {
    await using world = makeWorld()
    await run(
      Effect.gen(function* () {
        const own = yield* joinOrEmbed(world.stateDir, settings(world))
        expect(own.embedded).toBe(true)
        const other = yield* joinOrEmbed(world.stateDir, settings(world))
        expect(other.embedded).toBe(false)
        for (const { client } of [own, other]) {
          const { data } = yield* Effect.promise(() => client.session.list())
          expect(data?.items).toEqual([])
        }
        yield* own.waitForOthers
      })
    )
    expect(await run(findOwner(world.stateDir))).toEqual(Option.none())
  })

  test("of several at once one is the owner, and the others join it", async () => {
    await using world = makeWorld()
    await run(
      Effect.gen(function* () {
        const joined = yield* Effect.all(
          Array.from({ length: 4 }, () => joinOrEmbed(world.stateDir, settings(world))),
          { concurrency: "unbounded" }
        )
        expect(joined.filter(({ embedded }) => embedded)).toHaveLength(1)
        for (const { client } of joined) {
          expect((yield* Effect.promise(() => client.session.list())).response?.status).toBe(200)
        }
      })
    )
  })
})

describe("a detached owner", () => {
  test("is in a session of its own, with nothing of its starter's, and ends in order", async () => {
    await using world = makeWorld()
    await run(joinOrDetach(world.stateDir, program(world)))
    const { pid } = Option.getOrThrow(await run(findOwner(world.stateDir)))
    try {
      if (process.platform === "linux") {
        const [, , group, session] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
        expect({ group, session }).toEqual({ group: String(pid), session: String(pid) })
      }
      expect(statSync(serverLogPath(world.stateDir)).mode & 0o777).toBe(0o600)
      expect((await run(joinOrDetach(world.stateDir, program(world)))).embedded).toBe(false)
      expect(Option.getOrThrow(await run(findOwner(world.stateDir))).pid).toBe(pid)
    } finally {
      process.kill(pid, "SIGTERM")
    }
    await gone(pid)
    expect(existsSync(join(world.stateDir, "server.json"))).toBe(false)
  })

  test("that can't start says why to its starter", async () => {
    await using world = makeWorld()
    makeState(world)
    writeFileSync(
      join(world.stateDir, "vigil.db"),
      "not a database, but long enough to be looked at".repeat(99)
    )
    const { message } = await run(Effect.flip(joinOrDetach(world.stateDir, program(world))))
    expect(message).toContain("vigil.db can't be used")
  })

  test("has a log that is put aside once it is too long", async () => {
    await using world = makeWorld()
    makeState(world)
    writeFileSync(serverLogPath(world.stateDir), "x".repeat(maxServerLogBytes + 1), { mode: 0o644 })
    openServerLog(world.stateDir)
    expect(statSync(serverLogPath(world.stateDir)).size).toBe(0)
    expect(statSync(`${serverLogPath(world.stateDir)}.1`).size).toBe(maxServerLogBytes + 1)
    openServerLog(world.stateDir)
    expect(statSync(`${serverLogPath(world.stateDir)}.1`).size).toBe(maxServerLogBytes + 1)
  })
})
