/** What a scripted model answers, and the words it is written in. */
import type { Conversation } from "./conversation.ts"

export interface Say {
  readonly type: "say"
  readonly fragments: ReadonlyArray<string>
}

export interface Think {
  readonly type: "think"
  readonly fragments: ReadonlyArray<string>
}

export interface Call {
  readonly type: "call"
  readonly name: string
  /** JSON, as the model writes it, in the pieces in which it is sent. */
  readonly fragments: ReadonlyArray<string>
  /** One is made up where none is given. */
  readonly id?: string
}

export interface Fail {
  readonly type: "fail"
  readonly status: number
  readonly message?: string
  /** In place of the format's own error type and code for the status. */
  readonly kind?: string
  readonly code?: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Drop {
  readonly type: "drop"
  readonly after?: number
  readonly how: "reset" | "close"
}

export interface Hold {
  readonly type: "hold"
  readonly until: (signal: AbortSignal) => Promise<unknown>
}

/** Tokens; what is left out is estimated from the texts. `input` is without what the cache held. */
export interface Spent {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

export interface UsagePart extends Spent {
  readonly type: "usage"
}

export interface Stop {
  readonly type: "stop"
  readonly reason: "length" | "refusal"
}

export type ReplyPart = Say | Think | Call | Fail | Drop | Hold | UsagePart | Stop

/** A string is said. The parts are sent in their order. */
export type Reply = string | ReplyPart | ReadonlyArray<string | ReplyPart>

export interface Turned {
  /** Requests that this server accepted before are counted in: the first is 1. */
  readonly number: number
  readonly headers: Headers
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal
}

/** Called once a request that was not refused. What it throws is answered as a 500. */
export type Script = (conversation: Conversation, request: Turned) => Reply | Promise<Reply>

export const say = (text: string): Say => ({ type: "say", fragments: words(text) })

export const think = (text: string): Think => ({ type: "think", fragments: words(text) })

/** Asks for a tool. A string is sent as it is, so that a script can write JSON that is none. */
export const call = (name: string, input: object | string = {}, id?: string): Call => ({
  type: "call",
  name,
  fragments: pieces(typeof input === "string" ? input : JSON.stringify(input)),
  ...(id !== undefined && { id })
})

/** An error: instead of an answer where it stands first, in the middle of the stream behind others. */
export const fail = (options: {
  readonly status: number
  readonly message?: string
  readonly kind?: string
  readonly code?: string
  /** Seconds, or the date to wait for. */
  readonly retryAfter?: number | Date
}): Fail => {
  const { status, message, kind, code, retryAfter } = options
  const wait = retryAfter instanceof Date ? retryAfter.toUTCString() : retryAfter?.toString()
  return {
    type: "fail",
    status,
    headers: wait === undefined ? {} : { "retry-after": wait },
    ...(message !== undefined && { message }),
    ...(kind !== undefined && { kind }),
    ...(code !== undefined && { code })
  }
}

/**
 * Cuts the connection where it stands, or after that many fragments of the whole reply: `reset` breaks it,
 * `close` ends the answer politely without its end marks.
 */
export const drop = (options: { readonly after?: number; readonly how?: "reset" | "close" } = {}): Drop => ({
  type: "drop",
  how: options.how ?? "reset",
  ...(options.after !== undefined && { after: options.after })
})

/** Says no more until the promise settles or the client hangs up. */
export const hold = (until: Promise<unknown>): Hold => ({ type: "hold", until: () => until })

export const delay = (ms: number): Hold => ({
  type: "hold",
  until: (signal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true })
    })
})

export const usage = (spent: Spent): UsagePart => ({ type: "usage", ...spent })

/** Ends the answer for another reason than that the model is through. */
export const stop = (reason: Stop["reason"]): Stop => ({ type: "stop", reason })

/** A reply for each request in order; a 500 behind the last. */
export const inOrder =
  (...replies: ReadonlyArray<Reply | Script>): Script =>
  (conversation, request) => {
    const reply = replies[request.number - 1]
    if (reply === undefined) {
      return fail({ status: 500, message: `The script ends after ${replies.length} replies.` })
    }
    return typeof reply === "function" ? reply(conversation, request) : reply
  }

export const replyParts = (reply: Reply): ReadonlyArray<ReplyPart> =>
  (Array.isArray(reply) ? (reply as ReadonlyArray<string | ReplyPart>) : [reply as string | ReplyPart]).map(
    (part) => (typeof part === "string" ? say(part) : part)
  )

const maxFragments = 64

/** As tokens come: a word and the space before it, fewer and longer ones in long texts. */
const words = (text: string): ReadonlyArray<string> => {
  const found = text.match(/\s*\S+\s*$|\s*\S+/gu) ?? (text === "" ? [] : [text])
  const size = Math.ceil(found.length / maxFragments)
  return size <= 1 ? found : chunks(found, size).map((group) => group.join(""))
}

/** By length, so that keys, numbers and characters' escapes are cut through. */
const pieces = (json: string): ReadonlyArray<string> => {
  const characters = [...json]
  return chunks(characters, Math.max(3, Math.ceil(characters.length / 16))).map((group) => group.join(""))
}

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size)
  )
