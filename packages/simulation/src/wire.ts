/** What the two formats have in common: refusals, and the events of an answer that each writes its own way. */
import type { Transcript } from "./conversation.ts"

/** Why a request is not answered; the format fills in what is left out. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly kind?: string
  readonly code?: string
  readonly param?: string
}

/** Thrown by what reads a request. */
export class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export const refuse = (message: string, more: Partial<Refusal> = {}): never => {
  throw new Refused({ status: 400, message, ...more })
}

export type BlockStart =
  | { readonly type: "text" }
  | { readonly type: "reasoning" }
  | { readonly type: "call"; readonly id: string; readonly name: string }

export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export type AnswerEvent =
  | { readonly type: "start"; readonly tokens: Tokens }
  | { readonly type: "block-start"; readonly block: BlockStart }
  | { readonly type: "fragment"; readonly text: string }
  | { readonly type: "block-end" }
  | {
      readonly type: "end"
      readonly reason: "stop" | "calls" | "length" | "refusal"
      readonly tokens: Tokens
    }
  | { readonly type: "error"; readonly refusal: Refusal }

/** One provider's way of speaking. */
export interface WireFormat {
  readonly key: (headers: Headers) => string | undefined
  readonly refuseKey: (given: string | undefined) => Refusal
  readonly refuseModel: (model: string) => Refusal
  readonly refuseLength: (tokens: number, window: number) => Refusal
  /** Throws `Refused` where the real one would refuse. */
  readonly read: (body: unknown, headers: Headers) => Transcript
  readonly errorBody: (refusal: Refusal, requestID: string) => object
  readonly headers: (requestID: string) => Record<string, string>
  readonly callID: () => string
  /** Server-sent events for the answer's events, which come in order. */
  readonly writer: (body: unknown, transcript: Transcript) => (event: AnswerEvent) => string
  readonly models: (ids: ReadonlyArray<string>) => object
}

export type Fields = Readonly<Record<string, unknown>>

export const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** `call_` and the like, then 24 characters as the real ones have. */
export const randomId = (prefix: string): string =>
  prefix + crypto.randomUUID().replaceAll("-", "").slice(0, 24)
