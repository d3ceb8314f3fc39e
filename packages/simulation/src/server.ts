/**
 * A scripted model on loopback.
 *
 * It speaks the Anthropic Messages and the OpenAI chat completions streaming formats and refuses what the
 * real ones refuse, so that real provider code can be driven end to end without a network.
 */
import { aborted, answer, failure, type Outcome } from "./answer.ts"
import { anthropic } from "./anthropic.ts"
import { type Conversation, conversation, type Format, inputTokens } from "./conversation.ts"
import { openai } from "./openai.ts"
import { type ReplyPart, replyParts, type Script } from "./script.ts"
import { randomId, type Refusal, Refused, type WireFormat } from "./wire.ts"

export interface SimulationOptions {
  readonly script: Script
  /** Any free one where none is given. */
  readonly port?: number
  /** Requests with another key, or none, are refused with 401. */
  readonly key?: string
  /** Requests for other models are refused with 404; every model is known where none is given. */
  readonly models?: ReadonlyArray<string>
  /** In tokens: what is longer is refused as too long. */
  readonly contextWindow?: number
  /** How many requests are kept to be looked at; 1,000 where not given. */
  readonly keepRequests?: number
}

/** A request that came, and what became of it. */
export interface ReceivedRequest {
  readonly format: Format
  readonly headers: Headers
  /** As parsed from JSON; undefined where it was none. */
  readonly body: unknown
  /** Of the answer's start. */
  readonly status: number
  /** Undefined for a request that was refused before it was read. */
  readonly conversation?: Conversation
  /** Why it was refused, or failed as the script wanted. */
  readonly refusal?: Refusal
  readonly outcome: Promise<Outcome>
}

export interface Simulation {
  /** `http://127.0.0.1:<port>`, a customary ANTHROPIC_BASE_URL; with `/v1` an OPENAI_BASE_URL. */
  readonly url: string
  readonly port: number
  /** Newest last, refused ones too, in order of their answers' start. */
  readonly requests: ReadonlyArray<ReceivedRequest>
  /** The nth of all requests, from 1, once its answer starts. */
  readonly request: (number: number) => Promise<ReceivedRequest>
  /** Cuts all connections. */
  readonly stop: () => Promise<void>
}

const paths: Readonly<Record<string, WireFormat>> = {
  "/v1/messages": anthropic,
  "/v1/chat/completions": openai
}

// The status that proxies log for it; nobody is there to read it.
const hungUp: Refusal = { status: 499, message: "The client hung up before it was answered." }

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const startSimulation = (options: SimulationOptions): Simulation => {
  const { script, key, models, contextWindow, keepRequests = 1_000 } = options
  const requests: Array<ReceivedRequest> = []
  const waiting = new Map<number, PromiseWithResolvers<ReceivedRequest>>()
  const stopped = new AbortController()
  let received = 0
  let accepted = 0

  const keep = (request: ReceivedRequest) => {
    requests.push(request)
    if (requests.length > keepRequests) requests.shift()
    received++
    waiting.get(received)?.resolve(request)
    waiting.delete(received)
  }

  const respond = async (request: Request, format: WireFormat): Promise<Response> => {
    const requestID = randomId("req_")
    const { headers } = request
    const received = { format: format === anthropic ? ("anthropic" as const) : ("openai" as const), headers }
    const body = await request.json().catch(() => undefined)
    let read: Conversation | undefined
    const refused = (
      refusal: Refusal,
      more: Readonly<Record<string, string>> = {},
      outcome: Outcome = "refused"
    ) => {
      keep({
        ...received,
        body,
        status: refusal.status,
        refusal,
        outcome: Promise.resolve(outcome),
        ...(read && { conversation: read })
      })
      return Response.json(format.errorBody(refusal, requestID), {
        status: refusal.status,
        headers: { ...format.headers(requestID), ...more }
      })
    }
    let parts: ReadonlyArray<ReplyPart>
    try {
      const given = format.key(headers)
      if (key !== undefined && given !== key) throw new Refused(format.refuseKey(given))
      if (body === undefined)
        throw new Refused({ status: 400, message: "The request body is not valid JSON" })
      const transcript = format.read(body, headers)
      if (models && !models.includes(transcript.model))
        throw new Refused(format.refuseModel(transcript.model))
      const tokens = inputTokens(transcript)
      if (contextWindow !== undefined && tokens > contextWindow) {
        throw new Refused(format.refuseLength(tokens, contextWindow))
      }
      read = conversation(transcript)
      const reply = await Promise.race([
        script(read, { number: ++accepted, headers, signal: request.signal }),
        aborted(request.signal)
      ])
      if (reply === undefined) return refused(hungUp, {}, "hung up")
      parts = replyParts(reply)
    } catch (error) {
      if (error instanceof Refused) return refused(error.refusal)
      return refused({ status: 500, message: `The script threw: ${messageOf(error)}` }, {}, "failed")
    }
    const [first] = parts
    if (first?.type === "fail") return refused(failure(first), first.headers, "failed")
    const { stream, outcome } = answer(parts, { format, transcript: read, body, signal: stopped.signal })
    keep({ ...received, body, status: 200, conversation: read, outcome })
    return new Response(stream, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        ...format.headers(requestID)
      }
    })
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: options.port ?? 0,
    idleTimeout: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      const format = paths[pathname]
      if (format && request.method === "POST") return respond(request, format)
      const speaker = request.headers.has("anthropic-version") ? anthropic : openai
      if (pathname === "/v1/models" && request.method === "GET") {
        const given = speaker.key(request.headers)
        if (key === undefined || given === key) return Response.json(speaker.models(models ?? []))
        return Response.json(speaker.errorBody(speaker.refuseKey(given), randomId("req_")), { status: 401 })
      }
      const refusal = { status: 404, message: `Unknown request URL: ${request.method} ${pathname}` }
      return Response.json(speaker.errorBody({ ...refusal, code: "" }, randomId("req_")), { status: 404 })
    }
  })

  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port!,
    requests,
    request: (number) => {
      const kept = requests[number - 1 - (received - requests.length)]
      if (kept) return Promise.resolve(kept)
      if (number <= received) return Promise.reject(new Error(`Request ${number} is no longer kept.`))
      const wait = waiting.get(number) ?? Promise.withResolvers<ReceivedRequest>()
      waiting.set(number, wait)
      return wait.promise
    },
    stop: async () => {
      stopped.abort()
      await server.stop(true)
    }
  }
}
