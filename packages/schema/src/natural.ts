/** A whole number as a URL or a header carries it. `Number` alone would take "", " 7" and "0x10" too. */
import { Schema, SchemaTransformation } from "effect"

export const Natural = Schema.String.check(
  Schema.isPattern(/^\d{1,15}$/u, { expected: "a whole number" })
).pipe(Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString))

/** One with bounds, which its refusal states. */
export const naturalBetween = (minimum: number, maximum: number) =>
  Natural.check(
    Schema.isBetween({ minimum, maximum }, { expected: `a whole number from ${minimum} to ${maximum}` })
  )
