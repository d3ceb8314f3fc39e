/** The generated operations, told where the server is and who asks. */
import { refusalOf, Unreachable, VigilError } from "./error.ts"
import {
  type Client as Transport,
  createClient as createTransport,
  createConfig
} from "./gen/client/index.ts"
import { Vigil } from "./gen/sdk.gen.ts"
import type { EventFollowData, EventFollowErrors } from "./gen/types.gen.ts"

export { type Refusal, type Unexplained, Unreachable, VigilError } from "./error.ts"

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:4096`. */
  readonly baseUrl: string
  readonly token: string
  /** In place of the runtime's own, such as the `fetch` of a server in the same process. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/**
 * An operation answers `{ data, response }`, or `{ error, response }` with what the server said. Where nobody
 * answered, `error` is an `Unreachable` and `response` is absent. With `throwOnError: true` a refusal is thrown as a
 * `VigilError`, and the others as they are. An abort by the caller's own signal is told as the runtime tells it.
 */
export class Client extends Vigil {
  readonly #transport: Transport

  constructor({ baseUrl, token, fetch }: ClientOptions) {
    const transport = createTransport(
      createConfig({
        baseUrl: baseUrl.replace(/\/+$/u, ""),
        auth: token,
        ...(fetch && { fetch: fetch as typeof globalThis.fetch })
      })
    )
    transport.interceptors.error.use((error, response, _request, { signal, throwOnError }) => {
      if (signal?.aborted) return error
      if (!response || response.ok) return new Unreachable(error)
      const refusal = refusalOf(error, response.status)
      return throwOnError ? new VigilError(response.status, refusal) : refusal
    })
    super({ client: transport })
    this.#transport = transport
  }

  /** The feed, unread. `event.follow` is its generated reader, which ends with its first connection: see events.ts. */
  openFeed(query: NonNullable<EventFollowData["query"]>, signal: AbortSignal) {
    return this.#transport.get<{ 200: ReadableStream<Uint8Array> }, EventFollowErrors>({
      url: "/api/event",
      parseAs: "stream",
      security: [{ type: "http", scheme: "bearer" }],
      headers: { accept: "text/event-stream" },
      query: { ...query },
      signal
    })
  }
}

export const createClient = (options: ClientOptions): Client => new Client(options)

/** The feed position that a read reflects: apply to it only events behind it. */
export const seqOf = (response: Response): number => {
  const seq = response.headers.get("vigil-seq")
  if (seq === null || !/^\d+$/u.test(seq)) throw new Error("The answer does not tell its Vigil-Seq")
  return Number(seq)
}
