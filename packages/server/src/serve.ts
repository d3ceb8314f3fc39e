/**
 * A server, whole: it owns its state directory, has brought what an earlier one left to its end, listens, and is
 * announced. At its end the same way back.
 *
 *   lock ─▶ reconcile ─▶ listen ─▶ server.json
 */
import { live, type LiveOptions } from "@vigil/core/live"
import { Sessions } from "@vigil/core/session"
import { Statuses } from "@vigil/core/status"
import { type Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { type Edge, makeEdge } from "./app.ts"
import { Feed } from "./feed.ts"
import { listen } from "./listen.ts"
import { announce } from "./owner/announcement.ts"
import { bindRefused, defaultHostname, isLoopback, localUrl } from "./owner/bind.ts"
import { makePrivate } from "./owner/folder.ts"
import { settled, untilUnneeded } from "./owner/need.ts"
import { checkToken, chooseToken, keepToken } from "./owner/token.ts"
import { version } from "./version.ts"

export interface ServeOptions extends Omit<LiveOptions, "audience"> {
  /** This machine's own address unless told otherwise. Any other needs `token`. */
  readonly hostname?: string
  /** 0, which it is unless told otherwise, takes a free one. */
  readonly port?: number
  /** That the user set. Without one it is the state directory's own. */
  readonly token?: string
  /** Names, besides addresses and `hostname`, by which it may be called. */
  readonly hosts?: ReadonlyArray<string>
  /** Whose pages may call it. */
  readonly origins?: ReadonlyArray<string>
}

export interface Served {
  /** Where this machine reaches it, without a path. */
  readonly url: string
  readonly token: string
  readonly edge: Edge
  /** Until no client has been there for `graceMs`, and no turn, monitor or background shell runs. */
  unneeded(graceMs: number): Effect.Effect<void>
  /** The same for the process that it runs in, once that has no request or feed of its own: at once if no other came. */
  readonly unneededByOthers: Effect.Effect<void>
}

/** Serves until the scope closes. */
export const serve = Effect.fn("serve")(function* (options: ServeOptions) {
  const { hostname = defaultHostname, token } = options
  if (token === undefined && !isLoopback(hostname)) return yield* bindRefused(hostname)
  if (token !== undefined) yield* checkToken(token)
  const scope = yield* Scope.fork(yield* Effect.scope)
  // Of one that could not be started nothing is left, the lock before all.
  return yield* start(options, hostname).pipe(
    Scope.provide(scope),
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
  )
})

const start = Effect.fnUntraced(function* (options: ServeOptions, hostname: string) {
  const { stateDir, port = 0, token: given, hosts = [], origins = [], ...rest } = options
  yield* makePrivate(stateDir)
  const token = given ?? (yield* chooseToken(stateDir))
  const core = yield* Deferred.make<Context.Context<Working>>()
  const services = Layer.tap(live({ ...rest, stateDir, audience: Feed.layer }), (built) =>
    Deferred.succeed(core, built)
  )
  const edge = yield* makeEdge(services, {
    version,
    token,
    hosts: [hostname, ...hosts],
    origins,
    ...(rest.env && { env: rest.env })
  })
  // Only now it is the owner.
  if (given === undefined) yield* keepToken(stateDir, token)
  const quiet = Effect.provide(settled, yield* Deferred.await(core))

  let visited = false
  const fetch = (request: Request) => {
    visited = true
    return edge.fetch(request)
  }
  const address = yield* listen({ ...edge, fetch }, { hostname, port })
  const url = localUrl(hostname, Number(address.port))
  yield* announce(stateDir, {
    url,
    pid: process.pid,
    version,
    startedAt: edge.startedAt,
    token: given === undefined ? "file" : "user"
  })
  const served: Served = {
    url,
    token,
    edge,
    unneeded: (graceMs) => untilUnneeded(edge.attendance, quiet, Effect.succeed(graceMs)),
    unneededByOthers: Effect.suspend(() =>
      visited ? untilUnneeded(edge.attendance, quiet, Effect.succeed(lingerMs)) : Effect.void
    )
  }
  return served
})

/** A client that has found its owner is about to ask it for something. */
const lingerMs = 250

type Working = Sessions | Statuses
