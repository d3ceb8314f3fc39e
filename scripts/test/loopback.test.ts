import { expect, test } from "bun:test"

test("a request off this machine fails without being sent", async () => {
  await expect(fetch("https://example.invalid/models")).rejects.toThrow(
    "may only reach loopback, not example.invalid"
  )
  expect(() => new WebSocket("wss://example.invalid")).toThrow("may only reach loopback")
})

test("a request to this machine goes through", async () => {
  using server = Bun.serve({ port: 0, fetch: () => new Response("here") })
  expect(await (await fetch(new URL("/", server.url))).text()).toBe("here")
  expect(await (await fetch(new Request(`http://127.0.0.1:${server.port}/`))).text()).toBe("here")
})
