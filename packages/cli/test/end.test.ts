import type { EndReason } from "@vigil/schema/monitor"
import { expect, test } from "bun:test"
import { endText } from "../src/view/monitor.ts"

test("an end for a reason that is not known is a plain end", () => {
  expect(endText({ reason: "vanished" as EndReason })).toBe("ended (vanished)")
  expect(endText({})).toBe("ended")
})

test("a reason that is reserved for later reads as an end", () => {
  for (const reason of ["max_events", "inactive", "closed", "superseded"] as const)
    expect(endText({ reason })).toStartWith("ended: ")
})
