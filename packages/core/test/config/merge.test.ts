import { expect, test } from "bun:test"
import { type ConfigFile, defaults } from "@vigil/schema/config"
import fc from "fast-check"
import { merge } from "../../src/config/merge.ts"
import { evaluate } from "../../src/permission/rule.ts"

const user = (content: ConfigFile) => ({ file: "user", content })
const project = (content: ConfigFile, trusted = false) => ({ file: "project", content, trusted })

test("the project's word comes behind the user's", () => {
  const mine = user({
    model: "a/b",
    providers: { x: { baseUrl: "1" } },
    monitor: { maxActive: 8, batchMs: 100 }
  })
  const { config, origins } = merge(
    mine,
    project({ model: "c/d", providers: { y: {} }, monitor: { maxActive: 9 } }, true)
  )
  expect(config).toMatchObject({
    model: "c/d",
    providers: { x: { baseUrl: "1" }, y: {} },
    monitor: { maxActive: 9, batchMs: 100 }
  })
  expect(origins).toMatchObject({
    model: "project",
    "monitor.maxActive": "project",
    "monitor.batchMs": "user"
  })
})

test("an untrusted project is measured against what the user set, not against the defaults", () => {
  const mine = user({ monitor: { maxActive: 2 } })
  expect(merge(mine, project({ monitor: { maxActive: 3 } })).config.monitor.maxActive).toBe(2)
  expect(
    merge(user({ monitor: { maxActive: 20 } }), project({ monitor: { maxActive: 10 } })).config.monitor
      .maxActive
  ).toBe(10)
})

test("less time for the same count is no lower limit", () => {
  const { config, ignored } = merge(
    undefined,
    project({ monitor: { rateWindowMs: 1_000, batchMs: 0 }, events: { pauseMs: 0 } })
  )
  expect(config).toEqual(defaults)
  expect(ignored.map(({ key }) => key)).toEqual(["monitor.rateWindowMs", "monitor.batchMs", "events.pauseMs"])
  expect(merge(undefined, project({ monitor: { rateWindowMs: 60_000 } })).config.monitor.rateWindowMs).toBe(
    60_000
  )
})

test("the time that is used unasked is at most what may be asked for", () => {
  const { config } = merge(
    undefined,
    project({ monitor: { maxTimeoutMs: 60_000 }, shell: { maxTimeoutMs: 5_000 } })
  )
  expect(config.monitor.timeoutMs).toBe(60_000)
  expect(config.shell.timeoutMs).toBe(5_000)
})

const effect = fc.constantFrom("allow" as const, "ask" as const, "deny" as const)
const rules = fc.array(
  fc.record({
    action: fc.constant("shell" as const),
    pattern: fc.constantFrom("*", "a *", "a b", "c"),
    effect
  })
)
const strictness = { allow: 0, ask: 1, deny: 2 }

test("no rule of an untrusted project makes anything less strict", () => {
  fc.assert(
    fc.property(rules, rules, fc.constantFrom("a b", "a", "c", "d"), (mine, theirs, value) => {
      const subject = { action: "shell" as const, value, pattern: value }
      const before = evaluate(merge(user({ permission: mine })).config.permission, subject)
      const after = evaluate(
        merge(user({ permission: mine }), project({ permission: theirs })).config.permission,
        subject
      )
      return strictness[after.effect] >= strictness[before.effect]
    })
  )
})
