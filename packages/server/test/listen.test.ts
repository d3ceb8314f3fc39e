import { describe, expect, spyOn, test } from "bun:test"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { connect } from "node:net"
import { maxBodyBytes } from "../src/body.ts"
import { type AddressUnusable, listen, type PortTaken } from "../src/listen.ts"
import { type EdgeWorld, it, type EdgeWorldOptions, makeEdgeWorld, token } from "./lib/edge.ts"

const address = { hostname: "127.0.0.1", port: 0 }
const authorization = `Bearer ${token}`

interface Listening extends EdgeWorld {
  readonly url: URL
  readonly stop: () => Promise<void>
}

const serve = Effect.fn("serve")(function* (options?: EdgeWorldOptions) {
  const world = yield* makeEdgeWorld(options)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const url = yield* Scope.provide(listen(world.edge, address), scope)
  const runPromise = Effect.runPromiseWith(yield* Effect.context())
  const listening: Listening = {
    ...world,
    url,
    stop: () => runPromise(Scope.close(scope, Exit.void)),
    ask: (path, { headers, ...init } = {}) =>
      fetch(new URL(path, url), {
        ...init,
        headers: { authorization, ...(headers as Record<string, string>) }
      })
  }
  return listening
})

const portTest = (name: string, body: (world: Listening) => Promise<void>, options?: EdgeWorldOptions) =>
  test(name, () =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(serve(options), (world) => Effect.promise(() => body(world))))
    )
  )

/** What a server says to bytes that were written by hand, until it closes or `enough` holds. */
const raw = (url: URL, lines: ReadonlyArray<string>, enough: (text: string) => boolean) =>
  new Promise<string>((resolve) => {
    const socket = connect(Number(url.port), "127.0.0.1")
    let text = ""
    const end = () => {
      socket.destroy()
      resolve(text)
    }
    socket.setEncoding("utf8").on("data", (part) => {
      text += part
      if (enough(text)) end()
    })
    socket.on("close", end).on("error", end)
    socket.write([...lines, "", ""].join("\r\n"))
  })

const whole = (text: string) => text.includes("\r\n\r\n") && text.includes("}")

describe("a port", () => {
  portTest("answers as the edge does", async ({ ask, url, session, logged }) => {
    expect(url.hostname).toBe("127.0.0.1")
    const sessionID = await session()
    const response = await ask(`/api/session/${sessionID}`)
    expect([response.status, (await response.json()).id]).toEqual([200, sessionID])
    expect(response.headers.get("vigil-seq")).toBe("1")
    expect(logged.at(-1)).toContain(`GET /api/session/${sessionID} 200 `)
    const head = await ask("/api/session", { method: "HEAD" })
    expect([head.status, head.headers.get("vigil-seq"), await head.text()]).toEqual([200, "1", ""])
  })

  portTest("refuses a foreign name, also one that only a hand-written request has", async ({ url }) => {
    const ask = (...headers: ReadonlyArray<string>) =>
      raw(url, ["GET /api/health HTTP/1.1", ...headers], whole)
    for (const host of ["evil.test", `evil.test:${url.port}`, "localhost@evil.test"]) {
      const text = await ask(`Host: ${host}`)
      expect([host, /^HTTP\/1\.1 (\d+)/u.exec(text)?.[1], text.includes("storeID")]).toEqual([
        host,
        "403",
        false
      ])
    }
    expect(await ask("Host: localhost")).toStartWith("HTTP/1.1 200")
    for (const version of ["1.0", "1.1"]) {
      expect(await raw(url, [`GET /api/session HTTP/${version}`], () => false)).toMatch(/^HTTP\/1\.1 4\d\d /u)
    }
    const absolute = ["GET http://evil.test/api/health HTTP/1.1", "Host: evil.test"]
    expect(await raw(url, absolute, whole)).not.toContain("storeID")
  })

  portTest("takes no more than 8 MiB, however they come", async ({ ask, url }) => {
    const part = new Uint8Array(1024 * 1024)
    let sent = 0
    const endless = () =>
      new ReadableStream({
        pull: (controller) => {
          sent++
          controller.enqueue(part)
        }
      })
    for (const body of [new Uint8Array(maxBodyBytes + 1), endless()]) {
      // Whoever still sends may see the connection closed instead of the answer.
      const response = await ask("/api/session", { method: "POST", body }).catch(() => undefined)
      if (response === undefined) continue
      expect([response.status, (await response.json())._tag]).toEqual([413, "BodyTooLarge"])
    }
    expect(sent).toBeLessThan(100)
    const huge = ["Host: localhost", `Authorization: ${authorization}`, "Content-Length: 1000000000000"]
    const text = await raw(url, ["POST /api/session HTTP/1.1", ...huge], whole)
    expect(text).toStartWith("HTTP/1.1 413")
    expect(text).toContain("BodyTooLarge")
    expect((await ask("/api/session")).status).toBe(200)
  })

  portTest("is not cut for being quiet", async () => {
    const bun = spyOn(Bun, "serve")
    await Effect.runPromise(Effect.scoped(serve()))
    // The scripted model listens too, before it.
    expect(bun.mock.calls.at(-1)![0]).toHaveProperty("idleTimeout", 0)
    bun.mockRestore()
  })

  portTest("knows when a client hangs up, and ends what it waited for", async ({ ask, session, edge }) => {
    const sessionID = await session()
    await ask(`/api/session/${sessionID}/monitor`, {
      method: "POST",
      body: JSON.stringify({ command: "sleep 100", description: "d" }),
      headers: { "content-type": "application/json" }
    })
    const controller = new AbortController()
    const arrival = Effect.runPromise(edge.attendance.arrival)
    const waiting = ask(`/api/session/${sessionID}/wait?until=quiet`, { signal: controller.signal })
    await arrival
    controller.abort()
    await waiting.catch(() => {})
    await Effect.runPromise(edge.attendance.alone)
    const feed = await ask("/api/event")
    expect(await Effect.runPromise(edge.attendance.present)).toBe(1)
    await feed.body!.cancel()
    await Effect.runPromise(edge.attendance.alone)
  })

  portTest("counts nobody who left before they were answered", async ({ url, edge, ask }) => {
    const headers = ["Host: localhost", `Authorization: ${authorization}`]
    const leaving = Array.from({ length: 100 }, (_, index) => {
      const socket = connect(Number(url.port), "127.0.0.1")
      socket.write(["GET /api/event?after=0 HTTP/1.1", ...headers, "", ""].join("\r\n"))
      socket.on("error", () => {})
      socket.on("connect", () => (index % 2 ? socket.destroy() : setImmediate(() => socket.destroy())))
      return new Promise<void>((resolve) => void socket.on("close", () => resolve()))
    })
    await Promise.all(leaving)
    // Whoever asks after them is served after them.
    await (await ask("/api/event")).body!.cancel()
    await Effect.runPromise(edge.attendance.alone)
  })

  portTest("is not shared with another server", async ({ edge, url }) => {
    const port = Number(url.port)
    const given = await Effect.runPromise(listen(edge, { ...address, port }).pipe(Effect.scoped, Effect.flip))
    expect(given).toMatchObject({ _tag: "PortTaken", port } satisfies Partial<PortTaken>)
  })

  it.edge("that is taken, or is none of this machine's, is told as that", async ({ edge }) => {
    const taken = Bun.serve({ ...address, fetch: () => new Response() })
    try {
      const port = taken.port!
      const given = await Effect.runPromise(
        listen(edge, { ...address, port }).pipe(Effect.scoped, Effect.flip)
      )
      expect(given).toMatchObject({ _tag: "PortTaken", port } satisfies Partial<PortTaken>)
      const foreign = await Effect.runPromise(
        listen(edge, { hostname: "192.0.2.1", port: 0 }).pipe(Effect.scoped, Effect.flip)
      )
      expect(foreign).toMatchObject({ _tag: "AddressUnusable" } satisfies Partial<AddressUnusable>)
    } finally {
      await taken.stop(true)
    }
  })
})

describe("the end of a port", () => {
  portTest("comes after feeds were told all and sent away", async ({ ask, session, stop }) => {
    const sessionID = await session()
    await ask(`/api/session/${sessionID}/monitor`, {
      method: "POST",
      body: JSON.stringify({ command: "sleep 100", description: "d" }),
      headers: { "content-type": "application/json" }
    })
    const told = new Response((await ask("/api/event")).body).text()
    await stop()
    const text = await told
    expect(text).toContain('"type":"monitor.ended"')
    expect(text.trimEnd()).toEndWith("retry: 500")
    expect(
      await ask("/api/health").then(
        (r) => r.status,
        () => "refused"
      )
    ).toBe("refused")
  })

  const [closing, closed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  portTest(
    "tells whoever comes meanwhile that the server stops",
    async ({ ask, stop }) => {
      const stopped = stop()
      await Effect.runPromise(Deferred.await(closing))
      const response = await ask("/api/health")
      expect([response.status, (await response.json())._tag]).toEqual([503, "ServerStopping"])
      await Effect.runPromise(Deferred.succeed(closed, undefined))
      await stopped
    },
    {
      services: (real) =>
        Layer.provideMerge(
          Layer.effectDiscard(
            Effect.addFinalizer(() =>
              Effect.andThen(Deferred.succeed(closing, undefined), Deferred.await(closed))
            )
          ),
          real
        )
    }
  )

  portTest("waits for no client that does not read", async ({ url, stop, session }) => {
    const socket = connect(Number(url.port), "127.0.0.1")
    const gone = new Promise<void>((resolve) => socket.on("close", () => resolve()).on("error", () => {}))
    const headers = ["Host: localhost", `Authorization: ${authorization}`]
    const begun = new Promise<void>((resolve) => socket.once("data", () => resolve()))
    socket.write(["GET /api/event HTTP/1.1", ...headers, "", ""].join("\r\n"))
    await begun
    socket.pause()
    await session()
    await stop()
    socket.resume()
    await gone
  })
})
