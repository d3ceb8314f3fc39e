/** Ids: a prefix that says what it names, and seventy random bits, made without coordination. */
import { Schema } from "effect"

export type Prefix = "ses" | "msg" | "prt" | "trn" | "mon" | "sh" | "ask" | "evt" | "inp"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const length = 14

/** The schema of ids that begin with `prefix_`. What follows is letters and digits, so an id is safe in a path. */
export const idSchema = (prefix: Prefix) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[a-z0-9]{1,40}$`, "u"), { expected: `an id like ${prefix}_7k2` })
  )

/** A new id, for example `mon_4c1r9kq2vd7h0x`. */
export const newId = (prefix: Prefix): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return `${prefix}_${Array.from(bytes, (byte) => alphabet[byte & 31]).join("")}`
}
