/** What becomes of turns, prompts and asks when their server is gone. */
import type { Turn } from "@vigil/schema/turn"
import { call, hold, say, type Script } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Coordinator } from "../src/coordinator.ts"
import { Inbox } from "../src/inbox.ts"
import { Permissions } from "../src/permission.ts"
import { Sessions } from "../src/session.ts"
import { InputId } from "@vigil/schema/input"
import type { SessionId } from "@vigil/schema/session"
import { testEffect } from "./lib/effect.ts"
import { crashImage, edit, heard, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession, type Format } from "./lib/world.ts"

const it = testEffect(Layer.empty)

const never = new Promise<never>(() => {})
const formats: ReadonlyArray<Format> = ["anthropic", "openai"]

type World = Effect.Success<ReturnType<typeof makeWorld>>

/** The state that a crash leaves once the event was told, in a session that was told `text`. */
const crashedAt = (world: World, type: string, text = "Go on") =>
  local(
    Effect.gen(function* () {
      const session = yield* newSession(world.directory)
      yield* (yield* Coordinator).prompt(session.id, { text })
      yield* heard((event) => event.type === type)
      return { session, image: crashImage(world.stateDir) }
    }),
    world.server()
  )

const idle = (sessionID: SessionId) => Coordinator.use((coordinator) => coordinator.awaitIdle(sessionID))

/** Starts a server on the state, waits until it has nothing to do, and ends it. */
const restart = (world: World, image: string, sessionID: SessionId) =>
  local(idle(sessionID), world.server({ stateDir: image }))

const turnsEnded = (stateDir: string) =>
  storedIn(stateDir)
    .events()
    .filter(({ type }) => type === "turn.ended")
    .map(({ data }) => (data as unknown as { turn: Turn }).turn)

const accepted = ({ model }: World) => {
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([])
  return model.requests.length
}

describe("an input that nobody has read", () => {
  it.live(
    "starts a turn when the server is back: a prompt that was admitted",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Here"))
      const session = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          yield* (yield* Inbox).admit({
            id: InputId.make("inp_1"),
            sessionID: session.id,
            delivery: "queue",
            origin: "user",
            payload: { type: "prompt", text: "Hello" },
            wakes: true
          })
          return session
        }),
        world.server()
      )
      expect(accepted(world)).toBe(0)
      yield* restart(world, world.stateDir, session.id)
      expect(accepted(world)).toBe(1)
      expect(world.model.requests[0]!.conversation!.news).toContain("Hello")
      expect(storedIn(world.stateDir).inbox()).toEqual([])
      yield* restart(world, world.stateDir, session.id)
      expect(accepted(world)).toBe(1)
    })
  )

  it.live(
    "starts none where it is owed none",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Here"))
      const session = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          yield* (yield* Coordinator).synthetic(session.id, {
            origin: "plugin",
            payload: { type: "remark", source: { id: "plug", description: "plug" }, text: "By the way" },
            wakes: false
          })
          return session
        }),
        world.server()
      )
      yield* restart(world, world.stateDir, session.id)
      expect(accepted(world)).toBe(0)
      expect(storedIn(world.stateDir).inbox().length).toBe(1)
    })
  )
})

for (const format of formats) {
  describe(`a turn that was cut short, ${format}`, () => {
    it.live(
      "while the model spoke: its message is closed, the turn ends once, and the input is read again",
      Effect.gen(function* () {
        const script: Script = (_, { number }) => (number === 1 ? [say("I am"), hold(never)] : say("Done"))
        const world = yield* makeWorld(script, { format })
        const { session, image } = yield* crashedAt(world, "part.created")
        yield* restart(world, image, session.id)
        expect(accepted(world)).toBe(2)
        const [prompt, first, second] = storedIn(image).messages()
        expect(prompt).toMatchObject({ role: "user" })
        expect(first).toMatchObject({ role: "assistant", status: "interrupted", endedAt: expect.any(Number) })
        expect(second).toMatchObject({ role: "assistant", status: "completed" })
        expect(turnsEnded(image).map(({ outcome }) => outcome)).toEqual(["server_stopped", "completed"])
        expect(storedIn(image).openTurns()).toEqual([])
        expect(storedIn(image).records("owed/")).toEqual([])
      })
    )

    it.live(
      "while tools ran: they failed, the step counts as an answer, and the next request is valid",
      Effect.gen(function* () {
        const script: Script = ({ called }) =>
          called("shell")
            ? say("Done")
            : [
                call("shell", { command: "sleep 60" }),
                call("shell", { command: "sleep 61" }),
                call("shell", { command: "sleep 62", background: true })
              ]
        const world = yield* makeWorld(script, { format })
        const { session, image } = yield* local(
          Effect.gen(function* () {
            const session = yield* newSession(world.directory)
            yield* (yield* Coordinator).prompt(session.id, { text: "Go on" })
            const started = new Set<number>()
            yield* heard(({ type, seq }) => type === "shell.started" && started.add(seq).size === 3)
            return { session, image: crashImage(world.stateDir) }
          }),
          world.server()
        )
        yield* local(
          Effect.gen(function* () {
            yield* idle(session.id)
            expect(accepted(world)).toBe(1)
            const [background] = yield* (yield* Inbox).pending(session.id)
            expect(background).toMatchObject({ wakes: false, payload: { type: "notice" } })
            expect((yield* (yield* Inbox).pending(session.id)).length).toBe(1)
            yield* (yield* Coordinator).prompt(session.id, { text: "And now?" })
            yield* idle(session.id)
          }),
          world.server({ stateDir: image })
        )
        expect(accepted(world)).toBe(2)
        const { results, news } = world.model.requests[1]!.conversation!
        const failed = results().filter((result) => result.includes("the server restarted"))
        expect(failed.length).toBeGreaterThanOrEqual(2)
        expect(results().length).toBe(3)
        expect(news).toContain("ended by a restart of the server")
        const shells = storedIn(image).records<{ shell: { reason: string; status: string } }>("shell/")
        expect(shells.map(({ value }) => value.shell.reason)).toEqual(Array(3).fill("server_restarted"))
      })
    )
  })
}

describe("a turn that was cut short", () => {
  it.live(
    "while it asked: the ask is withdrawn, its call failed",
    Effect.gen(function* () {
      const script: Script = ({ called }) =>
        called("shell") ? say("Done") : call("shell", { command: "ls" })
      const world = yield* makeWorld(script)
      const { session, image } = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory, [])
          yield* (yield* Coordinator).prompt(session.id, { text: "Go on" })
          yield* heard(({ type }) => type === "permission.asked")
          return { session, image: crashImage(world.stateDir) }
        }),
        world.server()
      )
      expect(storedIn(image).records("ask/").length).toBe(1)
      const asks = Permissions.use((permissions) => permissions.pending(session.id))
      expect(yield* local(asks, world.server({ stateDir: image }))).toEqual([])
      const answers = storedIn(image)
        .events()
        .filter(({ type }) => type === "permission.replied")
      expect(answers.map(({ data }) => data["answer"])).toEqual(["withdrawn"])
      expect(storedIn(image).parts()).toMatchObject([
        { status: "failed", output: expect.stringContaining("restarted") }
      ])
      expect(turnsEnded(image).map(({ outcome }) => outcome)).toEqual(["server_stopped"])
      yield* restart(world, image, session.id)
      expect(accepted(world)).toBe(1)
    })
  )

  it.live(
    "is tried at most three times more for one input, each time counted before it is woken",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => hold(never))
      const first = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          yield* (yield* Coordinator).prompt(session.id, { text: "Break it" })
          yield* Effect.promise(() => world.model.request(1).catch(() => {}))
          return { session, image: crashImage(world.stateDir) }
        }),
        world.server()
      )
      let { image } = first
      for (const attempts of [1, 2, 3]) {
        const stateDir = image
        image = yield* local(
          Effect.gen(function* () {
            yield* Effect.promise(() => world.model.request(attempts + 1))
            const [owed] = storedIn(stateDir).records<{ attempts: number }>("owed/")
            expect(owed!.value.attempts).toBe(attempts)
            return crashImage(stateDir)
          }),
          world.server({ stateDir })
        )
      }
      yield* restart(world, image, first.session.id)
      yield* restart(world, image, first.session.id)
      expect(accepted(world)).toBe(4)
      expect(storedIn(image).records("owed/")).toEqual([])
      expect(turnsEnded(image).map(({ outcome }) => outcome)).toEqual(Array(4).fill("server_stopped"))
    })
  )

  it.live(
    "is owed again once a prompt joined it that was not answered either",
    Effect.gen(function* () {
      const answered = Promise.withResolvers<void>()
      const script: Script = ({ has }, { number }) =>
        number === 1
          ? [say("One"), hold(answered.promise), call("shell", { command: "true" })]
          : has("Stop") && number === 2
            ? hold(never)
            : say("Done")
      const world = yield* makeWorld(script)
      const { session, image } = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          const coordinator = yield* Coordinator
          yield* coordinator.prompt(session.id, { text: "Go on" })
          yield* heard(({ type }) => type === "part.created")
          yield* coordinator.prompt(session.id, { text: "Stop" })
          answered.resolve()
          yield* Effect.promise(() => world.model.request(2))
          return { session, image: crashImage(world.stateDir) }
        }),
        world.server()
      )
      yield* restart(world, image, session.id)
      expect(accepted(world)).toBe(3)
      const roles = storedIn(image)
        .messages()
        .map(({ role }) => role)
      expect(roles).toEqual(["user", "assistant", "user", "assistant"])
    })
  )

  it.live(
    "by its user is not owed",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => [say("I am"), hold(never)])
      const { session, image } = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          const coordinator = yield* Coordinator
          yield* coordinator.prompt(session.id, { text: "Go on" })
          yield* heard(({ type }) => type === "part.created")
          yield* coordinator.interrupt(session.id)
          yield* heard(({ type }) => type === "turn.ended")
          return { session, image: crashImage(world.stateDir) }
        }),
        world.server()
      )
      yield* restart(world, image, session.id)
      expect(accepted(world)).toBe(1)
      expect(turnsEnded(image).map(({ outcome }) => outcome)).toEqual(["interrupted"])
    })
  )

  it.live(
    "by an orderly stop ends once, and its input is read again",
    Effect.gen(function* () {
      const script: Script = (_, { number }) => (number === 1 ? [say("I am"), hold(never)] : say("Done"))
      const world = yield* makeWorld(script)
      const { session } = yield* crashedAt(world, "part.created")
      const stored = storedIn(world.stateDir)
      expect(turnsEnded(world.stateDir).map(({ outcome }) => outcome)).toEqual(["server_stopped"])
      expect(stored.messages()[1]).toMatchObject({ status: "interrupted" })
      expect(stored.records("owed/").map(({ value }) => value)).toMatchObject([{ attempts: 0 }])
      yield* restart(world, world.stateDir, session.id)
      expect(accepted(world)).toBe(2)
      expect(turnsEnded(world.stateDir).map(({ outcome }) => outcome)).toEqual([
        "server_stopped",
        "completed"
      ])
    })
  )

  it.live(
    "by an orderly stop counts anew for an input that joined an older one",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => hold(never))
      const session = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          yield* (yield* Inbox).admit({
            id: InputId.make("inp_new"),
            sessionID: session.id,
            delivery: "steer",
            origin: "user",
            payload: { type: "prompt", text: "And this" },
            wakes: true
          })
          return session
        }),
        world.server()
      )
      const owed = JSON.stringify({ inputID: "inp_old", attempts: 2 })
      edit(world.stateDir, "INSERT INTO kv (key, value) VALUES (?, ?)", `owed/${session.id}`, owed)
      yield* local(
        Effect.promise(() => world.model.request(1)),
        world.server()
      )
      expect(
        storedIn(world.stateDir)
          .records("owed/")
          .map(({ value }) => value)
      ).toEqual([{ inputID: "inp_new", attempts: 0 }])
    })
  )

  it.live(
    "by an orderly stop while a tool ran: the call says so, and nothing is owed",
    Effect.gen(function* () {
      const script: Script = ({ called }) =>
        called("shell") ? say("Done") : call("shell", { command: "sleep 60" })
      const world = yield* makeWorld(script)
      const { session } = yield* crashedAt(world, "shell.started")
      expect(storedIn(world.stateDir).parts()).toMatchObject([
        { status: "interrupted", output: "Interrupted: the server stopped." }
      ])
      const shells = storedIn(world.stateDir).records<{ shell: { status: string } }>("shell/")
      expect(shells.map(({ value }) => value.shell.status)).toEqual(["ended"])
      expect(storedIn(world.stateDir).inbox()).toEqual([])
      yield* restart(world, world.stateDir, session.id)
      expect(accepted(world)).toBe(1)
      const messages = yield* local(
        Sessions.use((sessions) => sessions.messages(session.id)),
        world.server()
      )
      expect(messages.length).toBe(2)
    })
  )

  it.live(
    "by an orderly stop while it asks for a monitor: the ask is withdrawn, and nothing ran",
    Effect.gen(function* () {
      const world = yield* makeWorld(() =>
        call("monitor", { command: "touch ran", description: "asked for" })
      )
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory, [])
          yield* (yield* Coordinator).prompt(session.id, { text: "Watch it" })
          yield* heard(({ type }) => type === "permission.asked")
        }),
        world.server()
      )
      const stored = storedIn(world.stateDir)
      expect(stored.records("ask/")).toEqual([])
      const answers = stored.events().filter(({ type }) => type === "permission.replied")
      expect(answers.map(({ data }) => data["answer"])).toEqual(["withdrawn"])
      expect(stored.monitors()).toEqual([])
      expect(existsSync(join(world.directory, "ran"))).toBe(false)
    })
  )

  it.live(
    "is brought to its end once: a second start changes nothing more",
    Effect.gen(function* () {
      const script: Script = ({ called }) =>
        called("shell") ? say("Done") : call("shell", { command: "sleep 60" })
      const world = yield* makeWorld(script)
      const { session, image } = yield* crashedAt(world, "shell.started")
      yield* restart(world, image, session.id)
      const after = storedIn(image).tables()
      yield* restart(world, image, session.id)
      expect(storedIn(image).tables()).toEqual(after)
    })
  )
})
