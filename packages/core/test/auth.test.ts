/** Keys on disk: for their user alone, whole or not at all, and never in a message. */
import { describe, expect } from "bun:test"
import { Effect, Layer, Result } from "effect"
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Auth, authPath, maskedKey } from "../src/auth.ts"
import { endpointOf } from "../src/provider/endpoint.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(Layer.empty)

const run = <A>(work: () => Promise<A>) => Effect.promise(work)

const place = Effect.gen(function* () {
  const root = yield* Effect.acquireRelease(
    run(() => mkdtemp(join(tmpdir(), "vigil-auth-"))),
    (root) => run(() => rm(root, { recursive: true, force: true }))
  )
  const stateDir = join(root, "state")
  const auth = yield* Effect.provide(Auth, yield* Layer.build(Auth.layer(stateDir)))
  return { stateDir, file: authPath(stateDir), auth }
})

const secret = "sk-secret-0123456789abcdef"
const mode = (path: string) => run(async () => ((await stat(path)).mode & 0o777).toString(8))

describe("a stored key", () => {
  it.effect(
    "is in a file for its user alone, in a directory for its user alone, with nothing left beside it",
    Effect.gen(function* () {
      const { auth, file, stateDir } = yield* place
      expect(yield* auth.stored).toEqual({})
      yield* auth.login("anthropic", ` ${secret}\n`)
      expect(yield* mode(file)).toBe("600")
      expect(yield* mode(stateDir)).toBe("700")
      expect(yield* auth.keys).toEqual({ keys: { anthropic: secret } })
      expect((yield* run(() => readdir(stateDir))).toSorted()).toEqual(["auth.lock", "vigil-auth.json"])
    })
  )

  it.effect(
    "takes the place of the one before, and goes at logout",
    Effect.gen(function* () {
      const { auth, file } = yield* place
      yield* auth.login("anthropic", "one")
      yield* auth.login("openai", "two")
      yield* auth.login("anthropic", "three")
      expect((yield* auth.keys).keys).toEqual({ anthropic: "three", openai: "two" })
      expect(yield* auth.logout("anthropic")).toBe(true)
      expect(yield* auth.logout("anthropic")).toBe(false)
      expect((yield* auth.keys).keys).toEqual({ openai: "two" })
      expect(yield* run(() => readFile(file, "utf8"))).not.toContain("three")
    })
  )

  it.live(
    "is not lost where several are stored at once",
    Effect.gen(function* () {
      const { auth } = yield* place
      const names = Array.from({ length: 8 }, (_, index) => `p${index}`)
      const script = `
        import { Auth } from ${JSON.stringify(join(import.meta.dir, "../src/auth.ts"))}
        import { Effect } from "effect"
        const [stateDir, name] = process.argv.slice(1)
        await Effect.runPromise(Auth.use((auth) => auth.login(name, name)).pipe(Effect.provide(Auth.layer(stateDir))))
      `
      const { stateDir } = { stateDir: join(auth.file, "..") }
      const codes = yield* run(() =>
        Promise.all(
          names.map(
            (name) =>
              Bun.spawn([process.execPath, "-e", script, stateDir, name], {
                cwd: import.meta.dir,
                stderr: "inherit"
              }).exited
          )
        )
      )
      expect(codes).toEqual(names.map(() => 0))
      expect(Object.keys((yield* auth.keys).keys).toSorted()).toEqual(names)
    }),
    30_000
  )

  it.effect(
    "is refused where it can't be one, without repeating it",
    Effect.gen(function* () {
      const { auth } = yield* place
      for (const [provider, key] of [
        ["anthropic", ""],
        ["anthropic", "two words"],
        ["anthropic", `${secret}\r\nX-Header: 1`],
        ["anthropic", "k".repeat(5_000)],
        ["__proto__", secret],
        ["a/b", secret],
        ["", secret]
      ] as const) {
        const error = yield* Effect.flip(auth.login(provider, key))
        expect(error._tag).toBe("AuthUnusable")
        if (key !== "") expect(error.message).not.toContain(key)
      }
      expect(yield* auth.stored).toEqual({})
    })
  )
})

describe("a file of keys", () => {
  for (const bits of [0o640, 0o604, 0o660, 0o666]) {
    it.effect(
      `with mode ${bits.toString(8)} is not used, and says how to mend it`,
      Effect.gen(function* () {
        const { auth, file } = yield* place
        yield* auth.login("anthropic", secret)
        yield* run(() => chmod(file, bits))
        const error = yield* Effect.flip(auth.stored)
        expect(error.message).toContain(`chmod 600 '${file}'`)
        expect(error.message).not.toContain(secret)
        const keys = yield* auth.keys
        expect(keys).toEqual({ keys: {}, unusable: error.message })
        // Nor is it written over: what is in it may be another's.
        expect((yield* Effect.flip(auth.login("openai", secret))).message).toBe(error.message)
        const missing = Result.getOrThrow(Result.flip(endpointOf("anthropic/m", {}, {}, keys)))
        expect(missing).toMatchObject({ reason: "key-missing" })
        expect(missing.message).toContain("chmod 600")
      })
    )
  }

  for (const [name, text] of [
    ["no JSON", `{"anthropic": {"key": "${secret}"`],
    ["another shape", `{"anthropic": "${secret}"}`],
    ["something else", `["${secret}"]`]
  ] as const) {
    it.effect(
      `that holds ${name} is named, and never quoted`,
      Effect.gen(function* () {
        const { auth, file, stateDir } = yield* place
        yield* auth.login("openai", "two")
        yield* run(() => writeFile(file, text, { mode: 0o600 }))
        const error = yield* Effect.flip(auth.stored)
        expect(error.message).toContain(`${file} is damaged`)
        expect(JSON.stringify(error)).not.toContain(secret)
        expect(yield* mode(stateDir)).toBe("700")
      })
    )
  }

  it.live(
    "that is a pipe or a folder is refused, not waited for",
    Effect.gen(function* () {
      const { auth, file } = yield* place
      yield* auth.login("openai", "two")
      yield* run(() => rm(file))
      yield* run(() => Bun.$`mkfifo -m 600 ${file}`.quiet())
      expect((yield* Effect.flip(auth.stored)).message).toContain("is no file of keys")
      yield* run(() => rm(file))
      yield* run(() => mkdir(file, { mode: 0o700 }))
      expect((yield* Effect.flip(auth.stored))._tag).toBe("AuthUnusable")
    })
  )
})

it.effect(
  "a masked key shows its end, and of a short one nothing",
  Effect.sync(() => {
    expect(maskedKey(secret)).toBe("…cdef")
    expect(maskedKey("short-key")).toBe("…")
  })
)
