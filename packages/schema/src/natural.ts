/** A whole number as a URL or a header carries it. `Number` alone would take "", " 7" and "0x10" too. */
import { Schema, SchemaTransformation } from "effect"

const whole = (minimum: number, maximum: number, expected: string) =>
  Schema.String.check(Schema.isPattern(/^\d{1,15}$/u, { expected })).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected })),
      SchemaTransformation.numberFromString
    )
  )

/** Of fifteen digits at most, which a number holds exactly. */
export const Natural = whole(0, 999_999_999_999_999, "a whole number")

/** One with bounds, which its refusal states. */
export const naturalBetween = (minimum: number, maximum: number) =>
  whole(minimum, maximum, `a whole number from ${minimum} to ${maximum}`)
