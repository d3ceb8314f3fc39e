/** A command's end with another exit code than 0. */
import { Data } from "effect"

/** `message` is for a person and is printed after `vigil: `; without one everything has been said. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly code: number
  readonly message?: string
}> {}
