import { describe, expect } from "bun:test"
import { Effect, Option } from "effect"
import { Database } from "../src/database.ts"
import { Kv } from "../src/kv.ts"
import { storage } from "./lib/core.ts"
import { testEffect } from "./lib/effect.ts"

const it = testEffect(storage())

const keys = (prefix: string, options?: { readonly after?: string; readonly limit?: number }) =>
  Kv.use((kv) => Effect.map(kv.scan(prefix, options), (entries) => entries.map(({ key }) => key)))

describe("Kv", () => {
  it.effect(
    "gives back what was set last, and nothing for what was not or was removed",
    Effect.gen(function* () {
      const kv = yield* Kv
      expect(yield* kv.get("a")).toEqual(Option.none())
      yield* kv.set("a", { n: 1 })
      yield* kv.set("a", ["ü", null])
      expect(yield* kv.get("a")).toEqual(Option.some(["ü", null]))
      yield* kv.remove("a")
      expect(yield* kv.get("a")).toEqual(Option.none())
    })
  )

  it.effect(
    "scans a prefix in key order, a page at a time",
    Effect.gen(function* () {
      const kv = yield* Kv
      for (const key of ["b/2", "a", "b/10", "c/1", "b/1", "b"]) yield* kv.set(key, 0)
      expect(yield* keys("b/")).toEqual(["b/1", "b/10", "b/2"])
      expect(yield* keys("b/", { limit: 2 })).toEqual(["b/1", "b/10"])
      expect(yield* keys("b/", { after: "b/10" })).toEqual(["b/2"])
      expect(yield* keys("")).toHaveLength(6)
    })
  )

  it.effect(
    "removes a prefix, and leaves its neighbours",
    Effect.gen(function* () {
      const kv = yield* Kv
      for (const key of ["b", "b/1", "b/2", "b0"]) yield* kv.set(key, 0)
      yield* kv.removeAll("b/")
      expect(yield* keys("")).toEqual(["b", "b0"])
    })
  )

  it.effect(
    "takes part in the transaction that is open",
    Effect.gen(function* () {
      const kv = yield* Kv
      const { transaction } = yield* Database
      const within = Effect.gen(function* () {
        yield* kv.set("a", 1)
        expect(yield* kv.get("a")).toEqual(Option.some(1))
        return yield* Effect.fail("no")
      })
      expect(yield* Effect.flip(transaction(within))).toBe("no")
      expect(yield* kv.get("a")).toEqual(Option.none())
    })
  )
})
