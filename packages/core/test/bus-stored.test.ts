/** Events as they are kept: text that is never taken apart on its way. */
import type { EventDraft } from "@vigil/schema/event-manifest"
import { MessageId, PartId } from "@vigil/schema/message"
import { SessionId } from "@vigil/schema/session"
import { describe, expect } from "bun:test"
import { Effect, Layer, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Bus } from "../src/bus.ts"
import { Settings } from "../src/config.ts"
import { Database } from "../src/database.ts"
import { Kv } from "../src/kv.ts"
import { testEffect } from "./lib/effect.ts"

const on = <E>(database: Layer.Layer<Database, E>) =>
  Bus.layer.pipe(
    Layer.provideMerge(Kv.layer),
    Layer.provideMerge(database),
    Layer.provideMerge(Settings.layerTest())
  )
const it = testEffect(on(Database.layerTest))

const said = (text: string): EventDraft => ({
  type: "part.completed",
  sessionID: SessionId.make("ses_1"),
  data: {
    part: {
      id: PartId.make("prt_1"),
      messageID: MessageId.make("msg_1"),
      sessionID: SessionId.make("ses_1"),
      type: "text",
      text
    }
  }
})

describe("stored events", () => {
  it.effect(
    "are, read, what a follower hears: whole, one line each, whatever they say",
    Effect.gen(function* () {
      const bus = yield* Bus
      const texts = ['"quoted" \\ and\nbroken', "\u2028 \u0000 é 日本 🦉", "}{,"]
      for (const text of texts) yield* bus.publish(said(text))
      const stored = yield* bus.stored(0).pipe(Stream.take(texts.length), Stream.runCollect)
      const followed = yield* bus.follow(0).pipe(Stream.take(texts.length), Stream.runCollect)
      expect(stored.map(({ json }) => JSON.parse(json))).toEqual([...followed])
      for (const [index, { seq, type, sessionID, json }] of stored.entries()) {
        expect({ seq, type, sessionID }).toEqual({
          seq: index + 1,
          type: "part.completed",
          sessionID: "ses_1"
        })
        expect(json).not.toContain("\n")
        expect(JSON.parse(json)).toMatchObject({ seq, ...said(texts[index]!) })
      }
    })
  )

  it.effect(
    "of no session name none",
    Effect.gen(function* () {
      const bus = yield* Bus
      const { sessionID: _, ...draft } = said("")
      yield* bus.publish(draft)
      const [stored] = yield* bus.stored(0).pipe(Stream.take(1), Stream.runCollect)
      expect(stored).not.toHaveProperty("sessionID")
      expect(JSON.parse(stored!.json)).not.toHaveProperty("sessionID")
    })
  )
})

describe("a store's id", () => {
  const alone = testEffect(Layer.empty)
  const place = Effect.acquireRelease(
    Effect.sync(() => join(mkdtempSync(join(tmpdir(), "vigil-")), "vigil.db")),
    (path) => Effect.sync(() => rmSync(dirname(path), { recursive: true }))
  )
  const idOf = (path: string) =>
    Effect.provide(
      Bus.use(({ storeID }) => Effect.succeed(storeID)),
      on(Database.layer({ path })),
      { local: true }
    )

  alone.effect(
    "is the same at every start, and another one's is another",
    Effect.gen(function* () {
      const [here, there] = [yield* place, yield* place]
      const id = yield* idOf(here)
      expect(id).not.toBe("")
      expect(yield* idOf(here)).toBe(id)
      expect(yield* idOf(there)).not.toBe(id)
    })
  )
})
