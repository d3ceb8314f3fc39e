/** What the server answered, or in a sentence what it said instead. */
import { Unreachable } from "@vigil/sdk/client"

interface Answer<A> {
  readonly data?: A | undefined
  readonly error?: unknown
}

/** The server said no; `message` is for a person. */
export class Refused extends Error {}

interface Told {
  readonly message?: unknown
  /** Of a fault: under it the server's log has the whole. */
  readonly errorID?: unknown
}

export const sentenceOf = (error: unknown): string => {
  const { message, errorID } = (error ?? {}) as Told
  if (typeof message !== "string" || message === "") return String(error)
  return typeof errorID === "string" ? `${message} (${errorID})` : message
}

/** The answer; throws what was said instead, in a sentence. */
export const got = async <A>(asked: Promise<Answer<A>>): Promise<A> => {
  const { data, error } = await asked
  if (error instanceof Unreachable) throw error
  if (error !== undefined) throw new Refused(sentenceOf(error))
  return data as A
}
