/**
 * A client of this user's server, wherever that is by now: one that was started anew has another address.
 *
 * What only reads waits until somebody has started one. What the user asks for starts it: a server that was ended on
 * purpose does not come back by itself.
 */
import { type Client, createClient } from "@vigil/sdk/client"
import { Effect, Option } from "effect"
import type { Failed } from "../failed.ts"
import type { Owner } from "../owner.ts"

export interface Owners {
  /** The one that runs, if one does. */
  readonly find: Effect.Effect<Option.Option<Owner>, Failed>
  /** The one that runs, else one that is started. */
  readonly start: Effect.Effect<Owner, Failed>
}

export const lastingClient = (first: Owner, { find, start }: Owners): Client => {
  let owner = first
  const looking = new Map<"find" | "start", Promise<Owner | undefined>>()

  /** Several requests fail at once, and look once. */
  const lookAgain = (how: "find" | "start") => {
    const known = looking.get(how)
    if (known !== undefined) return known
    const found = Effect.runPromise(
      how === "start" ? start : Effect.map(find, Option.getOrUndefined)
    ).finally(() => looking.delete(how))
    looking.set(how, found)
    return found
  }

  const send = async (request: Request): Promise<Response> => {
    const { method, signal } = request
    const body = request.body === null ? undefined : await request.text()
    const sendTo = ({ url, token }: Owner) => {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set("authorization", `Bearer ${token}`)
      const wanted = { method, headers, signal, ...(body !== undefined && { body }) }
      return fetch(`${url}${pathname}${search}`, wanted)
    }
    const asked = owner
    try {
      return await sendTo(asked)
    } catch (error) {
      if (signal.aborted) throw error
      const isKnown = owner !== asked
      const found = isKnown ? owner : await lookAgain(method === "GET" ? "find" : "start")
      if (found === undefined || found.url === asked.url) throw error
      owner = found
      return await sendTo(found)
    }
  }

  return createClient({ baseUrl: first.url, token: first.token, fetch: send })
}
