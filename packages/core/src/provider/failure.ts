/** What a provider's code throws, as one of the ways a step fails. Pure: the clock is an argument. */
import { AISDKError, APICallError } from "@ai-sdk/provider"
import { Option, Schema } from "effect"
import { type Endpoint, keySource } from "./endpoint.ts"
import { ConnectionLost, ContextTooLong, RateLimited, type StepError, StepRefused } from "./step.ts"

const maxMessage = 1_000

/** A shorter one is no secret, and may be part of any word. */
const minMaskedKey = 8

/** `now` in epoch milliseconds. */
export const stepError = (thrown: unknown, endpoint: Endpoint, now: number): StepError => {
  const { status, body, headers } = factsOf(thrown)
  const { provider, model, key, baseUrl } = endpoint
  const said = readable(thrown, body, status)
  const detail = clipped(key && key.length >= minMaskedKey ? said.replaceAll(key, "***") : said)

  if (tooLong(status, `${said}\n${body}`)) {
    return new ContextTooLong({ message: `The conversation is too long for ${provider}/${model}: ${detail}` })
  }
  if (status === undefined) {
    const host = new URL(baseUrl).host
    const unreached = whyUnreached(thrown)
    if (unreached !== undefined) {
      return new ConnectionLost({ message: `${provider} can't be reached (${host}): ${unreached}` })
    }
    // Provider code that would not send the request will not send it next time either.
    return AISDKError.isInstance(thrown) && !APICallError.isInstance(thrown) && !unreadable(thrown)
      ? new StepRefused({ status: 400, message: `${provider} can't be sent this request: ${detail}` })
      : new ConnectionLost({ message: `The connection to ${provider} (${host}) was lost: ${detail}` })
  }
  const retryAfterMs = waitMs(headers, body, now)
  const limited = (what: string) =>
    new RateLimited({
      message: `${provider} ${what} (${status}): ${detail}`,
      ...(retryAfterMs !== undefined && { retryAfterMs })
    })
  if (status === 429 && !/insufficient_quota/u.test(`${detail}\n${body}`)) {
    return limited("takes no more requests for the moment")
  }
  if (status === 408 || status === 409 || (status >= 500 && status !== 501)) {
    if (retryAfterMs !== undefined) return limited("is not available for the moment")
    return new ConnectionLost({ message: `${provider} failed (${status}): ${detail}` })
  }
  return new StepRefused({ status, message: refusal(status, detail, endpoint) })
}

const refusal = (status: number, detail: string, endpoint: Endpoint): string => {
  const { provider, model, baseUrl } = endpoint
  switch (status) {
    case 401:
      return `${provider} refused the key (401): ${sentence(detail)} Check ${keySource(endpoint)}.`
    case 404:
      return (
        `${provider} has no model "${model}" at ${new URL(baseUrl).host} (404): ${sentence(detail)} ` +
        `Choose another model, or correct providers.${provider}.baseUrl in vigil.json.`
      )
    default:
      return `${provider} refused the request (${status}): ${detail}`
  }
}

/** Codes of a connection that was never made. */
const unreachedCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "name not found",
  EAI_AGAIN: "name not found for the moment",
  EHOSTUNREACH: "no way to that host",
  ENETUNREACH: "no network leads there"
}

/** The code stands in the error or, where provider code wrapped it, in its cause. */
const whyUnreached = (thrown: unknown): string | undefined => {
  if (!(thrown instanceof Error)) return undefined
  const code = [codeOf(thrown), codeOf(thrown.cause)].find((code) => Object.hasOwn(unreachedCodes, code))
  return code === undefined ? undefined : unreachedCodes[code]
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : ""

interface Facts {
  /** Of an error; undefined where there was no connection, or the answer broke off. */
  readonly status: number | undefined
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const factsOf = (thrown: unknown): Facts => {
  if (APICallError.isInstance(thrown)) {
    const { statusCode, responseBody = "", responseHeaders = {} } = thrown
    return { status: errorStatus(statusCode), body: responseBody, headers: responseHeaders }
  }
  // An error in mid-stream is the provider's own object, with a status where its code worked one out.
  const { statusCode, code, type } = Option.getOrElse(decodeStreamError(thrown), (): StreamError => ({}))
  const names = [type, code].filter((name) => typeof name === "string").join(" ")
  const status = errorStatus(statusCode) ?? errorStatus(code) ?? namedStatus(names)
  return { status, body: names, headers: {} }
}

const StreamError = Schema.Struct({
  message: Schema.optionalKey(Schema.Unknown),
  statusCode: Schema.optionalKey(Schema.Unknown),
  code: Schema.optionalKey(Schema.Unknown),
  type: Schema.optionalKey(Schema.Unknown)
})
type StreamError = typeof StreamError.Type
const decodeStreamError = Schema.decodeUnknownOption(StreamError)

// A connection that breaks within an answer still carries the 200 that it began with.
const errorStatus = (status: unknown): number | undefined => {
  const number = typeof status === "string" && /^\d{3}$/u.test(status) ? Number(status) : status
  return typeof number === "number" && Number.isInteger(number) && number >= 400 && number < 600
    ? number
    : undefined
}

const namedStatus = (name: string): number | undefined => {
  if (/rate_limit/u.test(name)) return 429
  if (/overloaded/u.test(name)) return 529
  if (/server_error/u.test(name)) return 500
  return /invalid_request/u.test(name) ? 400 : undefined
}

/** Bytes that are no JSON, or JSON that is no answer: as likely a broken connection as a broken server. */
const unreadable = (thrown: Error) =>
  /AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody)/u.test(thrown.name)

/** How providers say it: Anthropic, OpenAI, Google, then servers that are compatible with one of them. */
const lengths = [
  /prompt is too long/iu,
  /exceed(s|ed)? (the )?(model'?s? )?context (limit|length|size|window)/iu,
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded/iu,
  /maximum (context|prompt) length/iu,
  /input token count.*exceeds/iu,
  /exceeds the (available|maximum) context/iu,
  /input is too long/iu,
  /reduce the length of (the|your) (messages|prompt|input)/iu,
  /context (window|length|size)[^.]*(exceeded|overflow|too small)/iu,
  /(context|prompt)[^.]*too (long|large) for/iu
]

const tooLong = (status: number | undefined, text: string): boolean => {
  if (status === 413) return true
  const possible =
    status === undefined || (status >= 400 && status !== 401 && status !== 404 && status !== 429)
  return possible && lengths.some((pattern) => pattern.test(text))
}

/** RFC 9110, 10.2.3: seconds, or the date to wait for. Some say it in milliseconds, Google in its body. */
const waitMs = (headers: Facts["headers"], body: string, now: number): number | undefined => {
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "")
  if (Number.isFinite(ms)) return whole(ms)
  const after = headers["retry-after"]
  if (after !== undefined) {
    const wait = /^\d+(\.\d+)?$/u.test(after) ? Number(after) * 1_000 : Date.parse(after) - now
    return Number.isFinite(wait) ? whole(wait) : undefined
  }
  const google = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/u.exec(body)?.[1]
  return google === undefined ? undefined : whole(Number(google) * 1_000)
}

const whole = (ms: number) => Math.max(0, Math.ceil(ms))

const ErrorBody = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.optionalKey(Schema.Unknown),
    message: Schema.optionalKey(Schema.Unknown),
    detail: Schema.optionalKey(Schema.Unknown)
  })
)
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

/** The provider's own words. Provider code knows one shape of error body, compatible servers have several. */
const readable = (thrown: unknown, body: string, status: number | undefined): string => {
  const message = messageOf(thrown)
  const own = Option.getOrUndefined(decodeErrorBody(body))
  const words = [messageOf(own?.error), own?.message, own?.detail].find(
    (text) => typeof text === "string" && text.trim() !== ""
  )
  if (status !== undefined && typeof words === "string") return words
  return message.trim() === "" ? "no reason was given" : message
}

const messageOf = (thrown: unknown): string => {
  if (typeof thrown === "string") return thrown
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return ""
  // Who says only that reading failed knows why in its cause.
  const { message, cause } = thrown as { message: unknown; cause?: unknown }
  const why = /^Failed to process successful response$/u.test(String(message)) ? messageOf(cause) : ""
  return why || String(message)
}

const clipped = (text: string): string => (text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text)

const sentence = (text: string) => (/[.!?…]$/u.test(text) ? text : `${text}.`)
