/**
 * The bearer token of a state directory: made at the first start, in the file `token`, for its user alone.
 *
 * A token that the user set takes its place for as long as that server runs, and is written nowhere.
 */
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { readPrivate, writePrivate } from "./private-file.ts"

/** The user's token can't stand in a header. */
export class TokenInvalid extends Schema.TaggedError<TokenInvalid>()("TokenInvalid", {
  message: Schema.String
}) {}

export const tokenFile = (stateDir: string) => join(stateDir, "token")

const tokenBytes = 32
const maxFileBytes = 4_096
const sendable = /^[\x21-\x7e]{1,1024}$/u
const made = /^[\w-]{43}$/u

/** For clients. Undefined where none was made, or the file holds something else. */
export const readToken = Effect.fn("readToken")(function* (stateDir: string) {
  const token = (yield* readPrivate(tokenFile(stateDir), maxFileBytes))?.trim()
  return token !== undefined && made.test(token) ? token : undefined
})

/** For who is about to own `stateDir`: its token, or a new one, which it has to keep. */
export const chooseToken = (stateDir: string): Effect.Effect<string> =>
  readToken(stateDir).pipe(
    Effect.catchTag("FileNotPrivate", () => Effect.undefined),
    Effect.map((token) => token ?? randomBytes(tokenBytes).toString("base64url"))
  )

/** For who owns `stateDir`. One that others may have read is worth nothing any more: this one takes its place. */
export const keepToken = Effect.fn("keepToken")(function* (stateDir: string, token: string) {
  const kept = yield* readToken(stateDir).pipe(
    Effect.catchTag("FileNotPrivate", ({ file }) =>
      Effect.as(Effect.logWarning(`Others could get at ${file}: a new token takes its place`), undefined)
    )
  )
  if (kept === token) return
  const file = tokenFile(stateDir)
  // A folder in its place would fail the write.
  yield* Effect.promise(() => rm(file, { recursive: true, force: true }))
  yield* writePrivate(file, `${token}\n`)
})

/** Of a token that the user set, which every client must send. */
export const checkToken = (given: string): Effect.Effect<void, TokenInvalid> =>
  sendable.test(given)
    ? Effect.void
    : Effect.fail(
        new TokenInvalid({
          message:
            "VIGIL_TOKEN must be 1 to 1,024 visible ASCII characters without spaces: it is sent in a header."
        })
      )
