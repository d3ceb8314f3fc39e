/** Start-up on what can't be read, belongs to nobody any more, or was left half done. */
import { call, hold, say } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { BackgroundShells } from "../src/background.ts"
import { Coordinator } from "../src/coordinator.ts"
import { Monitors } from "../src/monitor.ts"
import { Sessions } from "../src/session.ts"
import { testEffect } from "./lib/effect.ts"
import { crashImage, edit, heard, logs, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"
import { exists, waitFor } from "./shell/fixture/oracle.ts"

const it = testEffect(Layer.empty)

/** A state with one session in it, and nothing else. */
const quiet = Effect.gen(function* () {
  const world = yield* makeWorld(() => say("Here"))
  const session = yield* local(newSession(world.directory), world.server())
  return { world, session, stateDir: world.stateDir }
})

const put = (stateDir: string, key: string, text: string) =>
  edit(stateDir, "INSERT OR REPLACE INTO kv (key, value) VALUES (?, ?)", key, text)

describe("a record that can't be read", () => {
  for (const kind of ["monitor", "shell", "ask", "owed"]) {
    for (const [what, text] of [
      ["of another version", '{"version":7}'],
      ["that is damaged", '{"monitor":{"id":']
    ] as const) {
      it.live(
        `${kind}, ${what}: it is set aside and told of, and the server starts`,
        Effect.gen(function* () {
          const { world, session, stateDir } = yield* quiet
          const key = kind === "owed" ? `${kind}/${session.id}` : `${kind}/${session.id}/x_1`
          put(stateDir, key, text)
          const { lines, layer } = logs()
          const answered = Effect.gen(function* () {
            const coordinator = yield* Coordinator
            yield* coordinator.prompt(session.id, { text: "Are you there?" })
            yield* coordinator.awaitIdle(session.id)
            return yield* (yield* Monitors).list(session.id)
          })
          expect(yield* local(answered, world.server().pipe(Layer.provide(layer)))).toEqual([])
          expect(lines.join("\n")).toContain(key)
          const stored = storedIn(stateDir)
          expect(stored.records(`aside/${key}`).length).toBe(1)
          expect(stored.records(key)).toEqual([])
          expect(stored.messages().map(({ role }) => role)).toEqual(["user", "assistant"])

          const again = logs()
          yield* local(Effect.void, world.server().pipe(Layer.provide(again.layer)))
          expect(again.lines).toEqual([])
        })
      )
    }
  }

  it.live(
    "turn: it is told of and no longer open, and the server starts",
    Effect.gen(function* () {
      const { world, session, stateDir } = yield* quiet
      edit(
        stateDir,
        "INSERT INTO turn (id, session_id, ended, record) VALUES (?, ?, 0, ?)",
        "trn_x",
        session.id,
        '{"version":7}'
      )
      const { lines, layer } = logs()
      yield* local(Effect.void, world.server().pipe(Layer.provide(layer)))
      expect(lines.join("\n")).toContain("trn_x")
      expect(storedIn(stateDir).openTurns()).toEqual([])

      const again = logs()
      yield* local(Effect.void, world.server().pipe(Layer.provide(again.layer)))
      expect(again.lines).toEqual([])
    })
  )

  it.live(
    "how often events were read: it counts from zero",
    Effect.gen(function* () {
      const { world, session, stateDir } = yield* quiet
      put(stateDir, `reads/${session.id}`, '{"times":{}}')
      yield* local(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator
          yield* coordinator.synthetic(session.id, {
            origin: "plugin",
            payload: { type: "remark", source: { id: "plug", description: "plug" }, text: "Look" }
          })
          yield* coordinator.awaitIdle(session.id)
        }),
        world.server()
      )
      expect(
        storedIn(stateDir)
          .messages()
          .map(({ role }) => role)
      ).toEqual(["event", "assistant"])
    })
  )

  for (const [what, text] of [
    ["of another version", '{"version":7}'],
    ["that is damaged", '{"id":']
  ] as const) {
    it.live(
      `session, ${what}: it is told of and left out, with all that is its own kept, and others go on`,
      Effect.gen(function* () {
        const world = yield* makeWorld(({ called }) =>
          called("monitor") ? say("Here") : call("monitor", { command: "sleep 60", description: "sleeper" })
        )
        const { image, damaged, other } = yield* local(
          Effect.gen(function* () {
            const damaged = yield* newSession(world.directory)
            const other = yield* newSession(world.directory)
            const coordinator = yield* Coordinator
            yield* coordinator.prompt(damaged.id, { text: "Watch" })
            yield* heard(({ type }) => type === "turn.ended")
            return { image: crashImage(world.stateDir), damaged, other }
          }),
          world.server()
        )
        edit(image, "UPDATE session SET record = ? WHERE id = ?", text, damaged.id)
        const { lines, layer } = logs()
        const listed = Effect.gen(function* () {
          const sessions = yield* Sessions
          expect((yield* Effect.exit(sessions.get(damaged.id)))._tag).toBe("Failure")
          return (yield* sessions.list).map(({ id }) => id)
        })
        const server = () => world.server({ stateDir: image }).pipe(Layer.provide(layer))
        expect(yield* local(listed, server())).toEqual([other.id])
        expect(lines.join("\n")).toContain(damaged.id)
        expect(yield* local(listed, server())).toEqual([other.id])
        const stored = storedIn(image)
        expect(stored.messages().length).toBe(3)
        expect(stored.records(`monitor/${damaged.id}/`).length).toBe(1)
        expect(existsSync(join(image, "sessions", damaged.id))).toBe(true)
      })
    )
  }
})

describe("what belongs to a session that is gone", () => {
  it.live(
    "is discarded: records, and files that a deletion did not get to",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => hold(new Promise(() => {})))
      const { image, session } = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          yield* (yield* Monitors).start(session.id, {
            command: "sleep 60",
            description: "sleeper",
            startedBy: "user"
          })
          yield* (yield* BackgroundShells).start(session.id, { command: "sleep 60", background: true })
          yield* (yield* Coordinator).prompt(session.id, { text: "Go on" })
          yield* heard(({ type }) => type === "turn.started")
          return { image: crashImage(world.stateDir), session }
        }),
        world.server()
      )
      // As if an older version had deleted the row and nothing else.
      edit(image, "DELETE FROM session WHERE id = ?", session.id)
      edit(image, "DELETE FROM message WHERE session_id = ?", session.id)
      edit(image, "DELETE FROM inbox WHERE session_id = ?", session.id)
      yield* local(Effect.void, world.server({ stateDir: image }))
      const kept = storedIn(image)
        .records("")
        .map(({ key }) => key)
        .filter((key) => /^(monitor|shell|ask|owed)\//.test(key))
      expect(kept).toEqual([])
      expect(existsSync(join(image, "sessions", session.id))).toBe(false)
    })
  )

  it.live(
    "is finished being deleted by the next start, wherever the deletion was cut off",
    Effect.gen(function* () {
      const images: Array<string> = []
      let watching = false
      const world = yield* makeWorld(() => say("Here"), {
        before: (sql) => {
          if (watching && (sql.startsWith("BEGIN") || sql === "COMMIT"))
            images.push(crashImage(world.stateDir))
        }
      })
      const { session, other } = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          const other = yield* newSession(world.directory)
          const start = { command: "echo one; sleep 60", description: "sleeper", startedBy: "user" } as const
          yield* (yield* Monitors).start(session.id, start)
          yield* heard(({ type }) => type === "turn.ended")
          watching = true
          yield* (yield* Sessions).remove(session.id)
          watching = false
          return { session, other }
        }),
        world.server()
      )
      images.push(crashImage(world.stateDir))
      expect(images.length).toBeGreaterThan(2)
      for (const image of images) {
        const deleted = !storedIn(image).sessions().includes(session.id)
        yield* local(Effect.void, world.server({ stateDir: image }))
        const stored = storedIn(image)
        expect(stored.sessions()).toContain(other.id)
        const kept = [
          ...stored.records("").map(({ key }) => key),
          ...stored.admitted().map(({ session_id }) => session_id),
          ...stored.messages().map(({ sessionID }) => sessionID),
          ...(existsSync(join(image, "sessions", session.id)) ? [session.id] : [])
        ].filter((key) => key.includes(session.id))
        expect(kept.length > 0).toBe(!deleted)
        const ends = stored.events().filter(({ type }) => type === "monitor.ended")
        expect(ends.length).toBe(1)
      }
    })
  )
})

describe("a shell command that ran when its server was killed", () => {
  it.live(
    "in the background has ended, with one notice that wakes nobody; in the foreground without any",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Here"))
      const { image, session } = yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          const shells = yield* BackgroundShells
          const background = yield* shells.start(session.id, {
            command: "echo building; sleep 60",
            background: true
          })
          yield* shells.start(session.id, { command: "sleep 61", background: false })
          const log = () =>
            Bun.file(join(world.stateDir, "sessions", session.id, background.id, "log/0000000000000000.log"))
              .size > 0
          yield* Effect.promise(() => waitFor(log))
          return { session, image: crashImage(world.stateDir) }
        }),
        world.server()
      )
      const server = () => world.server({ stateDir: image })
      const list = BackgroundShells.use((shells) => shells.list(session.id))
      const shells = yield* local(list, server())
      expect(shells.map(({ status, reason }) => [status, reason])).toEqual(
        Array.from({ length: 2 }, () => ["ended", "server_restarted"])
      )
      const background = shells.find(({ background }) => background)!
      const inbox = storedIn(image).inbox()
      expect(inbox).toMatchObject([{ id: `${background.id}:end`, wakes: false }])
      expect(JSON.stringify(inbox)).toContain("building")
      const read = BackgroundShells.use((shells) => shells.output(session.id, background.id))
      expect(yield* local(read, server())).toMatchObject({ output: "building\n", ended: true })
      expect(storedIn(image).inbox()).toEqual(inbox)
      expect(world.model.requests.length).toBe(0)
    })
  )

  for (const moved of [false, true]) {
    it.live(
      `and had left daemons${moved ? " after it moved to the background" : ""}: these are listed no more, its end stays as it was`,
      Effect.gen(function* () {
        const world = yield* makeWorld(() => say("Here"))
        const { image, session } = yield* local(
          Effect.gen(function* () {
            const session = yield* newSession(world.directory)
            const shells = yield* BackgroundShells
            const gate = join(world.directory, "gate")
            const shell = yield* shells.start(session.id, {
              command: `while [ ! -e ${gate} ]; do sleep 0.02; done; setsid -f sleep 60 >/dev/null 2>&1; exit 3`,
              background: false
            })
            if (moved) yield* shells.moveToBackground(session.id, shell.id)
            writeFileSync(gate, "")
            yield* heard(
              (event) => event.type === "shell.updated" && event.data.shell.survivors !== undefined
            )
            const [pid] = (yield* shells.get(session.id, shell.id)).survivors!
            expect(exists(pid!)).toBe(true)
            if (moved) yield* (yield* Coordinator).awaitIdle(session.id)
            return { session, image: crashImage(world.stateDir) }
          }),
          world.server()
        )
        const { lines, layer } = logs()
        const list = BackgroundShells.use((shells) => shells.list(session.id))
        const [shell] = yield* local(list, world.server({ stateDir: image }).pipe(Layer.provide(layer)))
        expect(shell).toMatchObject({ status: "ended", reason: "exited", exitCode: 3 })
        expect(shell!.survivors).toBe(undefined)
        expect(lines).toEqual([])
        expect(storedIn(image).inbox()).toEqual([])
        const ends = storedIn(image)
          .events()
          .filter(({ type }) => type === "shell.ended")
        expect(ends.length).toBe(1)
      })
    )
  }
})

describe("the state directory", () => {
  it.live(
    "may hold what is not ours",
    Effect.gen(function* () {
      const { world, session, stateDir } = yield* quiet
      writeFileSync(join(stateDir, "sessions", "note.txt"), "")
      mkdirSync(join(stateDir, "sessions", session.id), { recursive: true })
      const list = Sessions.use((sessions) => sessions.list)
      expect((yield* local(list, world.server())).map(({ id }) => id)).toEqual([session.id])
      expect(existsSync(join(stateDir, "sessions", session.id))).toBe(true)
    })
  )
})
