import { expect } from "bun:test"
import { Effect } from "effect"
import { FakeShell } from "./lib/fake-shell.ts"
import { current, pass, settle, started, story, waiting, wakes, watching } from "./lib/watching.ts"

const it = watching()

it.effect(
  "a command's lines come as events, and its end as a notice",
  Effect.gen(function* () {
    const { session, monitor, process } = yield* started()
    process.print("one\n")
    yield* pass(200)
    expect(yield* waiting(session)).toEqual(["one"])
    process.exit({ code: 3 })
    yield* settle
    expect(yield* current(monitor)).toMatchObject({ status: "ended", reason: "exited", exitCode: 3 })
    expect(yield* story).toEqual(["started", "event", "ended"])
    expect(yield* wakes).toBe(2)
    yield* FakeShell
  })
)
