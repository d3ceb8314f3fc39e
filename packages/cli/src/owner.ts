/**
 * The owner of a state directory, as commands come to it: one that runs, one that this process becomes, or one that
 * it starts.
 *
 *   look ──▶ it answers ───────────────────────────▶ join
 *    ▲  └──▶ the lock is held, nobody answers yet ──▶ wait, look again
 *    │  └──▶ nobody owns ──▶ embed or start one ────▶ join
 *    └───────────── somebody else was first ◀──┘
 */
import type { SettingsOptions } from "@vigil/core/config"
import { DatabaseUnusable } from "@vigil/core/database"
import { isOwned } from "@vigil/core/database/owner"
import { type Client, createClient } from "@vigil/sdk/client"
import { type Announcement, readAnnouncement } from "@vigil/server/owner/announcement"
import { readToken, tokenFile } from "@vigil/server/owner/token"
import { version } from "@vigil/server/version"
import { Effect, Option, type Scope } from "effect"
import { Failed } from "./failed.ts"
import { answersAs } from "./owner/health.ts"
import { serverLogPath } from "./owner/log.ts"
import { type Program, startDetached, thisProgram } from "./owner/starter.ts"
import { sameMajor } from "./owner/version.ts"
import { exitCodes } from "./signals.ts"
import { makeStateDirectory } from "./state-directory.ts"

/** The server that owns a state directory. */
export interface Owner {
  /** Without a path, as `http://127.0.0.1:4321`. */
  readonly url: string
  readonly pid: number
  readonly version: string
  readonly token: string
  readonly client: Client
}

export interface Joined {
  readonly client: Client
  /** Whether the owner is this process, and ends with the scope. */
  readonly embedded: boolean
  /** Until clients that joined this process have gone, and nothing runs. At once where it owns nothing. */
  readonly waitForOthers: Effect.Effect<void>
}

/** The system tells nobody that a lock was given back. */
const lookAgainMs = 50
/** For one that starts, with much to reconcile, or that ends. */
const patience = "30 seconds"
const maxStarts = 3

/** None where nobody owns it. Waits for one that is starting or ending. */
export const findOwner = (stateDir: string): Effect.Effect<Option.Option<Owner>, Failed> =>
  Effect.gen(function* () {
    for (;;) {
      const announced = yield* readAnnouncement(stateDir)
      if (Option.isSome(announced) && (yield* answersAs(announced.value))) {
        return Option.some(yield* ownerOf(stateDir, announced.value))
      }
      if (!(yield* isOwned(stateDir))) return Option.none()
      yield* Effect.sleep(lookAgainMs)
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.flatMap(readAnnouncement(stateDir), (announced) => silent(stateDir, announced))
    })
  )

/** Becomes the owner where there is none, for as long as the scope is open. */
export const joinOrEmbed = Effect.fn("joinOrEmbed")(function* (
  stateDir: string,
  settings: SettingsOptions = {}
): Effect.fn.Return<Joined, Failed, Scope.Scope> {
  yield* Effect.mapError(makeStateDirectory(stateDir), told)
  // Loaded where it is needed: who joins does without.
  const serve = Effect.promise(() => import("@vigil/server/serve")).pipe(
    Effect.flatMap(({ serve }) => serve({ ...settings, stateDir, wakeOwed: false })),
    Effect.asSome,
    Effect.catchTag("StateDirectoryOwned", () => Effect.succeedNone),
    Effect.tapError(dieIfUnusable),
    Effect.mapError(told)
  )
  for (;;) {
    const owner = yield* findOwner(stateDir)
    if (Option.isSome(owner)) return joined(owner.value)
    const served = yield* serve
    if (Option.isNone(served)) continue
    const { url, token, edge, unneededByOthers } = served.value
    return {
      client: createClient({ baseUrl: url, token, fetch: edge.fetch }),
      embedded: true,
      waitForOthers: unneededByOthers
    }
  }
})

/** Starts an owner of its own where there is none. It leaves by itself once nobody needs it. */
export const joinOrDetach = (stateDir: string, program?: Program): Effect.Effect<Joined, Failed> =>
  Effect.map(ownerOrDetached(stateDir, program), joined)

/** The same, and where it is. */
export const ownerOrDetached = Effect.fn("ownerOrDetached")(function* (
  stateDir: string,
  program: Program = thisProgram()
): Effect.fn.Return<Owner, Failed> {
  yield* Effect.mapError(makeStateDirectory(stateDir), told)
  for (let tries = 0; tries < maxStarts; tries++) {
    const owner = yield* findOwner(stateDir)
    if (Option.isSome(owner)) return owner.value
    const said = yield* startDetached(stateDir, program)
    if (said.type === "failed") return yield* failed(said.message)
  }
  return yield* failed(
    `A vigil server was started and is gone again. ${serverLogPath(stateDir)} may say why.`
  )
})

const joined = ({ client }: Owner): Joined => ({ client, embedded: false, waitForOthers: Effect.void })

const ownerOf = Effect.fnUntraced(function* (stateDir: string, announced: Announcement) {
  const { url, pid } = announced
  if (!sameMajor(announced.version, version)) {
    return yield* failed(
      `The vigil server of ${stateDir} (${url}, pid ${pid}) has version ${announced.version}, and this one ${version} can't speak to it. End it with \`kill ${pid}\` and try again, use vigil ${announced.version}, or name another directory with --state-dir.`
    )
  }
  const token = yield* announced.token === "user" ? usersToken(announced) : filedToken(stateDir, announced)
  const owner: Owner = {
    url,
    pid,
    version: announced.version,
    token,
    client: createClient({ baseUrl: url, token })
  }
  return owner
})

const usersToken = ({ url, pid }: Announcement) => {
  const token = process.env["VIGIL_TOKEN"]
  return token
    ? Effect.succeed(token)
    : failed(
        `The vigil server ${url} (pid ${pid}) has a token that its user set. Set VIGIL_TOKEN to the same one.`
      )
}

const filedToken = Effect.fnUntraced(function* (stateDir: string, { pid }: Announcement) {
  const token = yield* Effect.mapError(readToken(stateDir), told)
  if (token !== undefined) return token
  return yield* failed(
    `${tokenFile(stateDir)} has no token. Restart the vigil server that has it, pid ${pid}, and it makes one.`
  )
})

const silent = (stateDir: string, announced: Option.Option<Announcement>) =>
  failed(
    Option.match(announced, {
      onNone: () =>
        `Another vigil process uses ${stateDir} and says nothing. Wait until it has ended, or name another directory with --state-dir.`,
      onSome: ({ url, pid }) =>
        `The vigil server of ${stateDir} (${url}, pid ${pid}) does not answer. End it with \`kill ${pid}\`, or name another directory with --state-dir.`
    })
  )

const failed = (message: string) => new Failed({ code: exitCodes.failed, message })

const told = ({ message }: Error) => failed(message)

/** Nobody can act on it in a command: whoever catches defects puts the whole of it in the log. */
export const dieIfUnusable = (error: unknown) =>
  error instanceof DatabaseUnusable ? Effect.die(error) : Effect.void
