/** The `message` of an error: what a person reads, while the other fields carry the facts. */
import { Effect, Schema } from "effect"

export const sentence = (text: string) =>
  Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(text)))
