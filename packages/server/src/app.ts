/**
 * The edge: one Hono app around the contract's handlers and the feed.
 *
 *   request ─▶ host, origin ─▶ CORS ─▶ token ─▶ body ─▶ handlers ─▶ answer: id, headers, a line in the log
 *
 * The services are built once, before the first answer, and closed by it: what then comes is refused in words.
 */
import { DatabaseUnusable } from "@vigil/core/database"
import { openapi, render } from "@vigil/protocol/openapi"
import { BadRequest, RouteNotFound } from "@vigil/schema/refusal"
import { Clock, Context, Effect, Exit, Layer, References, Scope } from "effect"
import { Hono } from "hono"
import { cors } from "hono/cors"
import { logAnswer } from "./access-log.ts"
import { answer, fault } from "./answer.ts"
import { type Attendance, makeAttendance } from "./attendance.ts"
import { readBody } from "./body.ts"
import { bearerOnly, type GuardOptions, knownOnly } from "./guard.ts"
import { makeInFlight } from "./in-flight.ts"
import { routes, type Services } from "./routes.ts"
import { makeTickets } from "./tickets.ts"

export interface EdgeOptions extends GuardOptions {
  /** Told by its health. */
  readonly version: string
  /** Where keys and addresses of providers may stand. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface Edge {
  /** Answers a request; never rejects. */
  fetch(request: Request): Promise<Response>
  /** Clients that are there: whoever was let in, and asks or follows the feed. */
  readonly attendance: Attendance
  /** In ms, as its health tells it. */
  readonly startedAt: number
  /**
   * Refuses what is new, ends what is being answered, then the services, which tell their end; feeds end last.
   * Again waits for the same.
   */
  readonly close: Effect.Effect<void>
}

/** Closed with its scope, if not before. */
export const makeEdge = Effect.fn("makeEdge")(function* <E>(
  services: Layer.Layer<Services, E>,
  options: EdgeOptions
): Effect.fn.Return<Edge, E | DatabaseUnusable, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const built = yield* Layer.buildWithMemoMap(services, yield* Layer.makeMemoMap, scope).pipe(
    Effect.catchDefect((defect) =>
      defect instanceof DatabaseUnusable ? Effect.fail(defect) : Effect.die(defect)
    )
  )
  const context = Context.merge(yield* Effect.context(), built)
  const runFork = Effect.runForkWith(context)
  const runPromise = Effect.runPromiseWith(context)
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeMillisUnsafe()
  const tickets = makeTickets()
  const attendance = makeAttendance()
  const inFlight = makeInFlight()
  const handle = yield* routes({
    context,
    scope,
    tickets,
    attendance,
    startedAt,
    version: options.version,
    env: options.env ?? process.env
  })
  const document = render(openapi())

  const app = new Hono<{ Bindings: { readonly requestID: string } }>()
  app.use(knownOnly(options))
  app.use(
    cors({
      origin: [...options.origins],
      allowMethods: ["GET", "POST", "PATCH", "DELETE"],
      allowHeaders: ["authorization", "content-type", "last-event-id"],
      exposeHeaders: ["vigil-seq", "x-request-id"],
      maxAge: 600
    })
  )
  app.use(async (c, next) => {
    if (c.req.path === "/api/health" && isRead(c.req.raw)) return next()
    return guard(c, next)
  })
  const guard = bearerOnly(options, (ticket) => runPromise(tickets.redeem(ticket)))
  app.use(async (_, next) => {
    const leave = attendance.enter()
    try {
      await next()
    } finally {
      leave()
    }
  })
  app.get("/api/openapi.json", (c) => c.body(document, 200, { "content-type": "application/json" }))
  app.all("*", (c) => {
    const { raw: request } = c.req
    const receive = async () => (isRead(request) ? "" : readBody(request))
    return inFlight.run(request, receive, async (body, signal) => {
      if (typeof body !== "string") return answer(body)
      const { url, method } = request
      const headers = new Headers(request.headers)
      // Of nothing it says nothing.
      if (body === "") headers.delete("content-type")
      const asked = new Request(url, { method, headers, signal, ...(body !== "" && { body }) })
      return inWords(await handle(asked, annotated(c.env.requestID)))
    })
  })
  app.onError((error, c) =>
    c.req.raw.signal.aborted
      ? new Response(null, { status: 499 })
      : runPromise(Effect.provideContext(fault(error), annotated(c.env.requestID)))
  )

  const fetch = async (request: Request): Promise<Response> => {
    const requestID = `req_${crypto.randomUUID()}`
    const startedAtNanos = clock.monotonicTimeNanosUnsafe()
    const response = await app.fetch(request, { requestID })
    for (const [name, value] of Object.entries(everywhere)) {
      if (!response.headers.has(name)) response.headers.set(name, value)
    }
    response.headers.set("x-request-id", requestID)
    const { method, url } = request
    // A name that can't be one leaves no more than a path.
    const path = URL.parse(url)?.pathname ?? url.replace(/\?.*$/su, "")
    runFork(logAnswer({ requestID, method, path, status: response.status, startedAtNanos }))
    return response
  }

  const close = yield* Effect.cached(
    Effect.andThen(inFlight.end, Scope.close(scope, Exit.void)).pipe(Effect.uninterruptible)
  )
  yield* Effect.addFinalizer(() => close)
  return { fetch, attendance, startedAt, close }
})

const isRead = ({ method }: Request) => method === "GET" || method === "HEAD"

const annotated = (requestID: string) => Context.make(References.CurrentLogAnnotations, { requestID })

/** What the router refuses by itself has no body. */
const inWords = (response: Response): Response => {
  if (response.body !== null || response.status < 400) return response
  if (response.status === 404) return answer(new RouteNotFound({}))
  if (response.status === 400) return answer(new BadRequest({ field: "path", expected: "a well-formed URL" }))
  return response
}

// No page shows what it answers, frames it, or learns where it was asked from.
const everywhere = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}
