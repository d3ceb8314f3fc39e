import { expect } from "bun:test"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Event } from "@vigil/schema/event-manifest"
import type { Rule, Subject } from "@vigil/schema/permission"
import { type Session, SessionId } from "@vigil/schema/session"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Stream } from "effect"
import { Bus } from "../src/bus.ts"
import { type ConfigOverrides, Settings } from "../src/config.ts"
import { Database } from "../src/database.ts"
import { Kv } from "../src/kv.ts"
import { PermissionDenied } from "@vigil/schema/permission"
import { Permissions } from "../src/permission.ts"
import { TurnRejected } from "../src/permission.ts"
import { testEffect } from "./lib/effect.ts"

const layer = (database: Layer.Layer<Database>, settings: ConfigOverrides = {}) =>
  Permissions.layer.pipe(
    Layer.provideMerge(Bus.layer),
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge([database, Settings.layerTest(settings)]),
    Layer.orDie
  )

const it = testEffect(layer(Database.layerTest))
const strict = testEffect(
  layer(Database.layerTest, {
    permission: [
      { action: "shell", pattern: "git *", effect: "allow" },
      { action: "shell", pattern: "git push *", effect: "deny" }
    ]
  })
)

const session = (overrides: Partial<Session> = {}): Session => ({
  id: SessionId.make("ses_1"),
  directory: "/work",
  rules: [],
  unattended: false,
  createdAt: 0,
  updatedAt: 0,
  ...overrides
})
const shell = (value: string, pattern = value): Subject => ({ action: "shell", value, pattern })
const rule = (effect: Rule["effect"], pattern: string): Rule => ({ action: "shell", pattern, effect })

const require = (subjects: ReadonlyArray<Subject>, of = session()) =>
  Effect.flatMap(Permissions, (permissions) =>
    permissions.require({
      session: of,
      tool: "shell",
      title: subjects.map(({ value }) => value).join(" && "),
      subjects
    })
  )

/** Asks in the background; returns once the ask waits. */
const ask = Effect.fnUntraced(function* (subjects: ReadonlyArray<Subject>, of = session()) {
  const bus = yield* Bus
  const asked = yield* Deferred.make<Extract<Event, { type: "permission.asked" }>>()
  const head = yield* bus.head
  yield* bus.follow(head).pipe(
    Stream.runForEach((event) =>
      event.type === "permission.asked" ? Deferred.succeed(asked, event) : Effect.void
    ),
    Effect.forkScoped
  )
  const fiber = yield* Effect.forkScoped(require(subjects, of))
  const { data } = yield* Deferred.await(asked)
  return { fiber, ask: data.ask }
})

/** Everything that was told so far, in short. */
const told = Effect.gen(function* () {
  const bus = yield* Bus
  const head = yield* bus.head
  if (head === 0) return []
  const events = yield* bus.follow(0).pipe(Stream.take(head), Stream.runCollect)
  return events.map((event) =>
    event.type === "permission.replied"
      ? `replied ${event.data.answer}`
      : event.type.replace("permission.", "")
  )
})

const failure = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.flip(Fiber.join(fiber))

it.effect(
  "what is allowed is not asked for",
  Effect.gen(function* () {
    yield* require([{ action: "read", value: "a", pattern: "a" }])
    yield* require([shell("ls")], session({ rules: [rule("allow", "ls")] }))
    expect(yield* told).toEqual([])
  })
)

it.effect(
  "an ask waits with what needs an answer, and once lets it go on, once",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const { fiber, ask: asked } = yield* ask([
      { action: "read", value: "a", pattern: "a" },
      shell("ls -l", "ls *")
    ])
    expect(asked).toMatchObject({ sessionID: "ses_1", tool: "shell", title: "a && ls -l" })
    expect(asked.subjects).toEqual([shell("ls -l", "ls *")])
    expect(yield* permissions.pending()).toEqual([asked])
    yield* permissions.reply(asked.id, { reply: "once" })
    yield* Fiber.join(fiber)
    expect(yield* permissions.pending()).toEqual([])
    expect(yield* permissions.saved("/work")).toEqual([])
    expect(yield* told).toEqual(["asked", "replied once"])
  })
)

it.effect(
  "an answered ask can't be answered again",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const { ask: asked } = yield* ask([shell("ls")])
    yield* permissions.reply(asked.id, { reply: "once" })
    const error = yield* Effect.flip(permissions.reply(asked.id, { reply: "reject" }))
    expect(error._tag).toBe("AskAnswered")
    expect(yield* told).toEqual(["asked", "replied once"])
  })
)

it.effect(
  "always is saved as the pattern shown, for the directory, and answers others that it covers",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const first = yield* ask([shell("ls -l", "ls *")])
    const covered = yield* ask([shell("ls -a", "ls *")], session({ id: SessionId.make("ses_2") }))
    const elsewhere = yield* ask([shell("ls", "ls *")], session({ directory: "/other" }))
    const wider = yield* ask([shell("ls", "ls *"), shell("make", "make *")])
    yield* permissions.reply(first.ask.id, { reply: "always" })
    yield* Fiber.join(first.fiber)
    yield* Fiber.join(covered.fiber)
    expect((yield* permissions.pending()).map(({ id }) => id).toSorted()).toEqual(
      [elsewhere.ask.id, wider.ask.id].toSorted()
    )
    expect(yield* permissions.saved("/work")).toEqual([{ action: "shell", pattern: "ls *" }])
    yield* require([shell("ls -R", "ls *")])
    const next = yield* ask([shell("ls", "ls *"), shell("rm x")])
    expect(next.ask.subjects).toEqual([shell("rm x")])
  })
)

it.effect(
  "a rejection with a reason is for the model",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const rejected = yield* ask([shell("rm x")])
    const other = yield* ask([shell("make")])
    yield* permissions.reply(rejected.ask.id, { reply: "reject", reason: "use git rm" })
    const error = yield* failure(rejected.fiber)
    expect(error).toBeInstanceOf(PermissionDenied)
    expect(error.message).toContain("use git rm")
    expect((yield* permissions.pending()).map(({ id }) => id)).toEqual([other.ask.id])
  })
)

it.effect(
  "a rejection without one ends the turn and takes the session's other asks along",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const rejected = yield* ask([shell("rm x")])
    const other = yield* ask([shell("make")])
    const stranger = yield* ask([shell("make")], session({ id: SessionId.make("ses_2") }))
    yield* permissions.reply(rejected.ask.id, { reply: "reject", reason: "  " })
    expect(yield* failure(rejected.fiber)).toBeInstanceOf(TurnRejected)
    expect(yield* failure(other.fiber)).toBeInstanceOf(TurnRejected)
    expect((yield* permissions.pending()).map(({ id }) => id)).toEqual([stranger.ask.id])
    expect((yield* told).slice(-2)).toEqual(["replied reject", "replied withdrawn"])
  })
)

strict.effect(
  "deny beats what was saved and says which rule it was",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    yield* require([shell("git status")])
    const { ask: asked } = yield* ask([shell("ls", "*")])
    yield* permissions.reply(asked.id, { reply: "always" })
    yield* require([shell("anything")])
    const error = yield* Effect.flip(require([shell("ls"), shell("git push --force")]))
    expect(error).toBeInstanceOf(PermissionDenied)
    expect(error.message).toContain("'git push *'")
    expect(error.message).toContain("git push --force")
    expect(error.message).not.toContain("shell ls")
  })
)

strict.effect(
  "a session's own rules come last",
  Effect.gen(function* () {
    yield* require([shell("git push x")], session({ rules: [rule("allow", "git push x")] }))
    const error = yield* Effect.flip(require([shell("git log")], session({ rules: [rule("deny", "*")] })))
    expect(error._tag).toBe("PermissionDenied")
  })
)

it.effect(
  "where nobody is there to ask, it fails at once and names the flags",
  Effect.gen(function* () {
    const of = session({ unattended: true })
    const error = yield* Effect.flip(
      require([shell("git push", "git push *"), { action: "edit", value: "a", pattern: "a" }], of)
    )
    expect(error.message).toContain("--allow 'git push *' --allow 'edit:a'")
    expect(yield* told).toEqual([])
  })
)

strict.effect(
  "what a user does is not asked for, and deny still holds",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const request = { session: session(), tool: "monitor", title: "x", byUser: true }
    yield* permissions.require({ ...request, subjects: [shell("make")] })
    const error = yield* Effect.flip(permissions.require({ ...request, subjects: [shell("git push x")] }))
    expect(error._tag).toBe("PermissionDenied")
    expect(yield* told).toEqual([])
  })
)

it.effect(
  "what a person would not see is refused",
  Effect.gen(function* () {
    const of = session({ rules: [rule("allow", "*")] })
    for (const char of ["\u001b", "\u202e", "\r"]) {
      const error = yield* Effect.flip(require([shell(`ls ${char}`)], of))
      expect(error._tag).toBe("PermissionDenied")
    }
    yield* require([shell("ls\n\tx")], of)
  })
)

it.effect(
  "interruption withdraws the ask",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const { fiber, ask: asked } = yield* ask([shell("ls")])
    yield* Fiber.interrupt(fiber)
    expect(yield* permissions.pending()).toEqual([])
    expect(yield* told).toEqual(["asked", "replied withdrawn"])
    expect((yield* Effect.flip(permissions.reply(asked.id, { reply: "once" })))._tag).toBe("AskAnswered")
  })
)

it.effect(
  "withdrawing a session's asks ends whoever waits, once that has committed",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const database = yield* Database
    const mine = yield* ask([shell("ls")])
    const other = yield* ask([shell("ls")], session({ id: SessionId.make("ses_2") }))
    const rolledBack = yield* Effect.exit(
      database.transaction(Effect.andThen(permissions.withdraw("ses_1"), Effect.fail("no")))
    )
    expect(Exit.isFailure(rolledBack)).toBe(true)
    expect(yield* permissions.pending("ses_1")).toEqual([mine.ask])
    expect(mine.fiber.pollUnsafe()).toBeUndefined()
    yield* permissions.withdraw("ses_1")
    expect(yield* failure(mine.fiber)).toBeInstanceOf(TurnRejected)
    expect(yield* permissions.pending()).toEqual([other.ask])
    expect(yield* told).toEqual(["asked", "asked", "replied withdrawn"])
  })
)

it.effect(
  "what was saved can be taken back",
  Effect.gen(function* () {
    const permissions = yield* Permissions
    const { ask: asked } = yield* ask([shell("ls", "ls *"), shell("make", "make *")])
    yield* permissions.reply(asked.id, { reply: "always" })
    yield* permissions.forget("/work", { action: "shell", pattern: "ls *" })
    expect(yield* permissions.saved("/work")).toEqual([{ action: "shell", pattern: "make *" }])
    yield* permissions.forget("/work")
    expect(yield* permissions.saved("/work")).toEqual([])
    yield* ask([shell("make", "make *")])
  })
)

const bare = testEffect(Layer.empty)

bare.effect(
  "a server that starts withdraws the asks of one that is gone, keeps answers, and sets aside what it can't read",
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "vigil-permission-"))),
      (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
    )
    const server = () => layer(Layer.fresh(Database.layer({ path: join(folder, "vigil.db") })))
    yield* Effect.gen(function* () {
      const permissions = yield* Permissions
      const kv = yield* Kv
      const answered = yield* ask([shell("ls", "ls *")])
      yield* permissions.reply(answered.ask.id, { reply: "always" })
      const { ask: asked } = yield* ask([shell("make")])
      // As a crash leaves it: nobody waits, the record stays.
      yield* kv.set(`ask/ses_1/ask_old`, { ...asked, id: "ask_old" })
      yield* kv.set("ask/ses_1/ask_bad", { no: "ask" })
    }).pipe(Effect.scoped, Effect.provide(server()))
    yield* Effect.gen(function* () {
      const permissions = yield* Permissions
      const kv = yield* Kv
      expect((yield* permissions.pending()).map(({ id }) => String(id))).toEqual(["ask_old"])
      const waits = yield* ask([shell("make")])
      yield* permissions.withdrawStale
      expect(yield* permissions.pending()).toEqual([waits.ask])
      expect((yield* told).at(-1)).toBe("replied withdrawn")
      expect(Option.isSome(yield* kv.get("aside/ask/ses_1/ask_bad"))).toBe(true)
      yield* require([shell("ls -l", "ls *")])
    }).pipe(Effect.scoped, Effect.provide(server()))
  })
)

it.effect(
  "the same answer again is a success and told once, another one is told what holds",
  Effect.gen(function* () {
    const { reply } = yield* Permissions
    for (const answer of ["once", "always", "reject"] as const) {
      const { ask: asked } = yield* ask([shell(`run ${answer}`)])
      yield* reply(asked.id, { reply: answer })
      const before = (yield* told).length
      yield* reply(asked.id, { reply: answer })
      const other = answer === "once" ? "reject" : "once"
      expect(yield* Effect.flip(reply(asked.id, { reply: other }))).toMatchObject({
        _tag: "AskAnswered",
        askID: asked.id,
        answer
      })
      expect(yield* told).toHaveLength(before)
    }
  })
)

it.effect(
  "of several that answer at once one is heard, and each of the others is told",
  Effect.gen(function* () {
    const { reply } = yield* Permissions
    const { ask: asked, fiber } = yield* ask([shell("ls")])
    const answers = ["once", "reject", "once", "reject"] as const
    const results = yield* Effect.forEach(
      answers,
      (answer) =>
        Effect.match(reply(asked.id, { reply: answer, reason: "No" }), {
          onSuccess: () => "heard",
          onFailure: ({ _tag }) => _tag
        }),
      { concurrency: "unbounded" }
    )
    expect(results).toEqual(["heard", "AskAnswered", "heard", "AskAnswered"])
    yield* Fiber.join(fiber)
    expect(yield* told).toEqual(["asked", "replied once"])
  })
)

it.effect(
  "an answer is known as soon as it is committed",
  Effect.gen(function* () {
    const { reply } = yield* Permissions
    const { transaction, afterCommit } = yield* Database
    const { ask: asked } = yield* ask([shell("ls")])
    const again = yield* Deferred.make<string>()
    yield* transaction(
      Effect.gen(function* () {
        yield* afterCommit(
          Effect.match(reply(asked.id, { reply: "once" }), {
            onSuccess: () => "heard",
            onFailure: ({ _tag }) => _tag
          }).pipe(Effect.flatMap((result) => Deferred.succeed(again, result)))
        )
        yield* reply(asked.id, { reply: "once" })
      })
    )
    expect(yield* Deferred.await(again)).toBe("heard")
  })
)

it.effect(
  "an answer that was undone is none: the ask waits as before",
  Effect.gen(function* () {
    const { reply, pending } = yield* Permissions
    const { transaction } = yield* Database
    const { ask: asked, fiber } = yield* ask([shell("ls")])
    yield* transaction(Effect.andThen(reply(asked.id, { reply: "reject" }), Effect.fail("no"))).pipe(
      Effect.flip
    )
    expect(yield* pending()).toHaveLength(1)
    yield* reply(asked.id, { reply: "once" })
    yield* Fiber.join(fiber)
    expect(yield* told).toEqual(["asked", "replied once"])
  })
)

it.effect(
  "an ask that nobody knows is not found",
  Effect.gen(function* () {
    const { reply } = yield* Permissions
    expect(yield* Effect.flip(reply("ask_1", { reply: "once" }))).toMatchObject({
      _tag: "AskNotFound",
      askID: "ask_1"
    })
  })
)
