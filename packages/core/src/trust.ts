/**
 * Which projects' configuration files the user trusts.
 *
 * Kept by place and content: the same file elsewhere, or another file there, is not trusted. A place is where a
 * path really leads, so a link to a trusted directory is that directory, until it leads elsewhere.
 */
import { TrustedDirectory } from "@vigil/schema/trust"
import { createHash } from "node:crypto"
import { realpath } from "node:fs/promises"
import { resolve } from "node:path"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { Database } from "./database.ts"
import { Kv } from "./kv.ts"

/** Directories that are remembered; past it the one trusted longest ago is forgotten. */
export const maxTrusted = 1_000

export class Trust extends Context.Service<
  Trust,
  {
    /** Whether the user trusted a directory's configuration file with exactly this text. */
    trusted(directory: string, content: string): Effect.Effect<boolean>
    /** From now on this text counts there, in place of any other. */
    trust(directory: string, content: string): Effect.Effect<TrustedDirectory>
    /** False where nothing was trusted. */
    revoke(directory: string): Effect.Effect<boolean>
    /** Newest first. */
    readonly list: Effect.Effect<ReadonlyArray<TrustedDirectory>>
  }
>()("core/Trust") {
  static readonly layer = Layer.effect(
    Trust,
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const kv = yield* Kv

      const list = Effect.map(kv.scan(prefix), (entries) =>
        entries
          .flatMap(({ value }) => Option.toArray(decode(value)))
          .toSorted((a, b) => b.trustedAt - a.trustedAt)
      )

      const trusted = Effect.fn("Trust.trusted")(function* (directory: string, content: string) {
        const place = yield* real(directory)
        const stored = yield* kv.get(keyOf(place))
        if (Option.isNone(stored)) return false
        const record = decode(stored.value)
        if (Option.isSome(record))
          return record.value.directory === place && record.value.digest === digestOf(content)
        yield* Effect.logWarning(`What was trusted in ${place} can't be read; it does not count`)
        return false
      })

      const trust = Effect.fn("Trust.trust")(function* (directory: string, content: string) {
        const place = yield* real(directory)
        const record: TrustedDirectory = {
          directory: place,
          digest: digestOf(content),
          trustedAt: yield* Clock.currentTimeMillis
        }
        yield* transaction(
          Effect.gen(function* () {
            yield* kv.set(keyOf(place), { ...record })
            const others = (yield* list).filter((other) => other.directory !== place)
            for (const old of others.slice(maxTrusted - 1)) yield* kv.remove(keyOf(old.directory))
          })
        )
        return record
      })

      const revoke = Effect.fn("Trust.revoke")(function* (directory: string) {
        const key = keyOf(yield* real(directory))
        return yield* transaction(
          Effect.gen(function* () {
            const was = Option.isSome(yield* kv.get(key))
            yield* kv.remove(key)
            return was
          })
        )
      })

      return Trust.of({ trusted, trust, revoke, list })
    })
  )
}

/** Of what is gone, the path itself. */
const real = (directory: string) => Effect.promise(() => realpath(directory).catch(() => resolve(directory)))

const prefix = "trust/"
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const digestOf = sha256
const keyOf = (place: string) => `${prefix}${sha256(place).slice(0, 32)}`
const decode = Schema.decodeUnknownOption(TrustedDirectory)
