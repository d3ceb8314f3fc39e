/** Commands that are not started: refused by the system, by a rule, or by a person. */
import type { Rule } from "@vigil/schema/permission"
import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { BackgroundShells } from "../src/background.ts"
import { Jobs } from "../src/job.ts"
import { Permissions } from "../src/permission.ts"
import { FakeShell } from "./lib/fake-shell.ts"
import { use } from "./lib/shell-tool.ts"
import { newSession, told, until, watching } from "./lib/watching.ts"

const it = watching()

describe("what can't be started", () => {
  const ask: ReadonlyArray<Rule> = []

  it.effect(
    "is a failure that the model reads, and holds no place",
    Effect.gen(function* () {
      const fake = yield* FakeShell
      const session = yield* newSession()
      fake.behaviour.spawning = Effect.fail(FakeShell.refusal("The directory /gone is missing"))
      expect(yield* Fiber.join(yield* use(session, { command: "make" }))).toBe(
        "FAILED The directory /gone is missing"
      )
      expect(yield* (yield* Jobs).active(session.id)).toEqual([])
      expect(yield* (yield* BackgroundShells).list(session.id)).toEqual([])
      expect((yield* told).filter(({ type }) => type.startsWith("shell."))).toEqual([])
    })
  )

  it.effect(
    "waits for the user where that must be asked, and is not started when it is rejected",
    Effect.gen(function* () {
      const permissions = yield* Permissions
      const session = yield* newSession(ask)
      const result = yield* use(session, { command: "make" })
      const { data } = yield* until("permission.asked")
      expect(data.ask).toMatchObject({ tool: "shell", title: "make", callID: "call_1" })
      expect((yield* FakeShell).processes).toEqual([])
      yield* permissions.reply(data.ask.id, { reply: "reject", reason: "Not now" })
      expect(yield* Fiber.join(result)).toContain("Not now")
      expect((yield* FakeShell).processes).toEqual([])
    })
  )

  for (const [command, parts] of [
    ["git status && rm -rf x", ["git status", "rm -rf x"]],
    ["echo $(curl example.com)", ["echo $(curl example.com)", "curl example.com"]],
    ["echo `whoami`", ["echo `whoami`", "whoami"]],
    ["ls\nmake", ["ls", "make"]],
    ["diff <(cat a) b", ["diff <(cat a) b", "cat a"]],
    ["ls | wc -l", ["ls", "wc -l"]]
  ] as const) {
    it.effect(
      `each part of a compound command is asked for: ${command.replace("\n", "\\n")}`,
      Effect.gen(function* () {
        const session = yield* newSession([{ action: "shell", pattern: "git *", effect: "allow" }])
        const result = yield* use(session, { command })
        const { data } = yield* until("permission.asked")
        expect(data.ask.title).toBe(command)
        expect(data.ask.subjects.map(({ value }) => value).toSorted()).toEqual(
          parts.filter((part) => !part.startsWith("git ")).toSorted()
        )
        yield* Fiber.interrupt(result)
        expect((yield* FakeShell).processes).toEqual([])
      })
    )
  }

  it.effect(
    "a directory outside the session's is asked for besides",
    Effect.gen(function* () {
      const session = yield* newSession([{ action: "shell", pattern: "*", effect: "allow" }])
      const result = yield* use(session, { command: "cat /etc/hosts" })
      const { data } = yield* until("permission.asked")
      expect(data.ask.subjects).toMatchObject([
        { action: "directory", value: expect.stringContaining("/etc") }
      ])
      yield* Fiber.interrupt(result)
    })
  )

  it.effect(
    "with nobody there to be asked it fails, and names what would allow it",
    Effect.gen(function* () {
      const session = yield* newSession(ask, { unattended: true })
      const refused = yield* Fiber.join(yield* use(session, { command: "npm test && npm publish" }))
      expect(refused).toStartWith("FAILED This needs permission, and nobody is there to be asked.")
      expect(refused).toContain("--allow 'npm test *' --allow 'npm publish *'")
      expect((yield* FakeShell).processes).toEqual([])
    })
  )

  it.effect(
    "what a rule denies is not run, also as a part, and for the background too",
    Effect.gen(function* () {
      const session = yield* newSession([
        { action: "shell", pattern: "*", effect: "allow" },
        { action: "shell", pattern: "rm *", effect: "deny" }
      ])
      for (const background of [true, false]) {
        const refused = yield* Fiber.join(yield* use(session, { command: "true; rm -rf x", background }))
        expect(refused).toContain("Denied by the rule deny shell 'rm *'")
      }
      expect((yield* FakeShell).processes).toEqual([])
    })
  )
})
