import { expect, test } from "bun:test"
import { createClient, seqOf, Unreachable, VigilError } from "../src/client.ts"

const answering = (answer: (request: Request) => Response | Promise<Response>) =>
  createClient({ baseUrl: "http://127.0.0.1:9/", token: "secret", fetch: async (request) => answer(request) })

const path = { sessionID: "ses_1" }
const tooMany = {
  _tag: "TooManyMonitors",
  message: "Too many",
  limit: 4,
  scope: "session",
  active: [{ id: "mon_1", description: "d" }]
}
const start = { path, body: { command: "true", description: "d" } }

const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error
  )

test("an operation asks by its noun, as whom the token says", async () => {
  const asked: Array<Request> = []
  const client = answering((request) => {
    asked.push(request)
    return Response.json({ id: "inp_1" })
  })
  const { data, error, response } = await client.session.prompt({ path, body: { text: "Hello" } })
  expect(data?.id).toBe("inp_1")
  expect(error).toBeUndefined()
  expect(response?.status).toBe(200)
  expect(asked[0]?.url).toBe("http://127.0.0.1:9/api/session/ses_1/prompt")
  expect(asked[0]?.headers.get("authorization")).toBe("Bearer secret")
  expect(await asked[0]?.json()).toEqual({ text: "Hello" })
})

test("a refusal is the error, as the server told it", async () => {
  const client = answering(() => Response.json(tooMany, { status: 409 }))
  const { data, error, response } = await client.monitor.start(start)
  expect(data).toBeUndefined()
  expect(error as unknown).toEqual(tooMany)
  expect(response?.status).toBe(409)
  expect(error?._tag === "TooManyMonitors" ? error.limit : undefined).toBe(4)
})

test("a refusal that is thrown keeps its status and the server's facts", async () => {
  const client = answering(() => Response.json(tooMany, { status: 409 }))
  const error = await thrownBy(client.monitor.start({ ...start, throwOnError: true }))
  expect(error).toBeInstanceOf(VigilError)
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({
    name: "VigilError",
    _tag: "TooManyMonitors",
    message: "Too many",
    status: 409
  })
  expect(VigilError.is(error, "SessionNotFound")).toBe(false)
  expect(VigilError.is(error, "TooManyMonitors") && error.facts.active[0]?.id).toBe("mon_1")
})

test.each([
  ["<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"],
  ["", "The server answered with status 502"],
  ['{"detail":"no"}', "The server answered with status 502"]
])("what is not the server's own word, such as %p, is unexplained", async (body, message) => {
  const client = answering(() => new Response(body, { status: 502 }))
  const { error } = await client.session.get({ path })
  expect(error as unknown).toEqual({ _tag: "Unexplained", message })
  const thrown = await thrownBy(client.session.get({ path, throwOnError: true }))
  expect(thrown).toMatchObject({ name: "VigilError", _tag: "Unexplained", status: 502 })
})

test("where nobody answers, that is no refusal, and says why", async () => {
  const cause = new TypeError("Connection refused")
  const client = answering(() => Promise.reject(cause))
  const { error, response } = await client.session.get({ path })
  expect(error as unknown).toBeInstanceOf(Unreachable)
  expect(response).toBeUndefined()
  const thrown = await thrownBy(client.session.get({ path, throwOnError: true }))
  expect(thrown).toBeInstanceOf(Unreachable)
  expect(thrown).toMatchObject({ cause, message: "The server can't be reached: Connection refused" })
})

test("an answer that breaks off is none", async () => {
  const client = answering(() => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error("reset")) })
    return new Response(body, { headers: { "content-type": "application/json" } })
  })
  const thrown = await thrownBy(client.session.get({ path, throwOnError: true }))
  expect(thrown).toBeInstanceOf(Unreachable)
})

test("an abort of the caller's own is told as the runtime tells it", async () => {
  const client = answering((request) => {
    request.signal.throwIfAborted()
    return Response.json({})
  })
  const signal = AbortSignal.abort()
  const thrown = await thrownBy(client.session.get({ path, signal, throwOnError: true }))
  expect(thrown).toMatchObject({ name: "AbortError" })
})

test("a read tells its position, and what is none says so", () => {
  expect(seqOf(new Response(null, { headers: { "vigil-seq": "42" } }))).toBe(42)
  expect(() => seqOf(new Response(null))).toThrow("Vigil-Seq")
})
