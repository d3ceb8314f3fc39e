/** Every limit of monitors: what holds where nothing is set, and what may be set. */
import { expect, test } from "bun:test"
import { defaults, MonitorLimits } from "@vigil/schema/config"
import { Exit, Schema } from "effect"

const KiB = 1024
const GiB = KiB ** 3

const limits: Record<keyof MonitorLimits, readonly [value: number, min: number, max: number]> = {
  maxActive: [4, 1, 100],
  maxActiveTotal: [400, 1, 10_000],
  timeoutMs: [300_000, 1_000, 86_400_000],
  maxTimeoutMs: [1_800_000, 1_000, 86_400_000],
  batchMs: [200, 0, 5_000],
  rateEvents: [30, 1, 10_000],
  rateWindowMs: [30_000, 1_000, 300_000],
  maxBatchBytes: [16 * KiB, KiB, 64 * KiB],
  maxStdoutBytes: [256 * KiB, 16 * KiB, GiB],
  maxLogBytes: [KiB ** 2, 64 * KiB, GiB],
  keepEnded: [25, 0, 1_000],
  killGraceMs: [500, 0, 30_000]
}

for (const [key, [value, min, max]] of Object.entries(limits)) {
  test(`${key} has its default and its bounds`, () => {
    const name = key as keyof MonitorLimits
    const accepts = (candidate: number) =>
      Exit.isSuccess(Schema.decodeUnknownExit(MonitorLimits.fields[name])(candidate))
    expect(defaults.monitor[name]).toBe(value)
    expect([min - 1, min, max, max + 1, min + 0.5].map(accepts)).toEqual([false, true, true, false, false])
  })
}

test("there is no other limit", () => {
  expect(Object.keys(MonitorLimits.fields).toSorted()).toEqual(Object.keys(limits).toSorted())
})
