import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expected } from "../test/lib/scenario.ts"
import { makeWorld, token } from "../test/lib/world.ts"

/** Debian's; elsewhere it may be named. */
const chromium = process.env["CHROMIUM"] ?? "chromium"

test("the client, its events and its store work in a page of another origin", async () => {
  await using world = makeWorld(() => "It is said.")
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "../test/fixture/scenario-page.ts")],
    target: "browser",
    format: "esm"
  })
  const script = await built.outputs[0]!.text()
  const seen = Promise.withResolvers<unknown>()
  const page = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/": () =>
        new Response(`<script type="module" src="/page.js"></script>`, {
          headers: { "content-type": "text/html" }
        }),
      "/page.js": () => new Response(script, { headers: { "content-type": "text/javascript" } }),
      "/scene": () => Response.json({ baseUrl: world.url(), token, directory: world.project }),
      "/seen": async (request) => {
        seen.resolve(await request.json())
        return new Response()
      }
    }
  })
  await world.start({ origins: [page.url.origin] })
  const profile = mkdtempSync(join(tmpdir(), "vigil-chromium-"))
  const browser = Bun.spawn(
    [chromium, "--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, page.url.href],
    { stdio: ["ignore", "ignore", "ignore"] }
  )
  try {
    const ended = browser.exited.then((code) => Promise.reject(new Error(`Chromium ended with ${code}`)))
    expect(await Promise.race([seen.promise, ended])).toEqual(expected)
  } finally {
    browser.kill()
    await browser.exited
    await page.stop(true)
    rmSync(profile, { recursive: true, force: true })
  }
}, 60_000)
