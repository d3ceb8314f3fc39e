/** The contract's handlers as one function over requests. */
import type { Auth } from "@vigil/core/auth"
import type { BackgroundShells } from "@vigil/core/background"
import type { Bus } from "@vigil/core/bus"
import type { Settings } from "@vigil/core/config"
import type { Coordinator } from "@vigil/core/coordinator"
import type { Database } from "@vigil/core/database"
import type { Environments } from "@vigil/core/environment"
import type { Inbox } from "@vigil/core/inbox"
import type { Monitors } from "@vigil/core/monitor"
import type { Permissions } from "@vigil/core/permission"
import type { Environment } from "@vigil/core/provider/endpoint"
import type { Sessions } from "@vigil/core/session"
import type { Statuses } from "@vigil/core/status"
import type { Trust } from "@vigil/core/trust"
import type { Turns } from "@vigil/core/turn"
import { Api } from "@vigil/protocol/api"
import { Refusals } from "@vigil/protocol/refusals"
import { Context, Effect, Layer, Scope } from "effect"
import { HttpEffect, HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { fault } from "./answer.ts"
import type { Attendance } from "./attendance.ts"
import type { Feed } from "./feed.ts"
import { eventHandlers, Following } from "./handlers/event.ts"
import { inboxHandlers, messageHandlers, turnHandlers } from "./handlers/message.ts"
import { configHandlers, modelHandlers } from "./handlers/model.ts"
import { monitorHandlers } from "./handlers/monitor.ts"
import { permissionHandlers, trustHandlers } from "./handlers/permission.ts"
import { serverHandlers } from "./handlers/server.ts"
import { sessionHandlers } from "./handlers/session.ts"
import { shellHandlers } from "./handlers/shell.ts"
import type { Tickets } from "./tickets.ts"

/** What handlers stand on. */
export type Services =
  | Auth
  | BackgroundShells
  | Bus
  | Coordinator
  | Database
  | Environments
  | Feed
  | Inbox
  | Monitors
  | Permissions
  | Sessions
  | Settings
  | Statuses
  | Trust
  | Turns

type Asked = HttpServerRequest.HttpServerRequest | Scope.Scope

export interface RouteOptions {
  readonly context: Context.Context<Services>
  readonly scope: Scope.Scope
  readonly tickets: Tickets
  readonly attendance: Attendance
  readonly startedAt: number
  readonly version: string
  readonly env: Environment
}

/** Answers to requests that were let in. What is given with one counts for its fiber alone. */
export const routes = Effect.fn("routes")(function* (options: RouteOptions) {
  const { context, scope } = options
  const handlers = Layer.mergeAll(
    serverHandlers(options),
    sessionHandlers,
    messageHandlers,
    turnHandlers,
    inboxHandlers,
    monitorHandlers,
    shellHandlers,
    permissionHandlers,
    trustHandlers,
    modelHandlers(options.env),
    configHandlers
  )
  const all = Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
    HttpApiBuilder.layer(Following).pipe(Layer.provide(eventHandlers(options.attendance))),
    HttpRouter.middleware(
      Effect.catchDefect((defect) => Effect.map(fault(defect), HttpServerResponse.fromWeb)),
      { global: true }
    )
  ).pipe(
    Layer.provide(Refusals.layer),
    Layer.provide(HttpServer.layerServices),
    Layer.provideMerge(HttpRouter.layer),
    Layer.provide(Layer.succeedContext(context))
  )
  const built = yield* Layer.buildWithMemoMap(all, yield* Layer.makeMemoMap, scope)
  return HttpEffect.toWebHandlerWith<Services, Asked>(Context.merge(context, built))(
    Context.get(built, HttpRouter.HttpRouter).asHttpEffect()
  )
})
