/** What becomes of a request to the owner: its answer, its refusal in a sentence, or that nobody is there any more. */
import { seqOf } from "@vigil/sdk/client"
import { Data, Effect } from "effect"

/** The owner said no. `message` is for a person. */
export class Refused extends Data.TaggedError("Refused")<{
  /** The tag of the contract's error, such as `AskAnswered`. */
  readonly reason: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly message: string
}> {}

/** Has one kind of refusal told in words of one's own. */
export const whenRefused =
  <A2, E2, R2>(reason: string, otherwise: (refusal: Refused) => Effect.Effect<A2, E2, R2>) =>
  <A, E, R>(self: Effect.Effect<A, E | Refused, R>): Effect.Effect<A | A2, E | E2 | Refused, R | R2> =>
    Effect.catchIf(
      self,
      (error): error is Refused => error instanceof Refused && error.reason === reason,
      otherwise
    )

/** It ended, or is about to. */
export class OwnerGone extends Data.TaggedError("OwnerGone")<{ readonly message: string }> {
  static readonly here = () =>
    new OwnerGone({ message: "The vigil that ran in this state directory has gone. Try again." })
}

/** As the generated operations answer. */
interface Reply {
  readonly data?: unknown
  readonly error?: unknown
  readonly response?: Response | undefined
}

export interface Read<A> {
  readonly body: A
  /** The feed position that it reflects. */
  readonly seq: number
}

/** A read, and its place in the feed. `A` is the contract's own type, of which the generated one has no brands. */
export const askedRead = <A>(request: (signal: AbortSignal) => Promise<Reply>) =>
  Effect.map(answered(request), ({ data, response }): Read<A> => ({
    body: data as A,
    seq: seqOf(response)
  }))

/** The answer alone. */
export const asked = <A>(request: (signal: AbortSignal) => Promise<Reply>) =>
  Effect.map(answered(request), ({ data }) => data as A)

const answered = Effect.fnUntraced(function* (request: (signal: AbortSignal) => Promise<Reply>) {
  const { data, error, response } = yield* Effect.tryPromise({
    try: request,
    catch: OwnerGone.here
  })
  if (response === undefined) return yield* OwnerGone.here()
  if (response.ok && error === undefined) return { data, response }
  const refusal = refusalOf(error)
  // An answer that broke off is none.
  if (response.ok || refusal?.reason === "ServerStopping") return yield* OwnerGone.here()
  return yield* refusal ?? unexplained(response)
})

const refusalOf = (error: unknown): Refused | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  const { _tag: reason, message, ...facts } = error as Readonly<Record<string, unknown>>
  if (typeof reason !== "string" || typeof message !== "string") return undefined
  return new Refused({ reason, facts, message: sentence(message, facts) })
}

/** What a field should have been, and where a log says more. */
const sentence = (message: string, { field, expected, errorID }: Readonly<Record<string, unknown>>) =>
  typeof field === "string"
    ? `${message}: ${field} should be ${String(expected)}`
    : typeof errorID === "string"
      ? `${message}: ${errorID}`
      : message

const unexplained = ({ status }: Response) =>
  new Refused({ reason: "Unexplained", facts: {}, message: `The server answered with status ${status}` })
