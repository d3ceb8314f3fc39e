/** A server that is named by its address: whether it is a Vigil, which this one can speak to, and lets it in. */
import { Health } from "@vigil/schema/server"
import { createClient } from "@vigil/sdk/client"
import { version } from "@vigil/server/version"
import { isLoopback } from "@vigil/server/owner/bind"
import { Effect, Option, Schema } from "effect"
import { asked, whenRefused } from "../asked.ts"
import { Failed } from "../failed.ts"
import { sameMajor } from "../owner/version.ts"
import { exitCodes } from "../signals.ts"
import { visible } from "../view/visible.ts"

export interface Address {
  /** Without a slash at its end, such as `http://127.0.0.1:4096`. */
  readonly url: string
  readonly token: string
  /** The variable that the token comes from. */
  readonly tokenFrom: string
}

/** As a server is called: no user, no query. Undefined for what is none. */
export const serverUrl = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text)
  if (!/^https?:$/u.test(protocol) || `${username}${password}${search}${hash}` !== "") return undefined
  return `${origin}${pathname.replace(/\/+$/u, "")}`
}

/** Its commands are on this machine, and may run with what this terminal has. */
export const isHere = (url: string): boolean => isLoopback(new URL(url).hostname)

/** Longer nobody waits who sees nothing yet. */
const patienceMs = 5_000

const decode = Schema.decodeUnknownOption(Health)

/** The token is sent once it is known that a Vigil is there. */
export const attached = Effect.fn("attached")(function* ({ url, token, tokenFrom }: Address) {
  const answer = yield* Effect.tryPromise({
    try: (signal) =>
      fetch(`${url}/api/health`, {
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
      }),
    catch: (error) => failed(`No server answers at ${url} (${reasonOf(error)}).`)
  })
  const body = yield* Effect.promise(() => answer.json().catch(() => undefined) as Promise<unknown>)
  const health = Option.getOrUndefined(decode(body))
  if (!answer.ok || health === undefined)
    return yield* failed(`What answers at ${url} is not a Vigil server.`)
  if (!sameMajor(health.version, version)) {
    return yield* failed(
      `The server at ${url} has version ${visible(health.version)}, and this one ${version} can't speak to it. Use the same major version for both.`
    )
  }
  const client = createClient({ baseUrl: url, token })
  yield* asked<unknown>((signal) => client.session.list({ query: { limit: 1 }, signal })).pipe(
    whenRefused("Unauthorized", () =>
      Effect.fail(failed(`The server at ${url} has another token than ${tokenFrom}.`))
    ),
    Effect.catchTags({
      OwnerGone: () => Effect.fail(failed(`The server at ${url} went away. Try again.`)),
      Refused: ({ message }) => Effect.fail(failed(`The server at ${url} refuses: ${visible(message)}`))
    })
  )
  return client
})

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === "TimeoutError") return `nothing within ${patienceMs / 1_000} s`
  return (error as NodeJS.ErrnoException).code ?? error.message
}

const failed = (message: string) => new Failed({ code: exitCodes.failed, message })
