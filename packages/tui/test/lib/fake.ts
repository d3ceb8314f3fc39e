/**
 * A server of one session in this process, behind a client's `fetch`: what it answers is set by hand, and what it was
 * asked is kept.
 */
import { type Client, createClient } from "@vigil/sdk/client"
import type { Event, Input, Monitor } from "@vigil/sdk/wire"
import type { Snapshot } from "../../src/store.ts"
import { models, session, snapshot } from "./scene.ts"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface Fake {
  readonly client: Client
  readonly asked: ReadonlyArray<Asked>
  /** What it has of the session. */
  has: Snapshot
  /** Answers in place of its own, by `METHOD path` without `/api`. */
  readonly answers: Map<string, (asked: Asked) => Response | Promise<Response>>
  /** Nobody answers while it is set. */
  isDown: boolean
  /** Publishes, behind what was read before. */
  readonly publish: (event: { readonly type: Event["type"]; readonly data: unknown }) => void
  readonly dropFeeds: () => void
}

export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "vigil-seq": "1" }
  })

export const refusal = (tag: string, message: string, status: number): Response =>
  json({ _tag: tag, message }, status)

export const makeFake = (has: Partial<Snapshot> = {}): Fake => {
  const asked: Array<Asked> = []
  const feeds = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const encoder = new TextEncoder()
  let seq = 10
  let made = false

  const feed = (signal: AbortSignal) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        feeds.add(controller)
        signal.addEventListener("abort", () => feeds.delete(controller))
        controller.enqueue(
          encoder.encode(`data: ${JSON.stringify({ type: "connected", storeID: "store", seq })}\n\n`)
        )
      }
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  }

  const page = (items: ReadonlyArray<unknown>) => json({ items })

  const answer = (request: Asked, signal: AbortSignal): Response | Promise<Response> => {
    const path = request.path.replace("/api", "")
    const own = fake.answers.get(`${request.method} ${path}`)
    if (own !== undefined) return own(request)
    const { session: known } = fake.has
    const base = `/session/${known.id}`
    switch (`${request.method} ${path}`) {
      case "GET /event":
        return feed(signal)
      case "GET /model":
        return json(models())
      case "GET /session":
        return page(made ? [known] : [])
      case "POST /session":
        made = true
        return json(known)
      case `GET ${base}`:
        return json(known)
      case `GET ${base}/message`:
        return page(fake.has.messages.map((entry, index) => ({ seq: index + 1, ...entry })))
      case `GET ${base}/turn`:
        return page(fake.has.turns)
      case `GET ${base}/monitor`:
        return page(fake.has.monitors)
      case `GET ${base}/shell`:
        return page(fake.has.shells)
      case `GET ${base}/inbox`:
        return page(fake.has.inbox)
      case "GET /permission":
        return page(fake.has.asks)
      case `POST ${base}/prompt`: {
        const { text, id } = request.body as { readonly text: string; readonly id: string }
        const input: Input = {
          id,
          sessionID: known.id,
          kind: "prompt",
          delivery: "steer",
          origin: "user",
          payload: { type: "prompt", text },
          seq: 1,
          createdAt: 0,
          wakes: true
        }
        return json(input)
      }
      case `POST ${base}/interrupt`:
        return json({ interrupted: true })
      case `POST ${base}/monitor/stop`:
        return page(fake.has.monitors.filter(({ status }: Monitor) => status === "running"))
      default:
        return refusal("RouteNotFound", `There is no ${request.method} ${path}`, 404)
    }
  }

  const fake: Fake = {
    client: createClient({
      baseUrl: "http://127.0.0.1:1",
      token: "token",
      fetch: async (request) => {
        if (fake.isDown) throw new TypeError("connection refused")
        const { pathname, searchParams } = new URL(request.url)
        const text = await request.text()
        const body: unknown = text === "" ? undefined : JSON.parse(text)
        const one = { method: request.method, path: pathname, query: Object.fromEntries(searchParams), body }
        asked.push(one)
        return answer(one, request.signal)
      }
    }),
    asked,
    has: snapshot({ session: session(), ...has }),
    answers: new Map(),
    isDown: false,
    publish: ({ type, data }) => {
      seq += 1
      const event = { seq, id: `evt_${seq}`, type, sessionID: fake.has.session.id, created: 0, data }
      for (const feed of feeds) feed.enqueue(encoder.encode(`id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`))
    },
    dropFeeds: () => {
      for (const feed of feeds) feed.close()
      feeds.clear()
    }
  }
  return fake
}
