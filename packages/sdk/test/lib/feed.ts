/** A feed that a test speaks itself, connection by connection, in place of a server's. */
import type { Client } from "../../src/client.ts"
import { createClient } from "../../src/client.ts"

export interface Connection {
  readonly query: URLSearchParams
  /** Frames, as they go over the wire. */
  readonly send: (text: string) => void
  /** As a server does that ends in peace. */
  readonly end: () => void
  readonly breakOff: () => void
  /** Whether the client has closed it. */
  readonly closed: () => boolean
  readonly at: number
}

export interface Speaker {
  readonly client: Client
  readonly connections: ReadonlyArray<Connection>
  /** The nth connection, from 0, once it is there. */
  readonly connection: (number: number) => Promise<Connection>
}

export type Answer = (connection: Connection) => Response | void

/** Each connection is answered by the next of `answers`, then by the last one again. */
export const speaker = (...answers: ReadonlyArray<Answer>): Speaker => {
  const connections: Array<Connection> = []
  const waiting = new Map<number, (connection: Connection) => void>()
  const utf8 = new TextEncoder()

  const fetch = async (request: Request): Promise<Response> => {
    let body!: ReadableStreamDefaultController<Uint8Array>
    let closed = false
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (body = controller),
      cancel: () => void (closed = true)
    })
    const connection: Connection = {
      query: new URL(request.url).searchParams,
      send: (text) => body.enqueue(utf8.encode(text)),
      end: () => body.close(),
      breakOff: () => body.error(new Error("reset")),
      closed: () => closed,
      at: Date.now()
    }
    const answer = answers[connections.length] ?? answers.at(-1)
    connections.push(connection)
    const response = answer?.(connection)
    waiting.get(connections.length - 1)?.(connection)
    return response ?? new Response(stream, { headers: { "content-type": "text/event-stream" } })
  }

  return {
    client: createClient({ baseUrl: "http://127.0.0.1:9", token: "t", fetch }),
    connections,
    connection: async (number) =>
      connections[number] ?? new Promise((resolve) => waiting.set(number, resolve))
  }
}

export const frame = (data: object, id?: number): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

export const connected = (seq: number, storeID = "store_1"): string =>
  frame({ type: "connected", storeID, seq })

export const event = (seq: number): string =>
  frame({ seq, id: `evt_${seq}`, type: "session.updated", created: 1, data: {} }, seq)

export const refusal = (status: number, facts: object): Response => Response.json(facts, { status })
