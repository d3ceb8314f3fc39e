import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isOwned, ownStateDirectory } from "../src/database/owner.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Another process that has the lock file open, until it is killed; it says `ready`. */
const holder = (stateDir: string, hold: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const program = `import { Database } from "bun:sqlite"
        // What nothing refers to is closed.
        const lock = (globalThis.lock = new Database(${JSON.stringify(join(stateDir, "owner.db"))}, { create: true }))
        ${hold}`
      const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" })
      await child.stdout.getReader().read()
      return child
    }),
    (child) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return child.exited
      })
  )

it.live(
  "a state directory is owned from the start of its owner to the end",
  Effect.gen(function* () {
    const stateDir = yield* folder
    expect(yield* isOwned(stateDir)).toBe(false)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* ownStateDirectory(stateDir)
        expect(yield* isOwned(stateDir)).toBe(true)
      })
    )
    expect(yield* isOwned(stateDir)).toBe(false)
  })
)

it.live(
  "who asks whether somebody owns a state directory makes nothing there",
  Effect.gen(function* () {
    const stateDir = yield* folder
    yield* isOwned(stateDir)
    expect(readdirSync(stateDir)).toEqual([])
    expect(yield* isOwned(join(stateDir, "absent"))).toBe(false)
  })
)

it.live(
  "the lock of an owner that is killed dies with it",
  Effect.gen(function* () {
    const stateDir = yield* folder
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* holder(
          stateDir,
          `lock.run("BEGIN EXCLUSIVE"); console.log("ready"); setInterval(() => {}, 1000)`
        )
        expect(yield* isOwned(stateDir)).toBe(true)
        expect(yield* Effect.flip(ownStateDirectory(stateDir))).toMatchObject({ _tag: "StateDirectoryOwned" })
      })
    )
    expect(yield* isOwned(stateDir)).toBe(false)
    yield* ownStateDirectory(stateDir)
  })
)

it.live(
  "who only looks at the lock in that moment keeps nobody from owning",
  Effect.gen(function* () {
    const stateDir = yield* folder
    yield* holder(
      stateDir,
      `lock.run("BEGIN"); lock.query("SELECT 1 FROM sqlite_master").all(); console.log("ready")
       setTimeout(() => lock.run("COMMIT"), 20); setInterval(() => {}, 1000)`
    )
    yield* ownStateDirectory(stateDir)
    expect(yield* isOwned(stateDir)).toBe(true)
  })
)
