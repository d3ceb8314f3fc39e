/** The edge on a port, for as long as the scope is open. */
import { type Duration, Effect, Schema } from "effect"
import type { Edge } from "./app.ts"

export interface Address {
  readonly hostname: string
  /** 0 takes a free one. */
  readonly port: number
}

/** Somebody listens there already. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  hostname: Schema.String,
  port: Schema.Int,
  message: Schema.String
}) {}

/** It is no address of this machine, or not for this user. */
export class AddressUnusable extends Schema.TaggedError<AddressUnusable>()("AddressUnusable", {
  hostname: Schema.String,
  port: Schema.Int,
  message: Schema.String
}) {}

/** For clients to take what is left of their answers. */
const patience = "1 second"

/** Returns where it listens. At the end the port closes last: until then, whoever comes is told that it stops. */
export const listen = Effect.fn("listen")(function* (edge: Edge, address: Address) {
  const server = yield* Effect.acquireRelease(open(edge, address), (server) =>
    edge.close.pipe(
      Effect.andThen(within(patience, () => server.stop())),
      Effect.andThen(Effect.promise(() => server.stop(true)))
    )
  )
  return server.url
})

/** Of what ends cannot be interrupted, this can. */
const within = (patience: Duration.Input, wait: () => Promise<void>) =>
  Effect.promise(wait).pipe(Effect.interruptible, Effect.timeoutOption(patience))

const open = (edge: Edge, { hostname, port }: Address) =>
  Effect.try({
    try: () =>
      Bun.serve({
        hostname,
        port,
        // By default a stream that was quiet for ten seconds is cut.
        idleTimeout: 0,
        // The edge says itself what is too much.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        // Where it is not in development, Bun lets a second server share the port, and each gets a part of the requests.
        reusePort: false,
        fetch: edge.fetch
      }),
    catch: (error) => refused(error, hostname, port)
  })

const refused = (error: unknown, hostname: string, port: number) => {
  const { code, message } = error as NodeJS.ErrnoException
  return code === "EADDRINUSE"
    ? new PortTaken({ hostname, port, message: `Port ${port} of ${hostname} is taken. Name another one.` })
    : new AddressUnusable({
        hostname,
        port,
        message: `Nothing can listen on ${hostname}:${port}. ${message}`
      })
}
