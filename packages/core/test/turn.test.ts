/** Turns as they are kept: begun, ended, and found again by whoever starts on what an older server left. */
import type { Session } from "@vigil/schema/session"
import { type Turn, TurnId } from "@vigil/schema/turn"
import { say } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer, Option } from "effect"
import { Coordinator } from "../src/coordinator.ts"
import { Database } from "../src/database.ts"
import { Sessions } from "../src/session.ts"
import { keptTurns, Turns } from "../src/turn.ts"
import { coordination, newSession } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"
import { edit, logs, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession as sessionIn } from "./lib/world.ts"

const it = testEffect(coordination())

const turn = (session: Session, id: string): Turn => ({
  id: TurnId.make(`trn_${id}`),
  sessionID: session.id,
  startedAt: 1,
  steps: 0
})
const ended = (turn: Turn): Turn => ({ ...turn, endedAt: 2, outcome: "completed", steps: 1 })
const ids = (turns: ReadonlyArray<Turn>) => turns.map(({ id }): string => id)

describe("Turns", () => {
  it.effect(
    "a turn is open from its begin to its end, and stays as the newest",
    Effect.gen(function* () {
      const turns = yield* Turns
      const [session, other] = [yield* newSession(), yield* newSession()]
      expect(yield* turns.newest(session.id)).toEqual(Option.none())
      const first = turn(session, "1")
      yield* turns.begin(first)
      expect(yield* turns.open(session.id)).toEqual(Option.some(first))
      expect(yield* turns.newest(session.id)).toEqual(Option.some(first))
      expect((yield* turns.allOpen).map(({ id }) => id)).toEqual(["trn_1"])
      yield* turns.end(ended(first))
      expect(yield* turns.open(session.id)).toEqual(Option.none())
      expect(yield* turns.newest(session.id)).toEqual(Option.some(ended(first)))
      expect(yield* turns.newest(other.id)).toEqual(Option.none())
    })
  )

  it.effect(
    "of those that have ended the newest are kept, the newest first",
    Effect.gen(function* () {
      const turns = yield* Turns
      const { transaction } = yield* Database
      const [session, other] = [yield* newSession(), yield* newSession()]
      const live = (of: Session, id: string) =>
        Effect.andThen(turns.begin(turn(of, id)), turns.end(ended(turn(of, id))))
      yield* live(other, "other")
      yield* transaction(
        Effect.gen(function* () {
          for (let i = 0; i < keptTurns + 5; i++) yield* live(session, `${i}`)
        })
      )
      expect(ids(yield* turns.list(session.id, 2))).toEqual(["trn_1004", "trn_1003"])
      const all = yield* turns.list(session.id, 2_000)
      expect(all).toHaveLength(keptTurns)
      expect(all.at(-1)!.id).toBe(TurnId.make("trn_5"))
      expect(ids(yield* turns.list(other.id, 2))).toEqual(["trn_other"])
    })
  )

  it.effect(
    "they go with their session",
    Effect.gen(function* () {
      const turns = yield* Turns
      const session = yield* newSession()
      yield* turns.begin(turn(session, "1"))
      yield* (yield* Sessions).remove(session.id)
      expect(yield* turns.list(session.id, 10)).toEqual([])
      expect(yield* turns.allOpen).toEqual([])
    })
  )

  it.effect(
    "one whose begin is undone never was",
    Effect.gen(function* () {
      const turns = yield* Turns
      const { transaction } = yield* Database
      const session = yield* newSession()
      yield* Effect.flip(transaction(Effect.andThen(turns.begin(turn(session, "1")), Effect.fail("no"))))
      expect(yield* turns.newest(session.id)).toEqual(Option.none())
    })
  )
})

describe("a database from before turns were rows", () => {
  const alone = testEffect(Layer.empty)

  alone.live(
    "starts: a turn that was open ends, what can't be read or belongs to nobody does not hinder",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Here"))
      const sessions = yield* local(
        Effect.all([sessionIn(world.directory), sessionIn(world.directory)]),
        world.server()
      )
      const [session, damaged] = sessions
      const { stateDir } = world
      edit(stateDir, "DROP TABLE turn")
      edit(stateDir, "DROP TABLE store")
      edit(stateDir, "DELETE FROM migration WHERE migration_id = 3")
      const put = (sessionID: string, text: string) =>
        edit(stateDir, "INSERT INTO kv (key, value) VALUES (?, ?)", `turn/${sessionID}`, text)
      put(session.id, JSON.stringify(turn(session, "old")))
      put(damaged.id, '{"id":')
      put("ses_gone", JSON.stringify(turn(session, "gone")))

      const newest = Effect.gen(function* () {
        const turns = yield* Turns
        yield* (yield* Coordinator).awaitIdle(session.id)
        return yield* Effect.forEach(sessions, ({ id }) => turns.list(id, 10))
      })
      const found = yield* local(newest, world.server().pipe(Layer.provide(logs().layer)))
      expect(found).toMatchObject([[{ id: "trn_old", outcome: "server_stopped" }], []])
      const stored = storedIn(stateDir)
      expect(stored.records("turn/")).toEqual([])
      expect(stored.openTurns()).toEqual([])
      expect(stored.events().filter(({ type }) => type === "turn.ended")).toHaveLength(1)
    })
  )
})
