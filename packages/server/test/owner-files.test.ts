import { describe, expect, test } from "bun:test"
import { Effect, Exit, Logger, Option, Scope } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { type Announcement, announce, announcementFile, readAnnouncement } from "../src/owner/announcement.ts"
import { bindRefused, isLoopback, localUrl } from "../src/owner/bind.ts"
import { makePrivate } from "../src/owner/folder.ts"
import { checkToken, chooseToken, keepToken, readToken, tokenFile } from "../src/owner/token.ts"
import { join } from "node:path"
import { testEffect } from "./lib/effect.ts"
import { temporaryFolder } from "./lib/folder.ts"

const it = testEffect(Logger.layer([]))

/** As an owner does when it starts. */
const ownersToken = Effect.fnUntraced(function* (stateDir: string) {
  const token = yield* chooseToken(stateDir)
  yield* keepToken(stateDir, token)
  return token
})

const mode = (file: string) => (statSync(file).mode & 0o777).toString(8)

describe("the token of a state directory", () => {
  it.effect(
    "is made at the first start, 256 random bits for its user alone, and stays",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      const token = yield* ownersToken(stateDir)
      expect(Buffer.from(token, "base64url")).toHaveLength(32)
      expect(mode(tokenFile(stateDir))).toBe("600")
      expect(yield* ownersToken(stateDir)).toBe(token)
      expect(yield* readToken(stateDir)).toBe(token)
      expect(readdirSync(stateDir)).toEqual(["token"])
    })
  )

  it.effect(
    "is that of who became the owner, where another began to start meanwhile",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      const [owners, others] = [yield* chooseToken(stateDir), yield* chooseToken(stateDir)]
      expect(others).not.toBe(owners)
      yield* keepToken(stateDir, owners)
      expect(yield* readToken(stateDir)).toBe(owners)
    })
  )

  it.effect(
    "differs from one state directory to the other",
    Effect.gen(function* () {
      const [one, other] = [yield* temporaryFolder, yield* temporaryFolder]
      expect(yield* ownersToken(one)).not.toBe(yield* ownersToken(other))
    })
  )

  it.effect(
    "that others may have read is not used by a client, and its owner makes another",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      const before = yield* ownersToken(stateDir)
      chmodSync(tokenFile(stateDir), 0o644)
      expect(yield* Effect.flip(readToken(stateDir))).toMatchObject({
        _tag: "FileNotPrivate",
        file: tokenFile(stateDir)
      })
      const after = yield* ownersToken(stateDir)
      expect(after).not.toBe(before)
      expect(mode(tokenFile(stateDir))).toBe("600")
    })
  )

  for (const [what, damage] of [
    ["an empty file", (file: string) => writeFileSync(file, "", { mode: 0o600 })],
    ["half a token", (file: string) => writeFileSync(file, "half", { mode: 0o600 })],
    ["a folder", (file: string) => mkdirSync(file)],
    ["a file without end", (file: string) => writeFileSync(file, "x".repeat(5_000), { mode: 0o600 })]
  ] as const) {
    it.effect(
      `takes the place of ${what}`,
      Effect.gen(function* () {
        const stateDir = yield* temporaryFolder
        damage(tokenFile(stateDir))
        const token = yield* ownersToken(stateDir)
        expect(yield* readToken(stateDir)).toBe(token)
      })
    )
  }

  for (const [what, given] of [
    ["nothing", ""],
    ["a space in it", "two words"],
    ["a newline in it", "a\nb"],
    ["letters that no header holds", "schlüssel"],
    ["more than a header holds", "x".repeat(1_025)]
  ] as const) {
    it.effect(
      `of the user's own may not be or have ${what}`,
      Effect.gen(function* () {
        expect(yield* Effect.flip(checkToken(given))).toMatchObject({ _tag: "TokenInvalid" })
      })
    )
  }

  it.effect("of the user's own may be any text that a header holds", checkToken("my-own_token.1"))
})

const here: Announcement = {
  url: "http://127.0.0.1:4321",
  pid: 12,
  version: "1.2.3",
  startedAt: 1_700_000_000_000,
  token: "file"
}

describe("the announcement of an owner", () => {
  it.effect(
    "can be read by its user alone, and goes at its end",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      const scope = yield* Scope.make()
      yield* Scope.provide(announce(stateDir, here), scope)
      expect(mode(announcementFile(stateDir))).toBe("600")
      expect(readdirSync(stateDir)).toEqual(["server.json"])
      expect(yield* readAnnouncement(stateDir)).toEqual(Option.some(here))
      yield* Scope.close(scope, Exit.void)
      expect(existsSync(announcementFile(stateDir))).toBe(false)
      expect(yield* readAnnouncement(stateDir)).toEqual(Option.none())
    })
  )

  it.effect(
    "takes the place of one that a killed owner left",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      writeFileSync(announcementFile(stateDir), JSON.stringify({ ...here, pid: 1 }), { mode: 0o600 })
      yield* announce(stateDir, here)
      expect(JSON.parse(readFileSync(announcementFile(stateDir), "utf8"))).toEqual(here)
    })
  )

  it.effect(
    "that others can write is not believed: it could send a token anywhere",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      yield* announce(stateDir, here)
      chmodSync(announcementFile(stateDir), 0o622)
      expect(yield* readAnnouncement(stateDir)).toEqual(Option.none())
    })
  )

  for (const [what, text] of [
    ["no JSON", "{"],
    ["not an announcement", "{}"],
    ["an address that is no server's", JSON.stringify({ ...here, url: "http://x/y" })]
  ] as const) {
    it.effect(
      `that is ${what} is none`,
      Effect.gen(function* () {
        const stateDir = yield* temporaryFolder
        writeFileSync(announcementFile(stateDir), text, { mode: 0o600 })
        expect(yield* readAnnouncement(stateDir)).toEqual(Option.none())
      })
    )
  }
})

describe("where a server may listen", () => {
  for (const name of [
    "127.0.0.1",
    "127.8.9.10",
    "localhost",
    "LOCALHOST",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1"
  ]) {
    test(`${name} is this machine alone`, () => expect(isLoopback(name)).toBe(true))
  }

  for (const name of [
    "0.0.0.0",
    "::",
    "",
    "192.168.1.4",
    "128.0.0.1",
    "localhost.example.org",
    "127.0.0.1.nip.io"
  ]) {
    test(`${name || "nothing"} may be reached by others`, () => expect(isLoopback(name)).toBe(false))
  }

  test("the refusal says what to do", () => {
    expect(bindRefused("0.0.0.0")).toMatchObject({ hostname: "0.0.0.0" })
    expect(bindRefused("0.0.0.0").message).toContain("Set VIGIL_TOKEN")
  })

  test("a wildcard is reached at this machine's own address", () => {
    expect(localUrl("0.0.0.0", 80)).toBe("http://127.0.0.1:80")
    expect(localUrl("::", 4321)).toBe("http://[::1]:4321")
    expect(localUrl("::1", 4321)).toBe("http://[::1]:4321")
    expect(localUrl("10.0.0.4", 4321)).toBe("http://10.0.0.4:4321")
  })
})

describe("the state directory", () => {
  it.effect(
    "is made for its user alone",
    Effect.gen(function* () {
      const stateDir = join(yield* temporaryFolder, "state", "vigil")
      yield* makePrivate(stateDir)
      expect(mode(stateDir)).toBe("700")
    })
  )

  it.effect(
    "is closed to others where it holds Vigil's own files only",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      for (const file of ["vigil.db", "vigil.db-wal", "token", "server.log.1"]) {
        writeFileSync(join(stateDir, file), "")
      }
      chmodSync(stateDir, 0o755)
      yield* makePrivate(stateDir)
      expect(mode(stateDir)).toBe("700")
    })
  )

  it.effect(
    "stays open to others where it holds something else",
    Effect.gen(function* () {
      const stateDir = yield* temporaryFolder
      writeFileSync(join(stateDir, "README.md"), "")
      chmodSync(stateDir, 0o755)
      yield* makePrivate(stateDir)
      expect(mode(stateDir)).toBe("755")
    })
  )
})
