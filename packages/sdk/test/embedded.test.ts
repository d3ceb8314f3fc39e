import { serve } from "@vigil/server/serve"
import { expect, test } from "bun:test"
import { Effect, Exit, Logger, Scope } from "effect"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "../src/client.ts"
import { events } from "../src/events.ts"
import { sync } from "../src/sync.ts"
import { token } from "./lib/world.ts"

test("over the fetch of a server in the same process all is the same, and what is left is freed at once", async () => {
  const home = mkdtempSync(join(tmpdir(), "vigil-embedded-"))
  const directory = join(home, "project")
  mkdirSync(directory)
  const scope = Scope.makeUnsafe()
  const options = { stateDir: join(home, "state"), home, env: { PATH: process.env["PATH"] }, token }
  const { edge, url } = await Effect.runPromise(
    serve(options).pipe(Scope.provide(scope), Effect.provide(Logger.layer([])))
  )
  try {
    const client = createClient({ baseUrl: url, token, fetch: edge.fetch })
    const { data } = await client.session.create({ body: { directory }, throwOnError: true })
    const path = { sessionID: data.id }
    const opened = Promise.withResolvers<void>()
    const feed = events(client, { onState: ({ status }) => void (status === "open" && opened.resolve()) })
    const waiting = feed.next()
    const store = sync(client, data.id)
    await Promise.all([opened.promise, store.ready])
    expect(await Effect.runPromise(edge.attendance.present)).toBe(2)

    await client.session.update({ path, body: { title: "Tea" }, throwOnError: true })
    expect((await waiting).value?.type).toBe("session.updated")
    while (store.snapshot().session?.title !== "Tea") await new Promise<void>((told) => store.subscribe(told))

    const next = feed.next()
    store.close()
    await feed.return()
    expect((await next).done).toBe(true)
    await Effect.runPromise(edge.attendance.alone)
    expect(await Effect.runPromise(edge.attendance.present)).toBe(0)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(home, { recursive: true })
  }
})
