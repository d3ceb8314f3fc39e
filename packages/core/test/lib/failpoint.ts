/** A database of which one statement fails, and what that leaves. */
import { expect } from "bun:test"
import { Effect } from "effect"
import { storedIn } from "./stored.ts"

export type Tables = ReturnType<ReturnType<typeof storedIn>["tables"]>

/** `before` is for `live`. Of what is written from `arm(n)` on, the nth statement fails, COMMIT and BEGIN included. */
export const failpoint = () => {
  let stateDir = ""
  let failAt = Infinity
  let transactionsLeft = 0
  let count = 0
  let failed: string | undefined
  let began: Tables | undefined
  let left: Tables | undefined
  let failing = false

  const looksBack = (sql: string) => /^(ROLLBACK|RELEASE)/.test(sql)
  const before = (sql: string) => {
    if (failing && !looksBack(sql)) throw new Error("disk I/O error, as the test wants it")
    if (failAt === Infinity) return
    if (failed !== undefined) {
      if (left === undefined && !looksBack(sql)) left = storedIn(stateDir).tables()
      return
    }
    count++
    if (count === failAt) {
      failed = sql
      // Another connection sees what is committed: all that was there when this transaction began.
      began = storedIn(stateDir).tables()
      throw new Error("disk I/O error, as the test wants it")
    }
    if (sql === "COMMIT" && --transactionsLeft === 0) failAt = Infinity
  }

  return {
    before,
    /** Nothing is looked at behind so many commits. */
    arm: (directory: string, nth: number, transactions: number) => {
      stateDir = directory
      failAt = nth
      transactionsLeft = transactions
      count = 0
      failed = began = left = undefined
    },
    disarm: () => void (failAt = Infinity),
    /** The statement that has failed since `arm`. */
    failed: () => failed,
    /** What was committed when it failed, and once its transaction was over. */
    around: () => ({ began, left: left ?? storedIn(stateDir).tables() }),
    /** Every statement fails until it is called again. */
    failAll: (on: boolean) => void (failing = on)
  }
}

export type Failpoint = ReturnType<typeof failpoint>

export interface Operation<X, E, R, R2, R3> {
  /** Something fresh to do it to. Nothing of it writes any more when it is there. */
  readonly arrange: Effect.Effect<X, E, R>
  readonly act: (x: X) => Effect.Effect<unknown, unknown, R2>
  /** Once the database works again: what is left to do, and what must be the case then. */
  readonly settle: (x: X, again: boolean) => Effect.Effect<unknown, unknown, R3>
  /** In how many transactions it is done; 1. */
  readonly transactions?: number
}

/** Does it once for each of its statements, which fails, and once more undisturbed. Returns how many there were. */
export const failEach = Effect.fnUntraced(function* <X, E, R, R2, R3>(
  point: Failpoint,
  stateDir: string,
  { arrange, act, settle, transactions = 1 }: Operation<X, E, R, R2, R3>
) {
  for (let nth = 1; ; nth++) {
    const x = yield* arrange
    point.arm(stateDir, nth, transactions)
    yield* Effect.exit(act(x))
    const statement = point.failed()
    const { began, left } = point.around()
    point.disarm()
    if (statement !== undefined) expect({ nth, statement, left }).toEqual({ nth, statement, left: began! })
    yield* settle(x, statement !== undefined)
    if (statement === undefined) return nth - 1
  }
})
