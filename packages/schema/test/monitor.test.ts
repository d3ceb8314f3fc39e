import { expect, test } from "bun:test"
import { Exit, Schema } from "effect"
import { EndReason } from "../src/monitor.ts"

const accepts = (reason: string) => Exit.isSuccess(Schema.decodeUnknownExit(EndReason)(reason))

test("reasons that are reserved for later can be read already", () => {
  for (const reason of ["max_events", "inactive", "closed", "superseded"]) expect(accepts(reason)).toBe(true)
  expect(accepts("vanished")).toBe(false)
})
