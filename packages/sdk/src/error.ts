/** What may become of a request besides its answer. */
import type { Vigil } from "./gen/sdk.gen.ts"

/** The server, or something before it, answered with a status of its own and no word of Vigil's. */
export interface Unexplained {
  readonly _tag: "Unexplained"
  /** The beginning of what it said. */
  readonly message: string
}

/** All that any operation may be refused with. `_tag` tells which it is. */
export type Refusal = ErrorsOf<Vigil> | Unexplained

type ErrorsOf<Nouns> = {
  [Noun in keyof Nouns]: Nouns[Noun] extends object
    ? { [Name in keyof Nouns[Noun]]: ErrorOf<Nouns[Noun][Name]> }[keyof Nouns[Noun]]
    : never
}[keyof Nouns]

type ErrorOf<Operation> = Operation extends (...args: ReadonlyArray<never>) => Promise<infer Answer>
  ? Answer extends { readonly error: infer Error extends { readonly _tag: string } }
    ? Error
    : never
  : never

type RefusalOf<Tag extends Refusal["_tag"]> = Extract<Refusal, { readonly _tag: Tag }>

/** The server said no, and why. Thrown where `throwOnError` is set; else it is `error`, as the server told it. */
export class VigilError<Tag extends Refusal["_tag"] = Refusal["_tag"]> extends Error {
  override readonly name = "VigilError"
  readonly _tag: Tag
  /** Of the answer, such as 404. */
  readonly status: number
  /** All that the server told, by its `_tag`. */
  readonly facts: RefusalOf<Tag>

  constructor(status: number, facts: RefusalOf<Tag>) {
    super(facts.message)
    this._tag = facts._tag
    this.status = status
    this.facts = facts
  }

  /** Whether something that was thrown is a refusal of one kind. */
  static is<Tag extends Refusal["_tag"]>(error: unknown, tag: Tag): error is VigilError<Tag> {
    return error instanceof VigilError && error._tag === tag
  }
}

/** Nobody answered, or the answer broke off: whether the request was carried out is not known. `cause` says why. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`The server can't be reached: ${reason}`, { cause })
  }
}

/** As the server told it; what is none of its own words becomes `Unexplained`. */
export const refusalOf = (error: unknown, status: number): Refusal => {
  if (isRefusal(error)) return error
  const said = typeof error === "string" ? error.trim().slice(0, 200) : ""
  return { _tag: "Unexplained", message: said === "" ? `The server answered with status ${status}` : said }
}

const isRefusal = (error: unknown): error is Refusal =>
  typeof error === "object" &&
  error !== null &&
  typeof (error as { readonly _tag?: unknown })._tag === "string" &&
  typeof (error as { readonly message?: unknown }).message === "string"
